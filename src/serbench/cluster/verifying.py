"""Verifies units on the machines of a cluster: machines of one kind share the units, and every kind verifies
all of them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field

import msgspec

from serbench.cluster.kinds import ClusterMachine, cores_of, places_of
from serbench.cluster.messages import CheckedUnit, Checking, Order
from serbench.cluster.pool import Forgotten, Lost, Pool, Refused, ask, threads_for
from serbench.measure.identity import Identity
from serbench.measure.run import Progress

PIECES = 4
"""Into how many pieces the share of each machine is cut, so that a fast machine takes more of them."""

TIMES = 3
"""How often the units of lost machines are dealt again to those that are left."""


@dataclass
class _Share:
    """The units that machines which build in one folder verify together.

    Attributes:
        left: the units that no machine has taken yet, in pieces; None until they are built.
        found: the state of each unit.
        why: why the last machine could not go on.
        out: the names of the machines that refused.
    """

    kind: str
    members: Sequence[ClusterMachine]
    order: Order
    left: deque[tuple[Identity, ...]] | None = None
    found: dict[Identity, CheckedUnit] = field(default_factory=dict)
    why: str = ""
    out: set[str] = field(default_factory=set)
    building: threading.Lock = field(default_factory=threading.Lock)

    @property
    def unfinished(self) -> bool:
        """Whether some of its units are not verified, or not even built."""
        return self.left is None or bool(self.left)


class Verifying:
    """A verification on the machines of a cluster."""

    def __init__(self, pool: Pool, order: Order, progress: Progress):
        self._pool, self._order, self._progress = pool, order, progress
        self._done = self._total = 0
        self._lock = threading.Lock()

    def verify(self, members: Sequence[ClusterMachine]) -> list[tuple[str, CheckedUnit]]:
        """Return the state of each unit on each kind of machine. If all machines of a share were lost, that
        is the reason of its units."""
        shares = list(_shares(members, self._order))
        with threads_for(self._pool, len(members)) as threads:
            for _ in range(TIMES):
                waiting = [
                    threads.submit(self._work, member, share)
                    for share in shares
                    for member in share.members
                    if share.unfinished
                ]
                for future in as_completed(waiting):
                    future.result()
                if not any(share.unfinished for share in shares):
                    break
                there = {member.name: member for member in self._pool.members()}
                for share in shares:
                    able = [member.name for member in share.members if member.name not in share.out]
                    share.members = [there[name] for name in able if name in there]
        return [(share.kind, checked) for share in shares for checked in _told(share)]

    def _work(self, member: ClusterMachine, share: _Share) -> None:
        """Have a machine build its share and verify pieces of it, until none are left or the machine is
        lost."""
        try:
            with share.building:  # in one folder
                self._built(member, share)
            while piece := self._next(share):
                try:
                    asked = Checking(order=share.order, units=piece, time_limit_s=self._order.time_limit_s)
                    self._add(share, ask(self._pool, member, "check", asked, tuple[CheckedUnit, ...]))
                except BaseException:
                    assert share.left is not None
                    share.left.append(piece)
                    raise
        except (Lost, Forgotten, Refused) as error:
            share.why = str(error)
            if isinstance(error, Refused):
                share.out.add(member.name)

    def _built(self, member: ClusterMachine, share: _Share) -> None:
        built = ask(self._pool, member, "build", share.order, tuple[CheckedUnit, ...])
        if share.left is not None:
            return
        keys = [each.identity for each in built if each.status == "ok"]
        share.found = {each.identity: each for each in built}
        size = max(1, -(-len(keys) // (PIECES * len(share.members))))
        share.left = deque(tuple(keys[at : at + size]) for at in range(0, len(keys), size))
        with self._lock:
            self._total += len(built)
            self._done += len(built) - len(keys)

    def _next(self, share: _Share) -> tuple[Identity, ...] | None:
        try:
            return share.left.popleft() if share.left else None
        except IndexError:  # another machine took it
            return None

    def _add(self, share: _Share, found: Sequence[CheckedUnit]) -> None:
        with self._lock:
            share.found.update({each.identity: each for each in found})
            self._done += len(found)
            what = found[-1].identity.title if found else ""
            self._progress.step(self._done, max(self._total, self._done), what)


def _shares(members: Sequence[ClusterMachine], order: Order) -> Iterator[_Share]:
    """Deal the codecs of an order to the machines of each kind, an equal number to each machine; those that
    build in one folder have one share together."""
    for kind, groups in places_of(members).items():
        machines, codecs = sum(map(len, groups)), len(order.codecs)
        before = 0
        for group in groups:
            first, end = (codecs * n // machines for n in (before, before + len(group)))
            before += len(group)
            if own := order.codecs[first:end]:
                yield _Share(kind, group, msgspec.structs.replace(order, codecs=own, cores=cores_of(group)))


def _told(share: _Share) -> Iterator[CheckedUnit]:
    """Yield the state of each unit of a share; units that no machine verified have failed."""
    if share.left is None:
        for codec in share.order.codecs:
            for workload in share.order.workloads:
                yield CheckedUnit(
                    codec=codec, workload=workload, compiler="", status="failed", reason=share.why
                )
        return
    lost = {key for piece in share.left for key in piece}
    for key, found in share.found.items():
        failed = msgspec.structs.replace(found, status="failed", reason=f"not verified: {share.why}")
        yield failed if key in lost else found
