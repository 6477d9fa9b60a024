"""Findings of ``doctor``: the state of one property of the machine, whether that is good, and what to do
about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Meaning(str, Enum):
    """Whether a property of the machine harms measurements; ``unknown`` if the machine does not report it."""

    good = "good"
    mind = "warning"
    bad = "bad"
    unknown = "unknown"


@dataclass(frozen=True)
class Finding:
    """The result of one check of ``doctor``; a line of its table.

    Attributes:
        check: the name of the check.
        found: the state of the machine in words; if it is unknown, the reason.
        advice: the remedy; empty if nothing needs to be done.
        figures: measured values for programs: name with unit → value.
    """

    check: str
    verdict: Meaning
    found: str
    advice: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain values, for ``--format json``."""
        return {
            "check": self.check,
            "verdict": self.verdict.value,
            "found": self.found,
            "advice": self.advice,
            **self.figures,
        }


def percent(share: float, decimals: int = 0, signed: bool = False) -> str:
    """Return a share in per cent, as ``1.2 %``; if ``signed``, with + or - in front."""
    return f"{100 * share:{'+' if signed else ''}.{decimals}f} %"


def summary(findings: Sequence[Finding]) -> str:
    """Return how many findings have each verdict: ``9 good, 3 warnings, 1 bad, 2 unknown``."""
    counts = {verdict: sum(f.verdict is verdict for f in findings) for verdict in Meaning}
    words = {
        verdict: verdict.value + "s" * (verdict is Meaning.mind and n > 1) for verdict, n in counts.items()
    }
    return ", ".join(f"{n} {words[verdict]}" for verdict, n in counts.items() if n)
