"""Damaged schemas of FlatBuffers, Cap'n Proto and Thrift, and the imports that read them (see
mutations.py)."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path

from tests.mutations import damaged

from serbench.dataset.values import find_mismatch
from serbench.errors import SerbenchError
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.synthesis import synthesized

SCHEMAS = {
    "fbs": """include "inner.fbs"; namespace shop;
attribute "mine";
enum Color : byte { Red = 1, Green, Blue = 5 }
enum Flags : ushort (bit_flags) { Fragile, Gift = 7 }
union Paid { inner.Card, voucher: Voucher, text: string }
enum Zero : ulong { None }
struct Point { x:float; y:[ubyte:4]; c:Zero; }
table Voucher { code:string (key); }
table Order { id:ulong (id: 0); note:string (id: 1, mine: "x"); paid:Paid (id: 3);
was:Paid (id: 5, required); all:[Paid] (id: 7); at:Point (id: 8); lines:[Order] (id: 9);
raw:[ubyte] (id: 10, flexbuffer); n:int = null (id: 11); color:Color = Green (id: 12);
old:int (id: 13, deprecated); weight:float = 1.5 (id: 14); stock:[Stock] (id: 15);
good:bool = true (id: 16); }
table Stock { key:string (key); value:Flags = Gift; }
rpc_service Shop { Get(Order):Voucher; }
root_type Order; file_identifier "SHOP";
""",
    "capnp": """@0xa93fc509624c72d9; using Inner = import "inner.capnp";
annotation mark(field) :Text;
struct Order { id @0 :UInt64 = 7; note @1 :Text $mark("x"); raw @2 :Data = 0x"01";
lines @3 :List(Line) = [(count = 3)];
card @4 :Inner.Card; table @5 :List(List(Text)); count :union { unknown @6 :Void; known @7 :Int32; }
at :group { x @8 :Float32 = nan; y @9 :Float64 = inf; }
union { paid @10 :Bool; code @11 :Text; later :group { day @12 :Int8; } free @13 :Void; }
state @14 :State = closed; nothing @15 :Void; value @16 :Value; follows @17 :Order;
struct Line { count @0 :Int32; } const most :Int32 = 5; }
enum State { open @0; closed @1; } interface Shop { get @0 (); }
struct Value { union { none @0 :Void; number @1 :Float64; } }
struct Odd { any @0 :AnyPointer; pair @1 :Pair(Text, Order); }
struct Pair(A, B) { a @0 :A; b @1 :B; }
""",
    "thrift": """include "inner.thrift" namespace cpp shop
