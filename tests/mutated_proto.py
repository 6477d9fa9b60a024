"""Damaged Protocol Buffers schemas and data, and the import that reads them (see mutations.py)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from tests.mutations import Mutant, damaged, json_mutant
from tests.protobuf_messages import drawn, message_class, stream

import serbench.imports.protobuf as proto_module
from serbench.dataset.values import find_mismatch
from serbench.imports.base import Request
from serbench.imports.protobuf.compiler import compiled

SCHEMA = """
syntax = "proto2";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
message Order {
  required sint64 id = 7;
  optional string note = 2 [default = "none"];
  repeated Line lines = 3;
  map<string, fixed64> stock = 4;
  oneof paid { Card card = 5; bytes cash = 6; }
  optional Status status = 9 [default = PAID];
  optional google.protobuf.Timestamp at = 10;
  optional google.protobuf.Struct more = 11;
  optional Order follows = 12;
  optional group Old = 13 { repeated double numbers = 1 [packed = true]; }
  message Line { optional int32 count = 1; repeated sfixed32 sizes = 2; }
  reserved 20 to 30;
  extensions 100 to 199;
}
message Card {}
enum Status { option allow_alias = true; UNKNOWN = 0; PAID = 5; SETTLED = 5; }
extend Order { optional string label = 100; }
"""

DOCUMENT = b"""{"id": "-4", "note": "n", "lines": [{"count": 3, "sizes": [1, -2]}, {}],
"stock": {"a": "18446744073709551615"}, "cash": "AAEC", "status": "PAID", "at": "2024-02-29T12:00:00.5Z",
"more": {"x": [null, 1.5, {"y": "z"}]}, "follows": {"id": 1, "card": {}}, "old": {"numbers": ["NaN", 2]}}"""

WORDS = (
    *(
        "message",
        "repeated",
        "required",
        "map",
        "oneof",
        "group",
        "extend",
        "enum",
        "option",
        "import",
        "syntax",
        "edition",
        "stream",
    ),
    *(
        "{",
        "}",
        ";",
        "=",
        '"',
        "<",
        ">",
        "//",
        "/*",
        "0",
        "-1",
        "19000",
        "536870912",
        "1e999",
        "99999999999999999999",
        "max",
    ),
    *(
        '"/etc/passwd"',
        '"given.proto"',
        '"proto3"',
        '"2023"',
        "Order",
        "Line",
        "shop.v1.Order",
        "google.protobuf.Any",
        "string",
    ),
    *(
        "Füße",
        "\0",
        "x" * 70_000,
        "message A { " * 500,
        "[packed = true]",
        "[default = 3]",
        "[lazy = true]",
        "optional",
    ),
)


def words_mutant(data: bytes, draws: random.Random) -> bytes:
    """A schema of which words are replaced, doubled or taken out, or whose bytes are damaged."""
    if draws.random() < 0.2:
        return damaged(data, draws)
    words = re.findall(r"\w+|[^\w\s]|\s+", data.decode())
    for _ in range(draws.choice((1, 1, 1, 2, 4))):
        at = draws.randrange(len(words))
        words[at] = draws.choice((draws.choice(WORDS), draws.choice(words), "", words[at] * 2))
    return "".join(words).encode()


class OfProto:
    """A schema and data of that schema, to mutate.

    Attributes:
        file: the file that is mutated.
        mutant: makes a mutant of its bytes.
    """

    def __init__(self, folder: Path, name: str, mutant: Mutant, framings: tuple[str, ...] = ("delimited",)):
        self.mutant = mutant
        self.framings = framings
        self.schema = folder / "given.proto"
        self.schema.write_text(SCHEMA)
        cls = message_class(self.schema, "shop.v1.Order")
        messages = [drawn(cls, random.Random(n)) for n in range(4)]
        self.data = folder / "data.bin"
        _write(self.data, messages)
        if name == "given.binpb":
            self.schema = folder / name
            self.schema.write_bytes(
                FileDescriptorSet(file=compiled([folder / "given.proto"], []).files).SerializeToString()
            )
        elif name != "given.proto":
            self.data = folder / name
            _write(self.data, messages)
            fixed = compiled([self.schema], [])
            setattr(proto_module, "compiled", lambda schemas, folders: fixed)  # noqa: B010  # for the rest of this process
        self.file = folder / name

    def attempts(self, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
        """The attempts on a mutant: its import, and reading every value."""
        for framing in self.framings:
            yield f"import {framing}", lambda framing=framing: self._import(framing)  # type: ignore[misc]

    def _import(self, framing: str) -> None:
        request = Request((self.schema,), (self.data,), root="shop.v1.Order", framing=framing)
        imported = proto_module.read(request)
        root = imported.schema("mutant").root
        assert imported.values is not None
        for value in imported.values():
            assert find_mismatch(root, value) is None

    def clean(self) -> None:
        """Does nothing, since importing a mutant leaves nothing behind."""


def _write(file: Path, messages: list[Any]) -> None:
    """Writes messages to a file: as a stream of binary messages, as one message in text format, or as a JSON
    document."""
    match file.suffix:
        case ".json":
            file.write_bytes(DOCUMENT)
        case ".txtpb":
            file.write_text(text_format.MessageToString(messages[0]))
        case _:
            file.write_bytes(stream(messages))


PROTO: dict[str, Callable[[Path], OfProto]] = {
    "proto": lambda folder: OfProto(folder, "given.proto", words_mutant),
    "proto_set": lambda folder: OfProto(folder, "given.binpb", damaged),
    "proto_data": lambda folder: OfProto(folder, "data.bin", damaged, ("delimited", "one")),
    "proto_json": lambda folder: OfProto(folder, "data.json", json_mutant, ("json", "json-lines")),
    "proto_text": lambda folder: OfProto(folder, "data.txtpb", damaged, ("text",)),
}
