"""Verifies units on all cores at once, and those of which times say something unusual once more, alone."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.errors import StoppedEarly
from serbench.measure.process import usable_cores
from serbench.measure.unit import Unit, Verification
from serbench.measure.verified import remember, remembered
from serbench.measure.verify import round_trips, verify, with_views
from serbench.measure.watching import takes_times
from serbench.paths import Paths
from serbench.prepare import Step


def verified(
    paths: Paths, units: Sequence[Unit], step: Step, silence_limit_s: float, anew: bool = False
) -> list[Unit]:
    """The same units, after those that were built have been verified; with ``anew``, even units that passed
    before.

    What runs on the other cores makes times longer, by a share. For results that are remembered to pass as
    work that grows, every sample of many messages, in each place, would have to be twice as long, and none of
    few.
    But a few samples are enough to make a short message seem to take as long as a long one. So a unit that
    fails by its times is verified once more when nothing else runs; and where an operation does not seem to
    read its message, that is looked at once more; only that counts.

    Raises:
        StoppedEarly: it was interrupted; has the units that need no further look.
    """
    results = [replace(unit, silence_limit_s=silence_limit_s) for unit in units]
    built = [n for n, unit in enumerate(results) if unit.status == "ok"]
    unsettled, doubtful = set(built), set[int]()
    verifier = _Verifier(None if anew else verifications_of(paths))
    pool = ThreadPoolExecutor(max_workers=usable_cores())
    try:
        begun = {pool.submit(verifier.first, results[n]): n for n in built}
        for done, future in enumerate(as_completed(begun), 1):
            n = begun[future]
            results[n], is_doubtful = future.result()
            (doubtful.add if is_doubtful else unsettled.remove)(n)
            step(done, len(built), results[n].title)
        for n in sorted(doubtful):
            step(len(built) - 1, len(built), f"{results[n].title} once more, alone")
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
        folder: where verifications that passed are kept; None where every unit is verified anew.
    """

    folder: Path | None

    def first(self, unit: Unit) -> tuple[Unit, bool]:
        """Verifies a unit beside others; returns it, and whether its times have to be looked at once more.
        Then it has its round trips, and its verification if it passed but for these times."""
        if self.folder and (known := remembered(self.folder, unit)):
            return _with(unit, known), False
        trips = unit.round_trips or round_trips(unit)
        unit = replace(unit, round_trips=trips)
        found = verify(unit)
        if not trips.reason and takes_times(unit.variant) and (not found.ok or found.views):
            return replace(unit, verification=found if found.ok else None), True
        return self._remembered(unit, found), False

    def alone(self, unit: Unit) -> Unit:
        """Looks once more, while nothing else runs, at what ``first`` returned as doubtful."""
        passed = unit.verification
        return self._remembered(unit, with_views(unit, passed) if passed else verify(unit))

    def _remembered(self, unit: Unit, found: Verification) -> Unit:
        if self.folder:
            remember(self.folder, unit, found)
        return _with(unit, found)


def _with(unit: Unit, found: Verification) -> Unit:
    unit = replace(unit, verification=found)
    return unit if found.ok else replace(unit, status="failed", reason=f"not verified: {found.reason}")


def verifications_of(paths: Paths) -> Path:
    """The folder that keeps verifications that passed."""
    return paths.home / "verified"
