"""Findings of ``doctor``: what was found about one aspect of the machine, whether that is good, and what to
do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Meaning(str, Enum):
    """Whether an aspect of the machine harms figures; ``unknown`` if the machine does not report it."""

    good = "good"
    mind = "warning"
    bad = "bad"
    unknown = "unknown"


@dataclass(frozen=True)
class Finding:
    """One line of ``doctor``.

    Attributes:
        check: the name of the check.
        found: the state of the machine in words; if the verdict is unknown, why.
        advice: the remedy; empty if nothing needs to be done.
        figures: measured values for programs that read the result: name with unit → value.
    """

    check: str
    verdict: Meaning
    found: str
    advice: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The finding as plain values, for ``--format json``."""
        return {
            "check": self.check,
            "verdict": self.verdict.value,
            "found": self.found,
            "advice": self.advice,
            **self.figures,
        }


def percent(share: float, decimals: int = 0, signed: bool = False) -> str:
    """A share in per cent, as ``1.2 %``; ``signed``, with + or - before it."""
    return f"{100 * share:{'+' if signed else ''}.{decimals}f} %"


def summary(findings: Sequence[Finding]) -> str:
    """How many findings have each verdict: ``9 good, 3 warnings, 1 bad, 2 unknown``."""
    counts = {verdict: sum(f.verdict is verdict for f in findings) for verdict in Meaning}
    words = {
        verdict: verdict.value + "s" * (verdict is Meaning.mind and n > 1) for verdict, n in counts.items()
    }
    return ", ".join(f"{n} {words[verdict]}" for verdict, n in counts.items() if n)
