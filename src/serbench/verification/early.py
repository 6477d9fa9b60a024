"""Makes the round trips of units while others are still being built, so that sizes are known early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from serbench.measure.identity import Identity
from serbench.measure.unit import Unit, Verification
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.verification.kept import round_trips_cached
from serbench.verification.units import verifications_of

Sized = Callable[[Unit, int], None]
"""Called with a unit whose messages came back, and the bytes that all of them took."""


class Early:
    """Round trips beside a build. They are those of the verification, which goes on from them: no time is
    taken before everything is built and nothing else runs.

    Args:
        sized: called from several threads.
    """

    def __init__(self, paths: Paths, silence_limit_s: float, sized: Sized):
        self._folder, self._silence_limit_s, self._sized = verifications_of(paths), silence_limit_s, sized
        self._pool = ThreadPoolExecutor(max_workers=usable_cores())
        self._begun: dict[Identity, Future[Verification]] = {}

    def __enter__(self) -> Early:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, unit: Unit) -> None:
        """Sends the messages of a unit that is built on their way, and returns at once."""
        unit = replace(unit, silence_limit_s=self._silence_limit_s)
        self._begun[unit.identity] = self._pool.submit(self._made, unit)

    def finish(self, units: Sequence[Unit]) -> list[Unit]:
        """Waits for what has begun; returns the same units, with their round trips."""
        made = {key: future.result() for key, future in self._begun.items()}
        return [
            replace(unit, round_trips=made.get(unit.identity)) if unit.status == "ok" else unit
            for unit in units
        ]

    def _made(self, unit: Unit) -> Verification:
        trips = round_trips_cached(self._folder, unit)
        if trips.ok:
            self._sized(unit, trips.size_bytes)
        return trips
