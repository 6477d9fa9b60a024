"""Verifies units on all cores at once, and those of which times say something unusual again, alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.errors import StoppedEarly
from serbench.languages.base import Progress
from serbench.measure.agreement import agreed
from serbench.measure.unit import Unit, Verification
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.verification.checks import seen_checks
from serbench.verification.contract import round_trips, verify
from serbench.verification.kept import remember, remembered
from serbench.verification.views import confirmed

MOST_SUSPECTED = 3
"""How many cells of a unit may be suspected one after the other, each by one look alone, before the last one
stands."""


def verified(
    paths: Paths, units: Sequence[Unit], step: Progress, silence_limit_s: float, anew: bool = False
) -> list[Unit]:
    """The same units, after those that were built have been verified; with ``anew``, even units that passed
    before.

    What runs on the other cores makes times longer, by a share. For results that are remembered to pass as
    work that grows, every sample of many messages, in each place, would have to be twice as long, and none of
    few.
    But a few samples are enough to make a short message seem to take as long as a long one. So a unit that
    fails by its times is verified again when nothing else runs; and where an operation does not seem to
    read its message, that is looked at again. Only what several such looks agree on counts
    (``measure/agreement.py``).

    Raises:
        StoppedEarly: it was interrupted; has the units that need no further look.
    """
    results = [replace(unit, silence_limit_s=silence_limit_s) for unit in units]
    built = [n for n, unit in enumerate(results) if unit.status == "ok"]
    unsettled, doubtful = set(built), set[int]()
    verifier = _Verifier(None if anew else verifications_of(paths), paths.project)
    pool = ThreadPoolExecutor(max_workers=usable_cores())
    try:
        begun = {pool.submit(verifier.first, results[n]): n for n in built}
        for done, future in enumerate(as_completed(begun), 1):
            n = begun[future]
            results[n], is_doubtful = future.result()
            (doubtful.add if is_doubtful else unsettled.remove)(n)
            step(done, len(built), results[n].identity.title)
        for n in sorted(doubtful):
            step(len(built) - 1, len(built), f"{results[n].identity.title} again, alone")
            results[n] = verifier.alone(results[n])
            unsettled.remove(n)
    except KeyboardInterrupt:
        raise StoppedEarly([unit for n, unit in enumerate(results) if n not in unsettled]) from None
    finally:
        pool.shutdown(cancel_futures=True)
    step(len(built), len(built), "done")
    return results


@dataclass(frozen=True)
class _Verifier:
    """Verifies single units.

    Attributes:
        folder: keeps verifications that passed; None if every unit is verified anew.
        project: the folder of the codecs that are built in. The checks that these declare are held to by
            tests; those that others declare are tried here.
    """

    folder: Path | None
    project: Path

    def first(self, unit: Unit) -> tuple[Unit, bool]:
        """Verifies a unit beside others; returns it, and whether its times have to be looked at again. Then
        it has its round trips, and what was found of it so far."""
        known = remembered(self.folder, unit) if self.folder else None
        if known and (known.seen or not self._tries_checks(unit)):
            return _with(unit, known), False
        unit = replace(unit, round_trips=unit.round_trips or round_trips(unit))
        found = verify(unit)
        if found.suspected or found.views:
            return replace(unit, verification=found), True
        return self._remembered(unit, found), False

    def alone(self, unit: Unit) -> Unit:
        """Looks again, while nothing else runs, at what ``first`` returned as doubtful."""
        found = unit.verification
        assert found
        if found.suspected:
            found = _settled(unit, found)
        return self._remembered(unit, confirmed(unit, found))

    def _remembered(self, unit: Unit, found: Verification) -> Unit:
        if found.ok and self._tries_checks(unit):
            found = replace(found, seen=seen_checks(unit))
        if self.folder:
            remember(self.folder, unit, found)
        return _with(unit, found)

    def _tries_checks(self, unit: Unit) -> bool:
        is_own = not unit.variant.codec.directory.is_relative_to(self.project)
        return is_own and bool(unit.variant.checks)


def _settled(unit: Unit, first: Verification) -> Verification:
    """Verifies a unit again whose first verification suspects a cell by its times. It fails for that only
    where several verifications agree, or for another fault that has nothing to do with times."""
    if unit.round_trips and unit.round_trips.suspected:
        unit = replace(unit, round_trips=None)
    found = [first]

    def look(cells: Collection[str]) -> list[str]:
        found.append(verify(unit))
        return [found[-1].suspected]

    for _ in range(MOST_SUSPECTED):
        held = agreed(look, [found[-1].suspected])
        other = [each for each in found if not each.ok and not each.suspected]
        passed = [] if held else [each for each in found if each.ok]
        if held or other or passed:
            return (other or passed or [each for each in found if each.suspected in held])[-1]
    return found[-1]


def _with(unit: Unit, found: Verification) -> Unit:
    unit = replace(unit, verification=found)
    return unit if found.ok else replace(unit, status="failed", reason=f"not verified: {found.reason}")


def verifications_of(paths: Paths) -> Path:
    """The folder that keeps verifications that passed."""
    return paths.home / "verified"
