"""The closing lines of ``verify --evolution OLD NEW``, for the log of CI: what is lost, by which codec."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from serbench.errors import in_short
from serbench.verification.evolution import Evolved

_MOST_NAMED = 5
"""The most codecs with a loss whose reasons are told."""


def closing(outcomes: Sequence[Evolved], incompatible: Sequence[str]) -> list[str]:
    """The lines for all outcomes of two schemas.

    Args:
        incompatible: a line for each part that both schemas have with types that have no value in common.
    """
    codecs = dict.fromkeys(each.codec for each in outcomes if each.outcome not in ("impossible", "not tried"))
    lost = {each.codec: each for each in reversed(outcomes) if each.is_loss}
    lines = [f"failed: {line}, so no codec can keep it" for line in incompatible]
    if lost:
        lines.append(f"failed: values that both have are misread or lost ({len(lost)} of {_count(codecs)}):")
        lines += [_told(name, outcomes, lost[name]) for name in codecs if name in lost][:_MOST_NAMED]
        lines += ["  and more; see the table"] if len(lost) > _MOST_NAMED else []
    untried = dict.fromkeys(each.codec for each in outcomes if each.outcome == "not tried")
    if untried:
        lines.append(f"failed: could not be tried: {', '.join(untried)}")
    if not codecs:
        lines.append("nothing was seen, since no codec could do both schemas")
    return lines or [f"passed: no value that both have is misread or lost ({_count(codecs)})"]


def _count(codecs: Collection[str]) -> str:
    return "1 codec" if len(codecs) == 1 else f"{len(codecs)} codecs"


def _told(codec: str, outcomes: Sequence[Evolved], first: Evolved) -> str:
    reason = in_short(first.reason).partition("\n")[0]
    directions = [each.direction for each in outcomes if each.codec == codec and each.is_loss]
    return f"  {codec}, {' and '.join(directions)}: {reason}"
