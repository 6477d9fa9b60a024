"""The faults that sanitizers reported, by workload and codec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from serbench.codecs.codec import KnownFault
from serbench.report.table import Table
from serbench.verification.sanitize import ReportedFault, Sanitized


def sanitize_tables(found: Sequence[Sanitized]) -> list[Table]:
    """One table for each workload: a row for each fault of a codec, or why there is none."""
    workloads = dict.fromkeys(each.unit.spec.id for each in found)
    return [
        _table(workload, [each for each in found if each.unit.spec.id == workload]) for workload in workloads
    ]


def record_of(found: Sanitized) -> dict[str, Any]:
    """A unit's faults in plain values, for ``--format json``."""
    return {
        **found.unit.identity.fields,
        "status": found.status,
        "reason": found.unit.reason or found.failure,
        "faults": [
            {
                **asdict(each.fault),
                "place": each.fault.place,
                "processes": each.processes,
                "declared": each.known.reason if each.known else None,
            }
            for each in found.told
        ],
    }


def _table(workload: str, found: Sequence[Sanitized]) -> Table:
    rows: list[tuple[str, ...]] = []
    for each in found:
        first = (each.unit.name, each.status.replace("_", " "))
        reason = each.unit.reason or each.failure
        own = [(reason, "", "", "")] if reason else []
        own += [_told(told) for told in each.told if not told.known]
        own += [
            _declared(known, each.told)
            for known in dict.fromkeys(told.known for told in each.told if told.known)
        ]
        for n, cells in enumerate(own or [("none", "", "", "")]):
            rows.append((*(first if n == 0 else ("", "")), *cells))
    notes = []
    if any(told.known is None and not told.fault.is_ours for each in found for told in each.told):
        notes.append(
            "Once you know that a fault is the library's and not the adapter's, declare it in codec.toml: "
            "faults = [{ kind, place, seen, reason }], see docs/add-a-codec.md."
        )
    return Table(
        f"{workload}: faults found by sanitizers",
        ("codec", "status", "fault", "place", "whose", "processes"),
        rows,
        frozenset({5}),
        notes,
    )


def _told(told: ReportedFault) -> tuple[str, str, str, str]:
    return (
        told.fault.kind,
        told.fault.place,
        "ours" if told.fault.is_ours else "the library's",
        str(told.processes),
    )


def _declared(known: KnownFault, told: Sequence[ReportedFault]) -> tuple[str, str, str, str]:
    """One row for all faults that one declaration covers."""
    own = [each for each in told if each.known == known]
    place = own[0].fault.place if len(own) == 1 else f"{len(own)} places in {known.place}"
    return (
        known.kind,
        place,
        f"the library's, declared: {known.reason}",
        str(max(each.processes for each in own)),
    )
