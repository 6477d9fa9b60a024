"""The written names of fields, for libraries that are told of those that differ from the names in Python."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.codegen.source import Source
from serbench.languages.python.access import Access
from serbench.languages.python.code import wrapped


def write_names(out: Source, access: Access) -> None:
    """Adds the dict ``NAMES``: for each class that has such fields, their written names by their own."""
    classes = list(_names(access))
    if not classes:
        out("NAMES = {}")
        return
    with out.block("NAMES = {"):
        for record, names in classes:
            wrapped(out, f"domain.{record}: {{", [f'"{own}": {written}' for own, written in names], "},")


def has_names(access: Access) -> bool:
    return any(True for _ in _names(access))


def _names(access: Access) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for record in access.schema.records:
        names = [
            (part.name, access.quoted(record.name, part.name))
            for part in record.fields
            if access.written(record.name, part.name) != part.name
        ]
        if names:
            yield record.name, names
