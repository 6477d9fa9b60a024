"""Makes findings of checks: a verdict, what was found and what to do, under the name of the check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, ParamSpec

from serbench.report.table import Table
from serbench.system.finding import Finding, Meaning

P = ParamSpec("P")

good = partial(Finding, "", Meaning.good)
mind = partial(Finding, "", Meaning.mind)
bad = partial(Finding, "", Meaning.bad)
unknown = partial(Finding, "", Meaning.unknown)


def judged(verdict: Meaning, found: str, advice: str, figures: Mapping[str, Any]) -> Finding:
    """Make a finding from figures; it has the advice unless the verdict is good."""
    return Finding("", verdict, found, "" if verdict is Meaning.good else advice, figures)


def check(name: str) -> Callable[[Callable[P, Finding]], Callable[P, Finding]]:
    """Make a decorator that names a function's findings, with its first argument in place of ``{}``."""

    def named(judge: Callable[P, Finding]) -> Callable[P, Finding]:
        @wraps(judge)
        def finding(*args: P.args, **options: P.kwargs) -> Finding:
            return replace(judge(*args, **options), check=name.format(*args))

        return finding

    return named


def findings_table(title: str, findings: Sequence[Finding]) -> Table:
    """A table with a line for each finding; advice stands below what was found, to fit eighty columns."""
    rows = [(f.check, f.verdict.value, f.found + (f"\n→ {f.advice}" if f.advice else "")) for f in findings]
    return Table(title, ("check", "verdict", "what was found → what to do"), rows)
