"""Checks whether a run may be continued: only if its samples and those to come measure the same thing."""

from __future__ import annotations

from collections.abc import Iterable

from serbench.errors import SerbenchError
from serbench.measure.events import UnitEvent
from serbench.measure.manifest import LONGEST_SAID, MANIFEST_VERSION, Manifest, differences
from serbench.measure.store import Run
from serbench.measure.taken import Taken
from serbench.text import shortened

_SHOWN = 5


def check_version(run: Run) -> None:
    """Raise SerbenchError where the names of operations meant something else when the run was made."""
    if run.is_earlier:
        raise SerbenchError(
            f"found version {run.manifest.version} of run {run.id}, whose operations have other "
            f"meanings, expected {MANIFEST_VERSION}: start a new run"
        )


def _shown(value: object) -> str:
    """Return a value for a sentence; several digests are cut to their beginnings."""
    text = " ".join(each[:8] for each in value) or "none" if isinstance(value, tuple) else str(value)
    return shortened(text, LONGEST_SAID)


def check_resumable(before: Manifest, now: Manifest, taken: Taken, units: Iterable[UnitEvent]) -> None:
    """Compare the manifest and the units of a run with those of now; raise SerbenchError, which names the
    differences, where machine, compiler, flags, libraries, data or an executable differ. A unit whose
    verification was killed from outside may differ, since it is tried again."""
    found = differences(before, now)
    if not found:
        for unit in units:
            if taken.was_killed(unit.identity):
                continue
            old = taken.units.get(unit.identity)
            for what in ("status", "executable", "layouts"):
                then, new = getattr(old, what, None), getattr(unit, what)
                if then != new:
                    found.append(
                        f"{what} of {' '.join(filter(None, unit.identity))}: "
                        f"{_shown(then)}, now {_shown(new)}"
                    )
    if found:
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        shown = "; ".join([*found[:_SHOWN], *more])
        raise SerbenchError(f"the run cannot be continued, since these differ now: {shown}; start a new run")
