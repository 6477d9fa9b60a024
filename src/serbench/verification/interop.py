"""Checks whether codecs that share a format read each other's bytes: every writer with every reader, in
separate processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from serbench.codecs.codec import Variant
from serbench.codecs.laid_out import why_unread
from serbench.dataset.cache import edge_dataset_for
from serbench.dataset.file import Dataset
from serbench.dataset.values import Limits
from serbench.errors import SerbenchError, reason_of
from serbench.measure.differences import find_difference
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.support import limits_of
from serbench.verification.contract import ask, describe, encode
from serbench.verification.writers import given as with_schema

T = TypeVar("T")

CANONICAL_FORMATS = frozenset({"canonical"})
"""Formats in which a value has exactly one encoding, so that two writers must produce the same bytes."""


@dataclass(frozen=True)
class Exchange:
    """The result of one codec reading the bytes of another.

    Attributes:
        same_bytes: whether the reader's codec writes the same bytes; None where that was not tried.
        reason: why the reader did not get the values that were written, or why that was not tried; empty
            where it got them.
        failed: whether ``reason`` is a fault; a declared difference of layout is none.
    """

    format: str
    workload: str
    writer: str
    reader: str
    same_bytes: bool | None = None
    reason: str = ""
    failed: bool = False


def shared_formats(units: Sequence[Unit]) -> dict[str, list[Unit]]:
    """Return the units that were built, by format; only formats that several codecs have."""
    return by_shared_format([unit for unit in units if unit.status == "ok"], lambda unit: unit.variant)


def by_shared_format(every: Sequence[T], variant_of: Callable[[T], Variant]) -> dict[str, list[T]]:
    """Return variants, or what belongs to them, by format; only formats that several codecs have."""
    by_format: dict[str, list[T]] = {}
    for each in sorted(every, key=lambda each: variant_of(each).format):
        by_format.setdefault(variant_of(each).format, []).append(each)
    return {
        key: group
        for key, group in by_format.items()
        if len({variant_of(each).codec.id for each in group}) > 1
    }


EdgeValues = Callable[[Unit, Unit], Dataset]
"""A function that returns the edge values that both of two units support."""


def edge_values_of_both(paths: Paths) -> EdgeValues:
    """Return a function that gives the edge values which two units both support, each dataset read once."""
    read: dict[tuple[str, Limits], Dataset] = {}

    def of_both(one: Unit, other: Unit) -> Dataset:
        schema = one.spec.workload.schema
        limits = limits_of(one.variant, schema).and_those(limits_of(other.variant, schema))
        if (one.spec.id, limits) not in read:
            read[one.spec.id, limits] = edge_dataset_for(one.spec, paths, limits)
        return read[one.spec.id, limits]

    return of_both


def exchange_all(units: Sequence[Unit], edges: EdgeValues, step: Callable[[str], None]) -> list[Exchange]:
    """Have every unit read the bytes of every other; all units share a workload and a format. A codec's
    failure is a result and raises nothing."""
    pairs = [(writer, reader) for writer in units for reader in units if writer is not reader]
    given = {unit.name: {unit.data.sha256: unit.data} for unit in units}
    for writer, reader in pairs:
        if not _why_unread(writer, reader):
            both = edges(writer, reader)
            given[writer.name][both.sha256] = both
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        written = {}
        for n, unit in enumerate(units):
            step(f"{unit.name} writes")
            written[unit.name] = _write(unit, given[unit.name], Path(folder) / str(n))
        results = []
        for writer, reader in pairs:
            step(f"{writer.name} → {reader.name}")
            results.append(_exchange(writer, reader, edges, written, Path(folder)))
        return results


def exchange_parts(
    writers: Sequence[Unit], readers: Sequence[Unit], step: Callable[[str], None]
) -> list[Exchange]:
    """Have each unit that reads a part of messages read it in those of the other codecs' programs of the
    whole schema. A codec's failure is a result and raises nothing."""
    results = []
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        for n, writer in enumerate(writers):
            step(f"{writer.name} writes")
            source = _write(writer, {writer.data.sha256: writer.data}, folder / str(n))
            for reader in readers:
                if reader.name != writer.name:
                    step(f"{writer.name} → {reader.name}")
                    results.append(_part(writer, reader, source, folder))
    return results


def _part(writer: Unit, reader: Unit, source: Written, folder: Path) -> Exchange:
    who = (writer.variant.format, reader.spec.id, writer.name, reader.name)
    if source.reason or (unread := _why_unread(writer, reader)):
        return Exchange(*who, reason=source.reason or unread or "", failed=source.failed)
    try:
        reading = with_schema(reader, writer, folder)
        encoded = source.files[writer.data.sha256]
        difference = _read(writer, reading, encoded, reader.data, folder / "decoded")
        return Exchange(*who, reason=difference or "", failed=bool(difference))
    except (SerbenchError, OSError) as error:
        return Exchange(*who, reason=reason_of(error, writer.data.is_private), failed=True)


def _why_unread(writer: Unit, reader: Unit) -> str | None:
    """Return how the layouts of the writer and the reader differ, in words; None where they do not, or where
    they differ only in what the reader does not read."""
    schema = reader.spec.workload.schema
    return why_unread(writer.variant.laid_out(schema), reader.variant.laid_out(schema))


@dataclass(frozen=True)
class Written:
    """The files that one writer encoded, by the digest of the dataset; or why it failed."""

    files: Mapping[str, Path]
    reason: str = ""
    failed: bool = False


def _write(unit: Unit, given: Mapping[str, Dataset], folder: Path) -> Written:
    files = {digest: folder / digest for digest in given}
    folder.mkdir()
    try:
        if "encode" not in describe(unit).operations:
            return Written(files, reason="does not write")
        for digest, dataset in given.items():
            encode(unit, dataset, "reuse", files[digest])
    except (SerbenchError, OSError) as error:
        return Written(files, reason=reason_of(error, unit.data.is_private), failed=True)
    return Written(files)


def _exchange(
    writer: Unit, reader: Unit, edges: EdgeValues, written: Mapping[str, Written], folder: Path
) -> Exchange:
    who = (writer.variant.format, writer.spec.id, writer.name, reader.name)
    source, own = written[writer.name], written[reader.name]
    if source.reason:
        return Exchange(*who, reason=source.reason, failed=source.failed)
    if unread := _why_unread(writer, reader):
        return Exchange(*who, reason=unread)
    try:
        for dataset in (edges(writer, reader), writer.data):
            difference = _read(writer, reader, source.files[dataset.sha256], dataset, folder / "decoded")
            if difference:
                return Exchange(*who, reason=difference, failed=True)
    except (SerbenchError, OSError) as error:
        return Exchange(*who, reason=reason_of(error, writer.data.is_private), failed=True)
    of_data = writer.data.sha256
    same = None if own.reason else source.files[of_data].read_bytes() == own.files[of_data].read_bytes()
    if same is False and writer.variant.format in CANONICAL_FORMATS:
        return Exchange(
            *who, same, "the bytes differ, and the format has one encoding for a value", failed=True
        )
    return Exchange(*who, same)


def _read(writer: Unit, reader: Unit, encoded: Path, dataset: Dataset, decoded: Path) -> str | None:
    """Return the first difference between the values that the reader decodes and those that were written;
    None if there is none."""
    decoded.unlink(missing_ok=True)  # an earlier reader's output must not pass for this one's
    ask(reader, "decoded", "decode", operation="decode", memory="reuse", encoded=encoded, out=decoded)
    tolerance = writer.variant.tolerance.either(reader.variant.tolerance)
    return find_difference(dataset, decoded.read_bytes(), tolerance)
