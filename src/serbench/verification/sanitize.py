"""Runs runners that report their own faults, and has them do everything that verification and measuring
do."""

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
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.unit import Unit
from serbench.selecting.selection import OPERATIONS
from serbench.verification.contract import verify
from serbench.verification.watching import cells_of

_PLACE = 1
"""A place of data in memory (docs/protocol.md): any but none, so that the code that moves data is held to the
sanitizers too."""


@dataclass(frozen=True)
class ReportedFault:
    """A fault, and how many processes reported it.

    Attributes:
        known: the codec's declaration of it; None if there is none, or if the fault is ours.
    """

    fault: Fault
    processes: int
    known: KnownFault | None = None


@dataclass(frozen=True)
class Sanitized:
    """A unit with the faults that a sanitizer found in it.

    Attributes:
        failure: why it did not do what it was asked; empty where it did.
        told: its faults; by kind and place, ours first.
    """

    unit: Unit
    failure: str = ""
    told: Sequence[ReportedFault] = field(default=())

    @property
    def status(self) -> str:
        """``ok``, ``noted`` where all faults are the library's and declared, ``failed``; or the unit's, where
        it was not run."""
        if self.unit.status != "ok":
            return self.unit.status
        if self.failure or any(each.known is None for each in self.told):
            return "failed"
        return "noted" if self.told else "ok"


def sanitize(unit: Unit, sanitizers: Sanitizes) -> Sanitized:
    """Verifies a unit that was built with sanitizers, on edge values and data, and does each of its
    operations twice under every policy; never raises for what a codec does. Where memory leaks, all is done
    once more with whole stacks, to see where it was allocated.

    For private data, the kinds and places of faults are kept and their details, which may hold values, are
    not.
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
    """Why a unit did not do what it was asked, its faults by kind and place, and how many processes told of
    each."""
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
    """Has a runner do all that it can; returns why it did not, empty where it did."""
    found = verify(unit, finds_faults=True)
    if not found.ok:
        return f"not verified: {found.reason}"
    cells = cells_of([operation for operation in found.operations if operation in OPERATIONS])
    words = measuring_words(unit.data.path, cells, sample_ns=1, samples=1, place=_PLACE, iterations=1)
    try:
        for _ in run_runner([*unit.command, *words], Samples(cells, 1), silence_limit_s=unit.silence_limit_s):
            pass
    except SerbenchError as error:
        return f"not measured: {reason_of(error, unit.data.is_private)}"
    return ""


def _known(unit: Unit, fault: Fault) -> KnownFault | None:
    """The codec's declaration of a fault of its library; None for a fault of ours, which nobody can
    declare."""
    if fault.is_ours:
        return None
    return next(
        (each for each in unit.variant.faults if each.is_of(fault.kind, fault.file, fault.function)), None
    )
