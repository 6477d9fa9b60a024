"""Messages of protobuf's library for tests of imports: random messages of any schema, and messages of the
schema that serbench writes for its codecs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from google.protobuf.message_factory import GetMessageClass

from serbench.idl.lower import Lowered
from serbench.idl.proto import lowered, text
from serbench.imports.protobuf.compiler import compiled
from serbench.imports.protobuf.descriptors import entry
from serbench.imports.protobuf.scalars import KINDS, SCALARS
from serbench.model import List, Map, Optional, Record, Ref, Schema, Type, Union
from serbench.model.parts import resolved


def message_class(file: Path, name: str, folders: Iterable[Path] = ()) -> Any:
    """The class of a message, as protobuf's library makes it from a schema file."""
    pool = DescriptorPool()
    for each in compiled([file], list(folders)).files:
        pool.Add(each)
    return GetMessageClass(pool.FindMessageTypeByName(name))


def stream(messages: Iterable[Any]) -> bytes:
    """The bytes of several messages in a row, each behind its length."""
    written = (each.SerializeToString(deterministic=True) for each in messages)
    return b"".join(_VarintBytes(len(data)) + data for data in written)


def drawn(cls: Any, draws: random.Random) -> Any:
    """A random message with values of every magnitude; required fields are always set."""
    message = cls()
    _draw(message, cls.DESCRIPTOR, draws, 3)
    return message


def _draw(message: Any, declared: Descriptor, draws: random.Random, depth: int) -> None:
    for field in declared.fields:
        if field.is_required or draws.random() < 0.6:
            _draw_field(message, field, draws, depth)


def _draw_field(message: Any, field: FieldDescriptor, draws: random.Random, depth: int) -> None:
    count = draws.choice((0, 1, 3))
    held = getattr(message, field.name)
    if pair := entry(field):
        for _ in range(count):
            key = _scalar(pair[0], draws)
            if pair[1].message_type is None:
                held[key] = _scalar(pair[1], draws)
            elif depth:
                held[key].SetInParent()
                _draw(held[key], pair[1].message_type, draws, depth - 1)
    elif field.message_type is not None:
        if depth or field.is_required:
            for each in [held.add() for _ in range(count)] if field.is_repeated else [held]:
                each.SetInParent()
                _draw(each, field.message_type, draws, depth - 1)
    elif field.is_repeated:
        held.extend(_scalar(field, draws) for _ in range(count))
    else:
        setattr(message, field.name, _scalar(field, draws))


def _scalar(field: FieldDescriptor, draws: random.Random) -> Any:
    if field.enum_type is not None:
        return draws.choice(field.enum_type.values).number
    name = SCALARS[KINDS[field.type]].name
    match name:
        case "bool":
            return draws.random() < 0.5
        case "f32" | "f64":
            return draws.choice((0.0, -0.0, 1.5, -(2.0**100), float("inf")))
        case "string":
            return draws.choice(("", "plain", "käse \U0001f600"))
        case "bytes":
            return draws.randbytes(draws.choice((0, 1, 200)))
    low, high = SCALARS[KINDS[field.type]].bounds
    return draws.choice((0, low, high, draws.randint(low, high) >> draws.randrange(60)))


class Emitted:
    """Messages of the ``.proto`` that serbench writes for a schema."""

    def __init__(self, schema: Schema, folder: Path, syntax: str = "proto3"):
        self.types: Lowered = lowered(schema, syntax)
        self.text = text(self.types, syntax)
        file = folder / f"emitted_{syntax}.proto"
        file.write_text(self.text)
        self.root = self.types.record(self.types.schema.root.name)
        self.cls = message_class(file, f"serbench.pb.{self.root.name}")

    def bytes_of(self, value: Any) -> bytes:
        """The Protocol Buffers encoding of a value of the root."""
        message = self.cls()
        self._fill(message, self.root, value)
        written: bytes = message.SerializeToString(deterministic=True)
        return written

    def _fill(self, message: Any, low: Type, value: Any) -> None:
        low = resolved(low)
        assert isinstance(low, Record)
        message.SetInParent()
        for field, each in zip(low.fields, value, strict=True):
            self._put(message, field.name, field.type, each)

    def _put(self, message: Any, name: str, type: Type, value: Any) -> None:
        match type:
            case Optional(Union(union, alternatives)) if value is not None:
                assert union in self.types.in_place
                chosen = alternatives[value[0]]
                assert chosen.type is not None
                self._put(message, chosen.name, chosen.type, value[1])
            case Optional(item):
                if value is not None:
                    self._put(message, name, item, value)
            case List(Record() | Ref() as item):
                for each in value:
                    self._fill(getattr(message, name).add(), item, each)
            case List():
                getattr(message, name).extend(value)
            case Map(_, Record() | Ref() as item):
                for key, each in value.items():
                    self._fill(getattr(message, name)[key], item, each)
            case Map():
                getattr(message, name).update(value)
            case Record() | Ref():
                self._fill(getattr(message, name), type, value)
            case _:
                setattr(message, name, value)
