"""Gives readers the writer's schema beside its bytes, where the codec's library reads with both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from serbench.measure.process import option_words
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.verification.evolution import Evolved, Way, evolve


def evolved(way: Way, workload: str, change: str, paths: Paths, folder: Path) -> Iterator[Evolved]:
    """Yield the outcome of a way between two schemas. Where the codec's library reads with the writer's
    schema, that is its outcome with it, and the outcome without it follows; what is lost without it is no
    loss, since nobody reads so.

    Args:
        folder: takes the files with writers' schemas.
    """
    for has_schema, each in as_read(way, folder).items():
        found = replace(evolve(each, workload, change, paths), writer_schema=has_schema)
        yield replace(found, is_loss=False) if has_schema is False else found


def as_read(way: Way, folder: Path) -> dict[bool | None, Way]:
    """The way as it is, by None, where its library does not read with the writer's schema. Where it does, the
    way by whether each program that reads has that. A relay writes by its own schema."""
    if not takes_writer_schema(way.reader):
        return {None: way}
    if way.relay is None:
        return {True: replace(way, reader=given(way.reader, way.writer, folder)), False: way}
    relay = replace(way.relay, unit=given(way.relay.unit, way.writer, folder))
    return {True: replace(way, reader=given(way.reader, way.relay.unit, folder), relay=relay), False: way}


def takes_writer_schema(unit: Unit) -> bool:
    """Whether the unit's library reads with the schema of the writer beside its own."""
    return bool(unit.variant.codec.writer_schema)


def given(reader: Unit, writer: Unit, folder: Path) -> Unit:
    """Return the reader with a command that hands it the schema by which the writer writes, in a file in
    ``folder``; the reader itself where its library takes none.

    Raises:
        FileError: the codec's ``glue.py`` cannot write the schema.
    """
    if not takes_writer_schema(reader):
        return reader
    file = folder / f"{writer.spec.workload.schema.digest()[:16]}.schema"
    file.write_text(writer.variant.codec.written_schema(writer.spec.workload.schema))
    return replace(reader, command=(*reader.command, *option_words(writer_schema=file)))
