"""Measures a run on all machines of a cluster at once, each into its own part of the run: a machine measures
everything that it can, or the machines of a kind share it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from serbench.cluster.kinds import ClusterMachine, cores_of
from serbench.cluster.messages import Order, Prepared, Took
from serbench.cluster.part import MachinePart, OfPart, Together
from serbench.cluster.pool import Forgotten, Gone, Lost, Pool, Refused, ask, threads_for
from serbench.cluster.sharing import Sharing
from serbench.cluster.spreading import Spreading
from serbench.errors import RunnerError, SerbenchError
from serbench.measure import said
from serbench.measure.conversation import Samples
from serbench.measure.events import End, MachineEvent, MachineStatus, Resume, UnitEvent
from serbench.measure.judging import Differing
from serbench.measure.manifest import PLANNED, Manifest
from serbench.measure.parts import part_named, part_of
from serbench.measure.plan import Plan, Task
from serbench.measure.resume import check_resumable
from serbench.measure.run import Process, Progress, execute
from serbench.measure.store import MACHINES, Journal, Run
from serbench.measure.taken import Taken
from serbench.system.files import Count, Name, Text

RETURN_S = 60.0
"""The seconds that a lost machine has to come back, since something may restart its worker. Dask's own nanny
takes some two seconds."""

LOOK_S = 1.0

RETURNS = 3
"""How often in a row a machine may be lost without having measured anything in between."""

PlanOf = Callable[[Sequence[Task], Run | None], Plan]
"""A function that makes the plan for the tasks of a machine, which depend on its libraries and toolchains;
its second argument is the part that is continued, or None."""

Announce = Callable[[str], None]


class _Other(SerbenchError):
    """The error of a machine that would measure something else than its earlier samples did."""


class Measuring:
    """Measures a run on the machines of a cluster.

    Args:
        run: the whole run; ``journal`` is its journal, which records what becomes of machines.
    """

    def __init__(self, pool: Pool, order: Order, run: Run, journal: Journal, announce: Announce):
        self._pool, self._order, self._run = pool, order, run
        self._journal, self._announce = journal, announce
        self._lock = threading.Lock()
        self._said = set[str]()

    def prepare(
        self, members: Sequence[ClusterMachine], plan_of: PlanOf, progress: Progress
    ) -> list[MachinePart]:
        """Build and verify on all machines. A program that all machines of a kind would build is built by one
        of them. Machines of one computer are asked one after the other, since they may share builds. A
        machine that fails is left out, with the reason; raise SerbenchError where all fail."""
        if not (self._run.directory / MACHINES).exists():  # machines of a continued run have their programs
            Spreading(self._pool, self._order, progress, self._once).spread(members)
        hosts: dict[str, list[ClusterMachine]] = {}
        for member in members:
            hosts.setdefault(member.announced.host, []).append(member)
        parts: list[MachinePart] = []
        with threads_for(self._pool, len(hosts)) as threads:
            waiting = [threads.submit(self._begun, own, plan_of) for own in hosts.values()]
            for done, future in enumerate(as_completed(waiting)):
                progress.step(done, len(waiting), "computers")
                parts += future.result()
            progress.step(len(waiting), len(waiting), "done")
        if not parts:
            raise SerbenchError("none of the machines can measure this; see above")
        return sorted(parts, key=lambda part: (part.member.kind, part.member.name))

    def _begun(self, members: Sequence[ClusterMachine], plan_of: PlanOf) -> list[MachinePart]:
        """Have these machines prepare, one after the other; return the parts of those that can measure."""
        parts = []
        for member in members:
            try:
                before = part_named(self._run, member.name)
                waiting = [other for other in members if other.announced.home == member.announced.home]
                taken = before.taken if before else None
                member, prepared = self._prepared(member, taken, cores_of(waiting))
                parts.append(self._part(member, prepared, plan_of, before))
            except (Lost, Refused, _Other) as error:
                self._tell(member, "left_out", str(error))
                continue
            self._tell(member, "measures")
            for note in prepared.notes:
                self._once(f"{member.name}: {note}")
        return parts

    def _prepared(
        self, member: ClusterMachine, taken: Taken | None, cores: tuple[int, ...] = ()
    ) -> tuple[ClusterMachine, Prepared]:
        """Have a machine prepare; where it is lost meanwhile, wait for it to come back. Raise Lost where it
        does not come back, and Refused where it cannot prepare.

        Args:
            taken: the samples of its part, if the part is continued.
            cores: the cores that building may use; if empty, the machine's own.
        """
        began_with = [unit.executable for unit in taken.units.values()] if taken else []
        own = {"began_with": tuple(filter(None, began_with)), "cores": cores}
        order = msgspec.structs.replace(self._order, **own)
        for _ in range(RETURNS):
            try:
                return member, ask(self._pool, member, "prepare", order, Prepared)
            except (Lost, Forgotten) as error:
                lost = Lost(str(error))
            end = time.monotonic() + RETURN_S
            while not (now := self._found(member.name)):
                if time.monotonic() > end:
                    raise lost
                time.sleep(LOOK_S)
            member = now
        raise lost

    def _found(self, name: str) -> ClusterMachine | None:
        return next((member for member in self._pool.members() if member.name == name), None)

    def _part(
        self, member: ClusterMachine, prepared: Prepared, plan_of: PlanOf, before: Run | None
    ) -> MachinePart:
        """Begin the part of a machine, or continue ``before``; raise ``_Other`` where the earlier samples
        measured something else."""
        plan = replace(plan_of(prepared.tasks, before), core=prepared.core)
        manifest = _planned(prepared.manifest, plan, self._run)
        taken = before.taken if before else Taken()
        begin: list[Resume | UnitEvent] = [*prepared.units]
        if before and taken.units:
            try:
                check_resumable(before.manifest, manifest, taken, prepared.units)
            except SerbenchError as error:
                raise _Other(str(error)) from error
            begin = [Resume(), *(each for each in prepared.units if taken.was_killed(each.identity))]
        run = part_of(self._run, member.name, manifest)
        with Journal(run) as journal:
            for event in begin:
                journal.note(event, taken)
        return MachinePart(member, run, plan, taken)

    def measure(self, parts: Sequence[MachinePart], progress: Progress) -> None:
        """Carry out the plan of each machine, as long as the machine is there; a part that did not reach its
        end has the reason. Raise SerbenchError where the whole cluster no longer answers."""
        together, links = Together(progress), self._run.manifest.links

        def carry(part: MachinePart, journal: Journal) -> bool:
            return self._carry(part, journal, together)

        def measured(own: Sequence[MachinePart]) -> None:
            """Measure on machines of a kind that share the cells, or on one that measures all."""
            if links:
                absent, give_up = self._absent(own), self._pool.give_up
                Sharing(own, frozenset(links), absent, carry, self._announce, give_up).run()
                return
            with Journal(own[0].run) as journal:
                if carry(own[0], journal):
                    journal.note(End(), own[0].taken)

        groups: dict[str, list[MachinePart]] = {}
        for part in parts:
            groups.setdefault(part.member.kind if links else part.member.name, []).append(part)
        with threads_for(self._pool, len(groups), files=len(parts)) as threads:
            waiting = [threads.submit(measured, own) for own in groups.values()]
            for future in as_completed(waiting):
                future.result()

    def _absent(self, parts: Sequence[MachinePart]) -> dict[str, Taken]:
        """Return the samples of machines of the same kind that are not connected now."""
        known, there = Run(self._run.directory).taken.machines, {part.member.name for part in parts}
        kind = parts[0].member.kind_id
        return {
            name: part.taken
            for name, event in known.items()
            if event.kind_id == kind and name not in there and (part := part_named(self._run, name))
        }

    def _carry(self, part: MachinePart, journal: Journal, together: Together) -> bool:
        """Carry out the plan of a part; return False, and set the part's ``reason``, where its machine is
        lost before the end."""
        losses, progress = 0, OfPart(together, part.member.name)
        while True:
            before = part.taken.sampled_ns
            refer, take = partial(self._refer, part), partial(self._take, part.member)
            try:
                part.outcome = execute(part.plan, journal, progress, refer, part.taken, take)
                part.reason = ""
                return True
            except (Lost, Forgotten, Refused) as error:
                part.reason = str(error)
            losses = 1 if part.taken.sampled_ns > before else losses + 1
            if losses > RETURNS or not self._returned(part):
                part.outcome = None
                self._tell(part.member, "lost", part.reason)
                return False
            journal.note(Resume(), part.taken)

    def _take(
        self, member: ClusterMachine, process: Process, expected: Samples
    ) -> Iterator[said.Event | Differing]:
        """Run a process on a machine, as ``take_here`` does on this one. Its events arrive when it has ended:
        when a machine dies, only the process that it measured last is lost."""
        took = ask(self._pool, member, "measure", process, Took)
        if took.heard:
            yield said.Hello(said.PROTOCOL)
        yield from took.differing
        for sample in took.samples:
            event = said.parse_event(msgspec.json.encode(sample))
            expected.take(event)
            yield event
        if took.fault:
            raise RunnerError(**msgspec.structs.asdict(took.fault))
        if missing := expected.missing():
            raise RunnerError(f"{member.name} sent too little; expected {missing}")

    def _refer(self, part: MachinePart) -> Mapping[str, int]:
        """Return the times of the calibration loop on a machine; raise RunnerError where it fails."""
        found: Any = ask(self._pool, part.member, "refer", part.plan.core, dict[Name, Count] | Text)
        if isinstance(found, str):
            raise RunnerError(found)
        return dict[str, int](found)

    def _returned(self, part: MachinePart) -> bool:
        """Have a lost machine prepare again, perhaps by another worker; return False where it does not come
        back as it was."""
        try:
            part.member, prepared = self._prepared(part.member, part.taken)
            manifest = _planned(prepared.manifest, part.plan, self._run)
            check_resumable(part.run.manifest, manifest, part.taken, prepared.units)
            return True
        except Gone:
            raise
        except SerbenchError as error:
            part.reason = str(error)
            return False

    def _once(self, line: str) -> None:
        """Announce a line unless it was announced before: a machine repeats some whenever it gets ready to
        build."""
        with self._lock:
            if line not in self._said:
                self._said.add(line)
                self._announce(line)

    def _tell(self, member: ClusterMachine, status: MachineStatus, reason: str = "") -> None:
        own = {"machine": member.name, "kind": member.kind, "kind_id": member.kind_id}
        event = MachineEvent(**own, status=status, reason=reason)
        with self._lock:
            self._journal.append(msgspec.to_builtins(event))
            if reason:
                self._announce(f"{member.name} ({member.kind}) is {status.replace('_', ' ')}: {reason}")


def _planned(manifest: Manifest, plan: Plan, whole: Run) -> Manifest:
    """Return the manifest of a part, with its plan and the selection of the whole run."""
    planned = {name: getattr(plan, name) for name in PLANNED}
    return msgspec.structs.replace(manifest, **planned, selection=whole.manifest.selection)
