"""Verifies units on all cores at once, and again alone those whose times are suspicious; makes round trips of
units while others are still being built, so that sizes are known early."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.errors import StoppedEarly
from serbench.languages.base import Progress
from serbench.measure.agreement import agreed
from serbench.measure.identity import Identity
from serbench.measure.unit import Unit, Verification
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.verification.checks import seen_checks
from serbench.verification.contract import round_trips, verify
from serbench.verification.handed import with_handed
from serbench.verification.kept import remember, remembered
from serbench.verification.views import confirmed

MOST_SUSPECTED = 3
"""How many cells of a unit may be suspected in turn, each by a single look, before no further look is taken
and the last result counts."""


Sized = Callable[[Unit, int], None]
"""A function that is called with a unit whose messages came back equal, and the bytes that all of them
took."""


def verified(
    paths: Paths, units: Sequence[Unit], step: Progress, silence_limit_s: float, anew: bool = False
) -> list[Unit]:
    """Return the units, after verifying those that were built; with ``anew``, also those that passed before.
    Raise StoppedEarly, with the units that are finished, where the user interrupts this.

    Work on the other cores makes times longer, by a share. For results that are remembered to pass as work
    that grows, every sample of many messages, in each place, would have to be twice as long, and none of few.
    But a few samples are enough to make a short message seem to take as long as a long one. So a unit that
    fails by its times is verified again when nothing else runs; and an operation that does not seem to read
    its message is looked at again. Only what several such looks agree on counts
    (``measure/agreement.py``).
    """
    results = [replace(unit, silence_limit_s=silence_limit_s) for unit in units]
    built = [n for n, unit in enumerate(results) if unit.status == "ok" and not unit.spec.whole]
    unsettled, doubtful = set(built), set[int]()
    verifier = Verifier(None if anew else verifications_of(paths), paths.project)
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
        results = with_handed(paths, results, step)
    except KeyboardInterrupt:
        raise StoppedEarly(
            [unit for n, unit in enumerate(results) if n not in unsettled and not unit.spec.whole]
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
    step(len(built), len(built), "done")
    return results


@dataclass(frozen=True)
class Verifier:
    """Verifies single units, each by one look, or by several where the first is doubtful.

    Attributes:
        folder: keeps verifications that passed; None to verify every unit anew.
        project: the folder of the built-in codecs, whose declared checks are tested elsewhere; the checks
            that other codecs declare are tried here.
    """

    folder: Path | None
    project: Path

    def first(self, unit: Unit) -> tuple[Unit, bool]:
        """Verify a unit while others are verified; return it, and whether it has to be verified again alone,
        since times that others may have disturbed raise a suspicion."""
        known = remembered(self.folder, unit) if self.folder else None
        if known and (known.seen or not self._tries_checks(unit)):
            return _with(unit, known), False
        unit = replace(unit, round_trips=unit.round_trips or round_trips(unit))
        found = verify(unit)
        if found.suspected or found.views:
            return replace(unit, verification=found), True
        return self._remembered(unit, found), False

    def alone(self, unit: Unit) -> Unit:
        """Look again, while nothing else runs, at a unit that ``first`` returned as doubtful."""
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
    """Verify again a unit whose first verification suspects a cell by its times. It fails only where several
    verifications agree, or for a fault that has nothing to do with times."""
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
    """Return the folder that keeps verifications that passed."""
    return paths.home / "verified"


class Early:
    """Makes round trips while other units are being built; verification then continues from them. No time is
    measured before everything is built and nothing else runs. Any thread may call ``sized``."""

    def __init__(self, paths: Paths, silence_limit_s: float, sized: Sized):
        self._folder, self._silence_limit_s, self._sized = verifications_of(paths), silence_limit_s, sized
        self._pool = ThreadPoolExecutor(max_workers=usable_cores())
        self._begun: dict[Identity, Future[Verification]] = {}

    def __enter__(self) -> Early:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, unit: Unit) -> None:
        """Start the round trips of a unit that is built, and return at once; a unit that reads another one's
        messages makes none."""
        if unit.spec.whole:
            return
        unit = replace(unit, silence_limit_s=self._silence_limit_s)
        self._begun[unit.identity] = self._pool.submit(self._made, unit)

    def finish(self, units: Sequence[Unit]) -> list[Unit]:
        """Wait for the round trips that were started; return the units with them."""
        made = {key: future.result() for key, future in self._begun.items()}
        return [
            replace(unit, round_trips=made.get(unit.identity)) if unit.status == "ok" else unit
            for unit in units
        ]

    def _made(self, unit: Unit) -> Verification:
        trips = remembered(self._folder, unit) or round_trips(unit)
        if trips.ok:
            self._sized(unit, trips.size_bytes)
        return trips
