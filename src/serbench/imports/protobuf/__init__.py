"""Imports Protocol Buffers: schemas (``.proto``, or compiled by protoc), and data in all of its forms.

protoc and protobuf's library do all the reading. serbench's codecs for Protocol Buffers write messages that
were read from bytes as the same bytes, except for losses that the user is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message_factory import GetMessageClass

from serbench.imports.base import Format, Imported, Loss, Request
from serbench.imports.protobuf.compiler import SETS, beginning, compiled
from serbench.imports.protobuf.data import (
    FRAMINGS,
    check_some_known,
    framed,
    look_for_unknown,
    messages,
)
from serbench.imports.protobuf.descriptors import Descriptors, chosen_root, loaded
from serbench.imports.protobuf.mapping import TypeMapping
from serbench.imports.protobuf.unknown import Unknown
from serbench.imports.protobuf.values import Values
from serbench.imports.protobuf.wellknown import TypeSettings


def read(request: Request) -> Imported:
    """Imports a schema and data, as ``Format.read`` does. Data are read once to find parts that the schema
    does not have, and again for their values."""
    file = request.files[0]
    types = loaded(compiled(request.files, request.folders), file)
    root = chosen_root(types, request.root, file)
    settings = TypeSettings(request.settings, types, file)
    mapping = TypeMapping(types, settings, root, file)
    settings.check_all_met()
    imported = mapping.imported(root.full_name)
    data, notes = framed(request.data, request.framing, GetMessageClass(root), types.pool)
    losses = [*imported.losses, *_unknown(data, root, types)]
    values = partial(_values, data, Values(types, settings, root), root, types) if data else None
    return replace(imported, losses=losses, values=values, notes=notes)


def _unknown(data: list[tuple[Path, str]], root: Descriptor, types: Descriptors) -> Iterator[Loss]:
    """The losses for fields that the schema does not have; raises InputError if data have no other fields."""
    unknown = Unknown(root.full_name)
    for each in messages(data, GetMessageClass(root), types.pool):
        look_for_unknown(unknown, each)
    check_some_known(unknown, [file for file, _ in data])
    yield from unknown.losses()


def _values(
    data: list[tuple[Path, str]], values: Values, root: Descriptor, types: Descriptors
) -> Iterator[Any]:
    for each in messages(data, GetMessageClass(root), types.pool):
        with each.looked_at(root.full_name):
            value = values.of(each.message)
        yield value


FORMAT = Format(
    name="proto",
    title="Protocol Buffers",
    suffixes=(".proto", *SETS),
    read=read,
    framings=FRAMINGS,
    beginning=beginning,
)
