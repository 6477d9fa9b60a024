"""The rules that the documents of Protocol Buffers state for messages whose schema changes."""

from __future__ import annotations

from tests.promises import JSON_FORM, Difference, Document, Rule, holds

from serbench.idl.oneofs import HINT
from serbench.model import (
    Alternative,
    Enum,
    Field,
    Gone,
    List,
    Map,
    Optional,
    Record,
    Type,
    Union,
    bool_,
    bytes_,
    i32,
    i64,
    string,
    u32,
    u64,
)

BEYOND = (1 << 32) + 5
"""A number that does not fit 32 bits, and whose last 32 bits are 5."""


def one(name: str, type: Type, *, as_: str = "") -> Record:
    """A record with one field ``a``; ``as_`` is the word by which the schema writes its number."""
    return Record(name, [Field("a", type, hints=[("proto", as_)] if as_ else [])])


def level(*members: str) -> Enum:
    """An enum that keeps numbers without a name, as all enums of proto3 do."""
    return Enum(f"Level{len(members)}", i32, members, open=True)


def oneof(name: str, *alternatives: Alternative) -> Field:
    """A oneof that lies in its message, as users write it."""
    return Field(name, Optional(Union(name.title(), alternatives)), 1, hints=[HINT])


TEXT, COUNT, OTHER = Alternative("a", string, 1), Alternative("b", u32, 2), Alternative("c", string, 3)
INNER = holds("Inner", x=u32, y=string)
PAIR = holds("Pair", key=string, value=u32)

