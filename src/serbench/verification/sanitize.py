"""Runs programs that were built with sanitizers, which report their own faults, through everything that
verification and measuring do."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from serbench.codecs.codec import KnownFault
from serbench.errors import SerbenchError, reason_of
from serbench.languages.base import LEAK, Fault, Sanitizes
from serbench.measure.conversation import Samples
from serbench.measure.process import measuring_words, run_to_end
from serbench.measure.unit import Unit
from serbench.selecting.selection import OPERATIONS
from serbench.verification.contract import verify
from serbench.verification.watching import cells_of

_PLACE = 1
"""The number from which places of data in memory are drawn (docs/protocol.md) with sanitizers; without one,
they would not check the code that moves data."""


@dataclass(frozen=True)
class ReportedFault:
    """A fault, and how many processes reported it.

    Attributes:
        known: the codec's declaration of the fault; None if there is none, or if the fault is in our own
            code.
    """

    fault: Fault
    processes: int
    known: KnownFault | None = None


@dataclass(frozen=True)
class Sanitized:
    """A unit with the faults that a sanitizer found in it.

    Attributes:
        failure: why the unit could not do everything that it was asked; empty where it could.
        told: its faults, by kind and place, those in our own code first.
    """

    unit: Unit
    failure: str = ""
    told: Sequence[ReportedFault] = field(default=())

    @property
    def status(self) -> str:
        """``ok``; ``noted`` where all faults are in the library and declared; ``failed``; or the unit's
        status, where it was not run."""
        if self.unit.status != "ok":
            return self.unit.status
        if self.failure or any(each.known is None for each in self.told):
            return "failed"
        return "noted" if self.told else "ok"


def sanitize(unit: Unit, sanitizers: Sanitizes) -> Sanitized:
    """Verify a unit that was built with sanitizers, on edge values and data, and do each of its operations
    twice under every policy; never raise for what a codec does. Where memory leaks, all is done once more
    with whole stacks, to see where it was allocated.

    For private data, the kinds and places of faults are kept but not their details, which may hold values.
    """
    failure, faults, processes = _run(unit, sanitizers, whole_stacks=False)
    if any(fault.kind == LEAK for fault in faults.values()):
        again = _run(unit, sanitizers, whole_stacks=True)
        # leaks are found by a search, which may miss what it found before
        if any(fault.kind == LEAK for fault in again[1].values()):
            failure, faults, processes = again
    told = [
        ReportedFault(
            replace(fault, detail="") if unit.data.is_private else fault, processes[key], _known(unit, fault)
        )
        for key, fault in sorted(faults.items(), key=lambda item: (not item[1].is_ours, item[0]))
    ]
    return Sanitized(unit, failure, told)


_Key = tuple[str, str]


def _run(
    unit: Unit, sanitizers: Sanitizes, whole_stacks: bool
) -> tuple[str, dict[_Key, Fault], Counter[_Key]]:
    """Return why a unit could not do what it was asked, its faults by kind and place, and how many processes
    reported each."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        failure = _exercised(replace(unit, command=sanitizers.command(unit.command, folder, whole_stacks)))
        faults: dict[_Key, Fault] = {}
        processes: Counter[_Key] = Counter()
        for path in sorted(folder.iterdir()):
            told = sanitizers.faults(path.read_text(errors="replace"), unit.variant.codec)
            own = {(fault.kind, fault.place): fault for fault in told}
            processes.update(own.keys())
            faults = own | faults
    return failure, faults, processes


def _exercised(unit: Unit) -> str:
    """Have a runner do everything that it can; return why it failed, empty where it did not."""
    found = verify(unit, finds_faults=True)
    if not found.ok:
        return f"not verified: {found.reason}"
    cells = cells_of([operation for operation in found.operations if operation in OPERATIONS])
    words = measuring_words(unit.data.path, cells, sample_ns=1, samples=1, place=_PLACE, iterations=1)
    try:
        run_to_end([*unit.command, *words], Samples(cells, 1), unit.silence_limit_s)
    except SerbenchError as error:
        return f"not measured: {reason_of(error, unit.data.is_private)}"
    return ""


def _known(unit: Unit, fault: Fault) -> KnownFault | None:
    """Return the codec's declaration of a fault of its library; None for a fault in our own code, which
    cannot be declared."""
    if fault.is_ours:
        return None
    return next(
        (each for each in unit.variant.faults if each.is_of(fault.kind, fault.file, fault.function)), None
    )