typedef i64 Id typedef list<inner.Card> Cards const i16 MOST = 5
enum Kind { NEW = 1, GIFT = 5 LATER }
union Paid { 1: inner.Card card; 3: string code = "c"; 2: Id id; } exception Refused { 1: string why }
struct Order { 1: required Id id, 20: optional string note = "none", 3: Cards cards (mark = "x"),
4: map<i8, list<set<i64>>> m, 5: binary raw, 6: Kind kind = Kind.GIFT, 7: Paid paid,
8: optional Order & follows, 9: byte small, 10: double weight = 1.5, 11: bool good = true,
12: i16 count = MOST, 13: list<i32> numbers = [1, 2], 14: map<inner.Card, i32> by_card, 15: Order before }
service Shop { Order get(1: Id id) throws (1: Refused refused) }
""",
}

INNER = {
    "fbs": "namespace inner; table Card { number:long = -1; }",
    "capnp": "@0xa93fc509624c72da; struct Card { number @0 :UInt64; }",
    "thrift": "struct Card { 1: i32 number }",
}

WORDS = {
    "fbs": """table struct enum union include namespace root_type attribute key required id: deprecated = null
        [ubyte] [Order] string ulong""",
    "capnp": """struct enum union group import embed using const :Void :List(Order) :AnyPointer :Pair
        @3 @65535 Text interface annotation""",
    "thrift": """struct enum union include typedef const map< list< set< i64 binary required optional
        exception service 32768: -5: Order""",
}

ANY_WORDS = (
    *(
        "{",
        "}",
        ";",
        ":",
        "=",
        '"',
        "'",
        "<",
        ">",
        "(",
        ")",
        "//",
        "/*",
        "#",
        "0",
        "-1",
        "65536",
        "1e999",
        "99999999999999999999",
    ),
    *(
        '"/etc/passwd"',
        '"../../../../../../../etc/passwd"',
        '"/../../../etc/passwd"',
        '"inner"',
        'include "/etc/passwd";',
        "Füße",
    ),
    *(
        '= import "/../../etc/passwd"',
        '= embed "/etc/passwd"',
        "\0",
        "x" * 70_000,
        "{ " * 5000,
        "(" * 5000,
        "list<" * 5000,
    ),
)


def words_mutant(language: str) -> Callable[[bytes, random.Random], bytes]:
    """A function that replaces, doubles or takes out words of a schema, or damages its bytes."""
    known = (*WORDS[language].split(), *ANY_WORDS)

    def mutant(data: bytes, draws: random.Random) -> bytes:
        if draws.random() < 0.2:
            return damaged(data, draws)
        words = re.findall(r"\w+|[^\w\s]|\s+", data.decode())
        names = [at for at, word in enumerate(words) if re.match(r"\w", word)]
        if draws.random() < 0.5:  # one name or number in place of another, which is often a schema too
            words[draws.choice(names)] = words[draws.choice(names)]
            return "".join(words).encode()
        for _ in range(draws.choice((1, 1, 1, 2, 4))):
            at = draws.randrange(len(words))
            words[at] = draws.choice((draws.choice(known), draws.choice(words), "", words[at] * 2))
        return "".join(words).encode()

    return mutant


class OfIdl:
    """A schema file, and a second one that it imports, to mutate.

    Attributes:
        file: the file that is mutated.
        mutant: makes a mutant of its bytes.
    """

    def __init__(self, folder: Path, language: str):
        self.mutant = words_mutant(language)
        self.language = language
        self.file = folder / f"given.{language}"
        self.file.write_text(SCHEMAS[language])
        (folder / f"inner.{language}").write_text(INNER[language])

    def attempts(self, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
        """The attempts on a mutant: its import, and drawing some messages of the imported schema."""
        yield "import", self._import

    def _import(self) -> None:
        try:
            imported = formats()[self.language].read(Request((self.file,), root="Order"))
        except SerbenchError as error:
            said = str(error).replace(str(self.file.parent), "")
            assert "root:" not in said and "serbench-" not in said, "what is outside of the schema's folder"
            raise
        schema = imported.schema("mutant")
        for _ in synthesized(schema.root, 2, 1):
            pass

    def clean(self) -> None:
        """Does nothing, since importing a mutant leaves nothing behind."""


class OfMessages(OfIdl):
    """Messages to mutate, of a schema that stays valid.

    Attributes:
        framings: the framings as which the import tries to read the messages.
    """

    def __init__(self, folder: Path, language: str, data: bytes, framings: Sequence[str]):
        super().__init__(folder, language)
        self.schema, self.framings, self.mutant = self.file, framings, damaged
        self.file = folder / "data.bin"
        self.file.write_bytes(data)
        module = import_module(f"serbench.imports.{language}")
        fixed = module.compiled(self.schema, [])
        setattr(module, "compiled", lambda file, folders: fixed)  # noqa: B010  # for the rest of this process

    def attempts(self, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
        for framing in self.framings:
            yield f"import {framing}", lambda framing=framing: self._read(framing)  # type: ignore[misc]

    def _read(self, framing: str) -> None:
        imported = formats()[self.language].read(Request((self.schema,), (self.file,), "Order", framing))
        root = imported.schema("mutant").root
        assert imported.values is not None
        for value in islice(imported.values(), 1000):
            assert find_mismatch(root, value) is None


def _capnp_messages(folder: Path) -> bytes:
    """The bytes of three messages in a row, which capnp encodes."""
    for name, text in (("given", SCHEMAS["capnp"]), ("inner", INNER["capnp"])):
        (folder / f"{name}.capnp").write_text(text)
    text = """(id = 3, note = "a", lines = [(count = 5), ()], table = [["a", ""], []],
    count = (known = 5), code = "x", state = closed, value = (number = 2.5),
    follows = (lines = [], later = (day = 3)))
    (lines = [])(lines = [], note = "b", paid = true, raw = "xyz")"""
    command = ["capnp", "convert", "text:binary", "given.capnp", "Order"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=folder).stdout


def _fbs_messages(folder: Path) -> bytes:
    """The bytes of two messages, which flatc encodes, each behind its size."""
    for name, text in (("given", SCHEMAS["fbs"]), ("inner", INNER["fbs"])):
        (folder / f"{name}.fbs").write_text(text)
    text = """{"id": 3, "note": "a", "was_type": "voucher", "was": {"code": "x"}, "all_type": ["voucher"],
    "all": [{"code": "y"}], "at": {"x": 1, "y": [1, 2, 3, 4], "c": 0},
    "lines": [{"was_type": "voucher", "was": {"code": "z"}}],
    "raw": [1, 2, 3], "n": 5, "stock": [{"key": "k", "value": 1}]}"""
    (folder / "data.json").write_text(text)
    subprocess.run(
        ["flatc", "-b", "--size-prefixed", "given.fbs", "data.json"],
        check=True,
        cwd=folder,
        capture_output=True,
    )
    return (folder / "data.bin").read_bytes() * 2


IDLS: dict[str, Callable[[Path], OfIdl]] = {
    "fbs_data": lambda folder: OfMessages(folder, "fbs", _fbs_messages(folder), ("prefixed", "one")),
    "capnp_data": lambda folder: OfMessages(folder, "capnp", _capnp_messages(folder), ("stream", "packed")),
    "fbs": lambda folder: OfIdl(folder, "fbs"),
    "capnp": lambda folder: OfIdl(folder, "capnp"),
    "thrift": lambda folder: OfIdl(folder, "thrift"),
}
