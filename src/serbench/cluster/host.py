"""The worker's side of a cluster: it answers questions with the serbench that is installed on its machine.

It builds from its own sources, if they are the same as the client's. It starts only programs that it or
another machine of its kind has built so, and that nobody has changed since.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from serbench import __version__
from serbench.cluster.building import BuiltUnits, built_for, give, make, programs, receive, still_used, unseen
from serbench.cluster.messages import (
    Announced,
    CheckedUnit,
    Checking,
    Handed,
    KeptProgram,
    MachineFinding,
    Order,
    Prepared,
    RemoteFault,
    Reply,
    Took,
    WorkloadFiles,
)
from serbench.cluster.sources import own_digest
from serbench.doctor.checkup import check_up
from serbench.doctor.files import observe, this_process_cores
from serbench.doctor.system import quota_of
from serbench.errors import RunnerError, SelectionError, SerbenchError
from serbench.measure import said
from serbench.measure.conversation import Samples
from serbench.measure.judging import Differing
from serbench.measure.machine import describe_machine
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan, chosen_tasks
from serbench.measure.process import measuring_core, on_cores
from serbench.measure.reference import reference_kernel
from serbench.measure.run import Process, take_here
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.system.locks import using_core, using_home
from serbench.system.whole import write_atomically
from serbench.verification.kept import event_of_unit
from serbench.verification.units import verified

LOOK_S = 1.0
"""The seconds for which a worker watches load, stolen time and the like, to describe its machine."""


class _Unknown(Exception):
    """The error of a worker that has restarted, and so does not know the programs that a client asks for."""


_built: dict[bytes, BuiltUnits] = {}
"""Order → the units that were built for it."""

_programs: dict[tuple[str, ...], tuple[int, int]] = {}
"""The command of each program that was prepared → the program's size and time of modification. No other
program may be started, nor one that has changed since."""


def answer(question: str, data: bytes) -> bytes:
    """Answer a question, one of ``_QUESTIONS``; an error becomes part of the answer."""
    try:
        asked, does = _QUESTIONS[question]
        value = does(msgspec.json.decode(data, type=asked))
        reply = Reply(value=msgspec.Raw(msgspec.json.encode(value)))
    except _Unknown:
        reply = Reply(refused="the worker has started anew", unknown=True)
    except SerbenchError as error:
        reply = Reply(refused=str(error))
    except Exception as error:  # whatever it is, it is of this machine alone
        reply = Reply(refused=f"{type(error).__name__}: {error}")
    return msgspec.json.encode(reply)


def announce(_: None) -> Announced:
    """Return this worker's description of its machine, by which the client tells kinds of machines apart."""
    own_digest()
    now = observe(LOOK_S)
    paths = Paths.default()
    findings = [MachineFinding(f.check, f.verdict.value, f.found, f.advice) for f in check_up(now, paths)]
    return Announced(
        host=(now.read("proc/sys/kernel/random/boot_id") or socket.gethostname()),
        name=socket.gethostname(),
        machine=describe_machine(),
        cores=tuple(sorted(this_process_cores())),
        quota=quota_of(now),
        home=str(paths.home),
        serbench=__version__,
        findings=tuple(findings),
    )


def keep(workload: WorkloadFiles) -> bool:
    """Store an imported workload, as if it had been imported on this machine; raise SelectionError where
    another workload of its name exists."""
    folder = Paths.default().imported / workload.name
    if any(Path(name).name != name for name in (workload.name, *workload.files)):
        raise SelectionError(f"'{workload.name}' cannot be the name of a workload")
    if folder.exists() and not all(_has(folder / name, data) for name, data in workload.files.items()):
        raise SelectionError(
            f"another workload named '{workload.name}' was imported on this machine; choose another name "
            f"with --name, or delete {folder} there"
        )
    for name, data in workload.files.items():
        if not _has(folder / name, data):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, data)
    return True


