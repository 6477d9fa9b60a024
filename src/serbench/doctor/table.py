"""The table that ``doctor`` prints."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.report.table import Table
from serbench.system.finding import Finding


def findings_table(title: str, findings: Sequence[Finding]) -> Table:
    """A table with a line for each finding. The advice stands below what was found, so that eighty columns
    are enough."""
    rows = [(f.check, f.verdict.value, f.found + (f"\n→ {f.advice}" if f.advice else "")) for f in findings]
    return Table(title, ("check", "verdict", "what was found → what to do"), rows)
