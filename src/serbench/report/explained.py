"""Explains an import before it is made: the mapping, the losses, and how libraries support it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from serbench.codecs.codec import Variant
from serbench.imports.base import Imported
from serbench.model import Record, Schema
from serbench.model.kinds import kinds_in
from serbench.report.table import Table

MOST_NAMES = 4
"""The most codecs that a cell of the table names; where there are more, the cell has their number."""


def explained(
    imported: Imported, file: str, variants: Iterable[Variant]
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Explain an import by tables, and by the same in plain values.

    Args:
        file: the name of the first file.
        variants: the codec variants that are asked whether they can do it.
    """
    variants = list(variants)
    tables, records = [], []
    for part in (_mapping(imported, file), _losses(imported), _made(imported.schema("imported"), variants)):
        tables += [part[0]] if part[0].rows else []
        records += part[1]
    return tables, records


def _mapping(imported: Imported, file: str) -> tuple[Table, list[dict[str, Any]]]:
    rows = [(each.path, each.theirs, each.ours, each.why) for each in imported.mapping]
    table = Table(f"{file} in the type model", ("theirs", "type", "becomes", "why"), rows)
    return table, [dict(zip(("path", "theirs", "ours", "why"), row, strict=True)) for row in rows]


def _losses(imported: Imported) -> tuple[Table, list[dict[str, Any]]]:
    losses = [(loss.path, loss.what) for loss in imported.losses]
    return Table("lost in the import", ("theirs", "what is lost"), losses), [
        {"path": path, "lost": what} for path, what in losses
    ]


def _made(schema: Schema, variants: list[Variant]) -> tuple[Table, list[dict[str, Any]]]:
    """How codecs express each kind of type; the notes name the codecs that cannot do the schema at all."""
    refused = {each.id: reason for each in variants if (reason := each.why_not(schema))}
    able = [each for each in variants if each.id not in refused]
    rows, records = [], []
    for kind, count in sorted(_counted(schema).items()):
        lowered = sorted({each.codec.id for each in able if each.is_lowered(kind)})
        of = len({each.codec.id for each in able})
        named = ", ".join(lowered) if len(lowered) <= MOST_NAMES else f"{len(lowered)} of {of} codecs"
        rows.append((kind, str(count), named))
        records.append({"kind": kind, "fields": count, "lowered": lowered})
    notes = [f"{codec} cannot: {reason}" for codec, reason in refused.items()]
    notes.append("how each maps it: [mapping] in its codec.toml, and docs/types-by-codec.md")
    headings = ("kind of type", "fields", "expressed by another type in")
    table = Table("how libraries support it", headings, rows, frozenset({1}), notes)
    return table, [*records, *({"codec": codec, "cannot": reason} for codec, reason in refused.items())]


def _counted(schema: Schema) -> Counter[str]:
    """How many fields and alternatives have each kind of type."""
    held = [
        part.type
        for composite in schema.composites
        for part in (composite.fields if isinstance(composite, Record) else composite.alternatives)
        if part.type is not None
    ]
    return Counter(kind for type in held for kind in dict.fromkeys(kinds_in(type)))
