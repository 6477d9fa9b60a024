"""What was found of one aspect of the machine, whether that is good, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Verdict(str, Enum):
    """How an aspect of the machine bears on figures; ``unknown`` is what the machine does not tell."""

    good = "good"
    mind = "warning"
    bad = "bad"
    unknown = "unknown"


@dataclass(frozen=True)
class Finding:
    """One line of ``doctor``.

    Attributes:
        found: what was found; for an unknown, why it is not known.
        advice: what to do; empty where nothing needs to be done.
        figures: what was measured, by a name with its unit, for programs that read the result.
    """

    check: str
    verdict: Verdict
    found: str
    advice: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``."""
        return {
            "check": self.check,
            "verdict": self.verdict.value,
            "found": self.found,
            "advice": self.advice,
            **self.figures,
        }


def percent(share: float, decimals: int = 0, signed: bool = False) -> str:
    """``1.2 %``; with its sign where that tells a direction."""
    return f"{100 * share:{'+' if signed else ''}.{decimals}f} %"


def summary(findings: Sequence[Finding]) -> str:
    """``9 good, 3 warnings, 1 bad, 2 unknown``."""
    counts = {verdict: sum(f.verdict is verdict for f in findings) for verdict in Verdict}
    words = {
        verdict: verdict.value + "s" * (verdict is Verdict.mind and n > 1) for verdict, n in counts.items()
    }
    return ", ".join(f"{n} {words[verdict]}" for verdict, n in counts.items() if n)