RULES = [
    Rule(
        "add_field",
        "A field is added: old messages have its default, old readers ignore it",
        holds("AddField", a=u32),
        "add=b:string=",
        [((7,), (7, ""))],
        [((7, "new"), (7,))],
    ),
    Rule(
        "remove_field",
        "A field is removed and its number is reserved",
        holds("RemoveField", a=u32, b=string),
        "drop=b",
        [((7, "old"), (7,))],
        [((7,), (7, ""))],
    ),
    Rule(
        "rename_field",
        "A field gets another name, since numbers identify fields",
        holds("RenameField", a=u32, b=string),
        "rename=b:c",
        [((7, "same"), (7, "same"))],
        [((7, "same"), (7, "same"))],
    ),
    Rule(
        "renumber_field",
        "A field gets another number, which is to remove it and add another one",
        holds("RenumberField", a=u32, b=string),
        "renumber=b:9",
        [((7, "lost"), (7, "lost"))],
        [((7, "lost"), (7, "lost"))],
        ("defaults", "defaults"),
    ),
    Rule(
        "reuse_number",
        "The number of a removed field is given to another field: not safe",
        holds("ReuseNumber", a=u32, b=u32),
        Record("ReuseNumber", [Field("a", u32), Field("c", u32, 2)]),
        [((7, 60), (7, 0))],
        [((7, 60), (7, 0))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "reuse_number_other_type",
        "The same, where the other field's type is another one: not safe",
        holds("ReuseOther", a=u32, b=u32),
        Record("ReuseOther", [Field("a", u32), Field("c", string, 2)]),
        [((7, 60), (7, ""))],
        [((7, "new"), (7, 0))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "reuse_name",
        "The name of a removed field is given to another one, with another number and type",
        holds("ReuseName", a=u32, b=u32),
        Record("ReuseName", [Field("a", u32), Field("b", string, 3)], gone=[Gone(number=2, place=1)]),
        [((7, 60), (7, ""))],
        [((7, "new"), (7, 0))],
    ),
    Rule(
        "int32_int64",
        "int32 becomes int64; numbers that fit",
        one("Wider", i32),
        one("Wider", i64),
        [((n,), (n,)) for n in (0, -1, 2**31 - 1, -(2**31))],
        [((n,), (n,)) for n in (0, -1, 2**31 - 1, -(2**31))],
    ),
    Rule(
        "int64_truncated",
        "A number that does not fit is cut as a cast in C++ cuts it",
        one("Narrower", i64),
        one("Narrower", i32),
        [((BEYOND,), (5,)), ((-BEYOND,), (-5,))],
        [((-5,), (-5,))],
    ),
    Rule(
        "uint64_truncated",
        "The same for uint64 and uint32",
        one("NarrowerUnsigned", u64),
        one("NarrowerUnsigned", u32),
        [((BEYOND,), (5,))],
        [((5,), (5,))],
    ),
    Rule(
        "uint32_int32",
        "uint32 becomes int32, as a cast in C++ does it",
        one("Sign", u32),
        one("Sign", i32),
        [((5,), (5,)), ((2**32 - 1,), (-1,))],
        [((5,), (5,)), ((-1,), (2**32 - 1,))],
    ),
    Rule(
        "int32_bool",
        "int32 becomes bool, as a cast in C++ does it",
        one("Truth", i32),
        one("Truth", bool_),
        [((0,), (False,)), ((1,), (True,)), ((2,), (True,)), ((-1,), (True,))],
        [((False,), (0,)), ((True,), (1,))],
    ),
    Rule(
        "uint64_bool",
        "uint64 becomes bool; numbers whose last 32 bits are zero are true, too",
        one("LargeTruth", u64),
        one("LargeTruth", bool_),
        [((1 << 32,), (True,)), ((1 << 63,), (True,))],
        [((True,), (1,))],
    ),
    Rule(
        "sint32_sint64",
        "sint32 becomes sint64",
        one("Zigzag", i32, as_="sint32"),
        one("Zigzag", i64, as_="sint64"),
        [((n,), (n,)) for n in (0, -1, 2**31 - 1)],
        [((n,), (n,)) for n in (0, -1, 2**31 - 1)],
    ),
    Rule(
        "sint32_int32",
        "sint32 becomes int32: not compatible",
        one("NoZigzag", i32, as_="sint32"),
        one("NoZigzag", i32),
        [((-3,), (-3,))],
        [((3,), (3,))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "fixed32_sfixed32",
        "fixed32 becomes sfixed32",
        one("Fixed", u32, as_="fixed32"),
        one("Fixed", i32, as_="sfixed32"),
        [((5,), (5,)), ((2**32 - 1,), (-1,))],
        [((-1,), (2**32 - 1,))],
    ),
    Rule(
        "fixed64_sfixed64",
        "fixed64 becomes sfixed64",
        one("LongFixed", u64, as_="fixed64"),
        one("LongFixed", i64, as_="sfixed64"),
        [((5,), (5,)), ((2**64 - 1,), (-1,))],
        [((-1,), (2**64 - 1,))],
    ),
    Rule(
        "fixed32_int32",
        "sfixed32 becomes int32; nothing is promised",
        one("NoFixed", i32, as_="sfixed32"),
        one("NoFixed", i32),
        [((3,), (3,))],
        [((3,), (3,))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "string_bytes",
        "string becomes bytes",
        one("Octets", string),
        one("Octets", bytes_),
        [(("žluť",), ("žluť".encode(),))],
        [(("žluť".encode(),), ("žluť",))],
    ),
    Rule(
        "not_utf8",
        "bytes that are no UTF-8 are read as a string: not compatible",
        one("NoText", string),
        one("NoText", bytes_),
        [],
        [((b"\xff\xfe",), ("",))],
        ("", "unsafe"),
    ),
    Rule(
        "int32_string",
        "int32 becomes string; nothing is promised",
        one("Digits", i32),
        one("Digits", string),
        [((12,), ("12",))],
        [(("12",), (12,))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "message_bytes",
        "A message becomes bytes that hold it",
        one("Opaque", INNER),
        one("Opaque", bytes_),
        [(((5, "x"),), (b"\x08\x05\x12\x01x",))],
        [((b"\x08\x05\x12\x01x",), ((5, "x"),))],
    ),
    Rule(
        "string_repeated",
        "string becomes repeated; who expects one takes the last",
        one("Strings", string),
        one("Strings", List(string)),
        [(("x",), (["x"],)), (("",), ([],))],
        [((["x", "y"],), ("y",)), (([],), ("",))],
    ),
    Rule(
        "message_repeated",
        "A message becomes repeated; who expects one merges all",
        one("Messages", INNER),
        one("Messages", List(INNER)),
        [(((5, "x"),), ([(5, "x")],))],
        [(([(1, ""), (0, "y")],), ((1, "y"),))],
    ),
    Rule(
        "uint32_repeated",
        "A number becomes repeated: not generally safe, since lists of numbers are packed",
        one("Numbers", u32),
        one("Numbers", List(u32)),
        [((5,), ([5],))],
        [(([5, 6],), (6,))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "presence",
        "A field gets `optional`, or loses it",
        one("Presence", u32),
        one("Presence", Optional(u32)),
        [((5,), (5,)), ((0,), (None,))],
        [((5,), (5,)), ((0,), (0,)), ((None,), (0,))],
    ),
    Rule(
        "enum_int32",
        "An enum becomes int32",
        one("Number", level("zero", "one")),
        one("Number", i32),
        [((1,), (1,)), ((-4,), (-4,))],
        [((1,), (1,)), ((-4,), (-4,))],
    ),
    Rule(
        "int64_enum",
        "int64 becomes an enum; numbers that do not fit are cut",
        one("CutNumber", i64),
        one("CutNumber", level("zero", "one", "two")),
        [(((1 << 32) + 2,), (2,)), ((1,), (1,))],
        [((1,), (1,))],
    ),
    Rule(
        "enum_member_added",
        "A member is added to an enum: old readers keep its number",
        one("MoreMembers", Enum("Size", i32, ["s", "m"], open=True)),
        one("MoreMembers", Enum("Size", i32, ["s", "m", "l"], open=True)),
        [((1,), (1,))],
        [((2,), (2,))],
    ),
    Rule(
        "enum_member_removed",
        "A member is removed from an enum, and its number is reserved",
        one("FewerMembers", Enum("Shape", i32, ["round", "square", "flat"], open=True)),
        one(
            "FewerMembers",
            Enum("Shape", i32, ["round", ("flat", 2)], open=True, gone=[Gone("square", 1, place=1)]),
        ),
        [((1,), (1,)), ((2,), (2,))],
        [((2,), (2,))],
    ),
    Rule(
        "enum_member_renamed",
        "A member of an enum gets another name",
        one("OtherMember", Enum("Kind", i32, ["plain", "best"], open=True)),
        one("OtherMember", Enum("Kind", i32, ["plain", "finest"], open=True)),
        [((1,), (1,))],
        [((1,), (1,))],
    ),
    Rule(
        "into_new_oneof",
        "One optional field moves into a new oneof",
        Record("NewOneof", [Field("a", Optional(string), 1)]),
        Record("NewOneof", [oneof("chosen", TEXT, COUNT)]),
        [(("x",), ((0, "x"),)), ((None,), (None,))],
        [(((0, "x"),), ("x",)), (((1, 5),), (None,))],
    ),
    Rule(
        "into_old_oneof",
        "A field moves into a oneof that there is: not safe",
        Record("OldOneof", [oneof("picked", TEXT, COUNT), Field("c", Optional(string), 3)]),
        Record("OldOneof", [oneof("picked", TEXT, COUNT, OTHER)]),
        [(((0, "x"), "y"), ((0, "x"),))],
        [],
        ("unsafe", ""),
    ),
    Rule(
        "map_repeated",
        "A map becomes repeated messages with a key and a value; of equal keys the last counts",
        one("Entries", Map(string, u32)),
        one("Entries", List(PAIR)),
        [(({"k": 5},), ([("k", 5)],))],
        [(([("k", 5), ("k", 6)],), ({"k": 6},))],
    ),
]

_PROTO2 = "its schema is proto2 here, in which fields that hold zero or nothing are written, too."

DIFFERENCES = [
    Difference("string_repeated", ("c/protobuf_c:*",), f"an empty string is an item: {_PROTO2}"),
    Difference("message_repeated", ("c/protobuf_c:*",), f"the last message has all fields: {_PROTO2}"),
    Difference("presence", ("c/protobuf_c:*",), f"0 is there: {_PROTO2}"),
    Difference(
        "map_repeated",
        ("c/protobuf_c:*",),
        "the library has no maps. Both entries of a key stay, of which our adapter makes no map.",
    ),
    Difference(
        "message_repeated",
        ("python/betterproto2",),
        "the last message takes the place of the others (`Message.load`), whose fields are lost.",
    ),
    Difference(
        "int64_enum",
        ("python/betterproto2",),
        "the number of an enum is not cut to 32 bits, and our adapter has no room for more.",
    ),
]

PROTOBUF = Document(
    "proto",
    "Protocol Buffers",
    "Language Guide (proto 3): Updating A Message Type",
    [
        *("python/protobuf", "python/betterproto2", "c/protobuf_c:heap", "cpp/protobuf:default"),
        *("go/protobuf:official", "javascript/bufbuild", "javascript/protobufjs:static"),
        *("jvm/protobuf_java", "rust/prost"),
    ],
    RULES,
    DIFFERENCES,
    [
        "Unknown fields are kept when a message is written again: that is asked of a program in the middle",
        "Extensions: the type model has none",
    ],
    [f"python/protobuf, {JSON_FORM}"],
    "The promises are for bytes. The column JSON is Python's JSON form, of which names are a part.",
)
