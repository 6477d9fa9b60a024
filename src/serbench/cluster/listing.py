"""The table of a cluster's machines: what each is, and what ``doctor`` finds there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from serbench.cluster.kinds import ClusterMachine
from serbench.report.table import Table
from serbench.system.finding import Meaning

_GIB = 1 << 30


def machines_found(members: Sequence[ClusterMachine]) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of these machines, and a record of each in plain values, for ``--format json``."""
    rows = [
        (
            member.name,
            member.kind,
            member.announced.machine.processor_in_words,
            _cores(member),
            _memory(member),
            _doubts(member),
        )
        for member in members
    ]
    headings = ("machine", "kind", "processor", "cores", "memory", "doctor minds")
    records = [
        {"machine": member.name, "kind": member.kind, "address": member.address}
        | msgspec.to_builtins(member.announced)
        for member in members
    ]
    return Table("machines", headings, rows, frozenset({3, 4})), records


def _cores(member: ClusterMachine) -> str:
    """Return, in words, how many of the machine's cores the worker may use, and its quota if it has one."""
    own, all = len(member.announced.cores), member.announced.machine.cores
    quota = "" if member.announced.quota is None else f", quota {member.announced.quota:g}"
    return (f"{own} of {all}" if own and own != all else str(all or "–")) + quota


def _memory(member: ClusterMachine) -> str:
    memory = member.announced.machine.memory_bytes
    return f"{memory / _GIB:.0f} GiB" if memory else "–"


def _doubts(member: ClusterMachine) -> str:
    """Return the names of the checks by ``doctor`` that found a problem on a machine, the bad ones first."""
    bad, mind = (
        [found.check for found in member.announced.findings if found.verdict == verdict.value]
        for verdict in (Meaning.bad, Meaning.mind)
    )
    return "; ".join(filter(None, ["bad: " * bool(bad) + ", ".join(bad), ", ".join(mind)])) or "nothing"
