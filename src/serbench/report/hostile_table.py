"""The table of what hostile messages did to each codec, with notes on what to declare or fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from serbench.codecs.codec import HARMS
from serbench.measure.unit import Unit
from serbench.report.numbers import count
from serbench.report.table import Table
from serbench.verification.hostile import HARM, HarmFound, Withstood

LONGEST_SHOWN = 16
"""Bytes of a message that are shown in hexadecimal."""

_HEADINGS = ("codec", "inputs", "accepted", "refused", "crashed", "hung", "over 1 GiB", "smallest input")
_NUMERIC = frozenset(range(1, 7))

Result = tuple[Unit, Withstood | None]
"""A unit with how it withstood the messages; None where it was fed no message, for its ``reason``."""


def hostile_table(workload: str, results: Sequence[Result]) -> Table:
    """The table of what hostile messages of one workload did to each codec."""
    rows = [_row(unit, found) for unit, found in results]
    table = Table(f"{workload}: hostile messages", _HEADINGS, rows, _NUMERIC)
    table.notes += _notes(results)
    return table


def _notes(results: Sequence[Result]) -> Iterator[str]:
    fed = [(unit, found) for unit, found in results if found]
    for unit, found in fed:
        yield from _undeclared(unit, found)
    yield from (f"{u.name}: {u.status.replace('_', ' ')}: {u.reason}" for u, found in results if not found)
    if declared := {unit.name: unit.variant.hostile for unit, _ in fed if unit.variant.hostile}:
        told = "; ".join(f"{name}: {', '.join(harms)}" for name, harms in declared.items())
        yield f"Known properties of these libraries, declared in codec.toml: {told}."
    for unit, found in fed:
        if unseen := found.not_seen(unit):
            yield f"{unit.name}: declared, but these messages did not cause it: {', '.join(unseen)}."
        if found.unconfirmed:
            yield (
                f"{unit.name}: {count(found.unconfirmed)} message{'s' if found.unconfirmed != 1 else ''} did "
                "harm in a batch but not when fed alone, which is not counted."
            )
    for unit, found in fed:
        for each in found.findings:
            yield f"{unit.name}, {each.harm}: {each.reason}; to reproduce: {each.command}"


def record_of(unit: Unit, found: Withstood | None) -> dict[str, Any]:
    """A unit's result in plain values, for ``--format json``."""
    record: dict[str, Any] = {**unit.identity.fields, "status": unit.status, "reason": unit.reason}
    record["declared"] = None if unit.variant.hostile is None else list(unit.variant.hostile)
    if found is None:
        return record
    return record | {
        "inputs": found.fed,
        "accepted": found.accepted,
        "refused": found.refused,
        **{str(harm): found.counts[harm] for harm in HARM},
        "undeclared": found.undeclared(unit),
        "unconfirmed": found.unconfirmed,
        "smallest": {
            each.harm: {
                "bytes": len(each.message),
                "hex": each.message.hex(),
                "reason": each.reason,
                "file": str(each.file),
                "again": each.command,
            }
            for each in found.findings
        },
    }


def _row(unit: Unit, found: Withstood | None) -> Sequence[str]:
    if found is None:
        return (unit.name, unit.status.replace("_", " "), *[""] * (len(_HEADINGS) - 2))
    numbers = (found.fed, found.accepted, found.refused, *(found.counts[harm] for harm in HARM))
    return (unit.name, *map(count, numbers), "\n".join(map(_shown, found.findings)))


def _shown(finding: HarmFound) -> str:
    size = len(finding.message)
    shown = f": {finding.message.hex(' ')}" if 0 < size <= LONGEST_SHOWN else ""
    return f"{finding.harm}: {count(size)} byte{'s' if size != 1 else ''}{shown}"


def _undeclared(unit: Unit, found: Withstood) -> Iterator[str]:
    """A note on what to do about harm that is not declared."""
    if harms := found.undeclared(unit):
        meant = "; ".join(f"{harm}: {HARMS[harm]}" for harm in harms)
        known = unit.variant.hostile or ()
        words = ", ".join(f'"{harm}"' for harm in HARM if harm in harms or harm in known)
        yield (
            f"{unit.name} does undeclared harm ({meant}). If the adapter or generated code causes it, fix "
            f"that; if the library does, declare it with hostile = [{words}] in "
            f"{unit.variant.codec.directory / 'codec.toml'}."
        )
