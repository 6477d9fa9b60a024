"""Whether a run may be continued: only where its samples and those to come are of the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from serbench.errors import SerbenchError
from serbench.measure.manifest import differences
from serbench.measure.taken import Taken

_SHOWN = 5


def check_resumable(before: Mapping[str, Any], now: Mapping[str, Any], taken: Taken, units: Iterable[Mapping[str, Any]]) -> None:
    """Compares the manifest and what was built then with those of now; ``units`` are the unit events of now.

    Raises:
        SerbenchError: machine, compiler, flags, libraries, data or an executable differ; it names what does.
    """
    found = differences(before, now)
    if not found:
        for unit in units:
            key = (unit["codec"], unit["workload"], unit["compiler"])
            old = taken.units.get(key, {})
            for what in ("status", "executable"):
                if old.get(what) != unit.get(what):
                    found.append(f"{what} of {' '.join(filter(None, key))}: {old.get(what)}, now {unit.get(what)}")
    if found:
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        shown = "; ".join([*found[:_SHOWN], *more])
        raise SerbenchError(f"the run cannot be continued, since it would mix what differs: {shown}; make a new run")