def _has(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def prepare(order: Order) -> Prepared:
    """Build and verify what a client orders; return the tasks that can be measured. Raise SerbenchError where
    nothing can be built, or the client has other sources or data."""
    built = built_for(order)
    job, home = built.job, built.job.paths.home
    with using_home(home, built.notes.append, shared=True):
        units = verified(job.paths, built.units, unseen, job.time_limit_s)
    if "time" in order.metrics:
        with using_home(home, built.notes.append), on_cores(order.cores):
            units = built.shelf.with_layouts(units, built.linked)
    tasks = chosen_tasks(units, job.chosen)
    for task in tasks:
        _remember([task.command, *task.layouts])
    manifest = manifest_of(job, Plan([], 1, 0), units)  # the client puts in its own plan
    return Prepared(
        manifest=msgspec.structs.replace(manifest, arguments=order.arguments),
        units=tuple(map(event_of_unit, units)),
        tasks=tuple(tasks),
        core=measuring_core(),
        notes=tuple(dict.fromkeys(built.notes)),
    )


def build(order: Order) -> tuple[CheckedUnit, ...]:
    """Build the units that a client orders, and keep them for ``check``; return the state of each."""
    built = _built[_key(order)] = built_for(order)
    return tuple(map(_checked, built.units))


def check(asked: Checking) -> tuple[CheckedUnit, ...]:
    """Verify units that were built, without using earlier results."""
    if (built := _built.get(_key(asked.order))) is None:
        raise _Unknown
    paths, wanted = Paths.default(), set(asked.units)
    own = [unit for unit in built.units if unit.identity in wanted]
    with using_home(paths.home, built.notes.append, shared=True):
        return tuple(map(_checked, verified(paths, own, unseen, asked.time_limit_s, anew=True)))


def _key(order: Order) -> bytes:
    return msgspec.json.encode(order, order="sorted")


def _checked(unit: Unit) -> CheckedUnit:
    found = unit.verification
    return CheckedUnit(**unit.identity.fields, status=unit.status, reason=unit.reason, verification=found)


def _remember(commands: Iterable[tuple[str, ...]]) -> None:
    _programs.update({command: _state(command) for command in commands})


def _state(command: Sequence[str]) -> tuple[int, int]:
    told = Path(command[0]).stat()
    return told.st_size, told.st_mtime_ns


def measure(process: Process) -> Took:
    """Run a process of a program that was prepared on this machine, alone on its core; raise SerbenchError
    where the program was changed since."""
    program = _program_of(process.command)
    if process.judge and process.judge.command not in _programs:
        raise _Unknown
    if _state(program) != _programs[program]:
        raise SerbenchError(f"{program[0]} has been built anew meanwhile")
    still_used(Path(program[0]))
    samples: list[dict[str, Any]] = []
    differing: list[Differing] = []
    fault: RemoteFault | None = None
    heard = False
    with using_home(Paths.default().home, unseen, shared=True), using_core(process.core):
        try:
            for event in take_here(process, Samples(process.cells, process.samples)):
                heard = True
                if isinstance(event, Differing):
                    differing.append(event)
                elif isinstance(event, said.SampleSaid):
                    samples.append({**event.fields, "event": event.kind})
        except RunnerError as error:
            fault = RemoteFault(message=str(error), **vars(error))
    return Took(heard=heard, samples=tuple(samples), differing=tuple(differing), fault=fault)


def _program_of(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the program that a measuring command starts; raise ``_Unknown`` if it was not prepared on this
    machine."""
    for at, word in enumerate(command):
        if word == "measure" and command[:at] in _programs:
            return command[:at]
    raise _Unknown


def refer(core: int | None) -> dict[str, int] | str:
    """Return the times of the calibration loop on a core, or why there are none."""
    try:
        with using_core(core):
            return reference_kernel(core)
    except RunnerError as error:
        return str(error)


_QUESTIONS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "announce": (None, announce),
    "keep": (WorkloadFiles, keep),
    "prepare": (Order, prepare),
    "programs": (Order, programs),
    "make": (Order, make),
    "give": (KeptProgram, give),
    "receive": (Handed, receive),
    "build": (Order, build),
    "check": (Checking, check),
    "measure": (Process, measure),
    "refer": (int | None, refer),
}
"""Question → the type of its argument, and the function that answers it."""
