"""The rules that the documents of Avro and Thrift state for messages whose schema changes."""

from __future__ import annotations

from tests.promises import BYTES_ALONE, Difference, Document, Rule, holds

from serbench.idl.thrift import REQUIRED
from serbench.model import (
    Alternative,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Union,
    bytes_,
    f32,
    f64,
    i32,
    i64,
    string,
)

SUITS = Enum("Suit", i32, ["clubs", "hearts"])
MORE_SUITS = Enum("Suit", i32, ["clubs", "hearts", "spades"])
TEXT, NUMBER = Alternative("text", string, 1), Alternative("number", i32, 2)

AVRO_RULES = [
    Rule(
        "reorder",
        "Fields of records are matched by name, whatever their order",
        holds("Reorder", a=string, b=i32),
        "reorder=b,a",
        [(("x", 7), (7, "x"))],
        [((7, "x"), ("x", 7))],
    ),
    Rule(
        "extra_field",
        "A field that only the writer has is ignored; one that only the reader has gets its default",
        holds("ExtraField", a=i32, b=string),
        Record("ExtraField", [Field("a", i32), Field("b", string), Field("c", string, default="none")]),
        [((7, "x"), (7, "x", "none"))],
        [((7, "x", "y"), (7, "x"))],
    ),
    Rule(
        "null_default",
        "The same for an optional field whose default is null",
        holds("NullDefault", a=i32),
        Record("NullDefault", [Field("a", i32), Field("b", Optional(string), default=None)]),
        [((7,), (7, None))],
        [((7, "x"), (7,)), ((7, None), (7,))],
    ),
    Rule(
        "no_default",
        "A field that only the reader has, and that has no default, is an error",
        holds("NoDefault", a=i32),
        holds("NoDefault", a=i32, b=string),
        [((7,), (7, ""))],
        [((7, "x"), (7,))],
        ("refused", "kept"),
    ),
    Rule(
        "renamed_field",
        "A field with another name is another field: an error, since neither has a default",
        holds("RenamedField", a=i32, b=string),
        "rename=b:c",
        [((7, "x"), (7, "x"))],
        [((7, "x"), (7, "x"))],
        ("refused", "refused"),
    ),
    Rule(
        "renamed_record",
        "Records match if their names are equal, and it is an error if they do not",
        holds("RenamedRecord", held=holds("Before", a=i32)),
        holds("RenamedRecord", held=holds("After", a=i32)),
        [(((7,),), ((7,),))],
        [(((7,),), ((7,),))],
        ("refused", "refused"),
    ),
    Rule(
        "renamed_enum",
        "Enums match if their names are equal",
        holds("RenamedEnum", a=Enum("Early", i32, ["no", "yes"])),
        holds("RenamedEnum", a=Enum("Late", i32, ["no", "yes"])),
        [((1,), (1,))],
        [((1,), (1,))],
        ("refused", "refused"),
    ),
    *(
        Rule(
            f"{old}_{new}",
            f"{old} is promoted to {new}, and not the other way round",
            holds(f"From{old.title()}To{new.title()}", a=source, z=string),
            holds(f"From{old.title()}To{new.title()}", a=target, z=string),
            [((value, "z"), (other, "z"))],
            [((other, "z"), (value, "z"))],
            ("kept", "refused"),
        )
        for old, new, source, target, value, other in (
            ("int", "long", i32, i64, -3, -3),
            ("int", "float", i32, f32, -3, -3.0),
            ("int", "double", i32, f64, -3, -3.0),
            ("long", "float", i64, f32, -3, -3.0),
            ("long", "double", i64, f64, -3, -3.0),
            ("float", "double", f32, f64, 1.5, 1.5),
        )
    ),
    Rule(
        "string_bytes",
        "string is promoted to bytes, and bytes to string",
        holds("Octets", a=string),
        holds("Octets", a=bytes_),
        [(("žluť",), ("žluť".encode(),))],
        [(("žluť".encode(),), ("žluť",))],
    ),
    Rule(
        "int_string",
        "Other types do not match: int and string",
        holds("IntString", a=i32),
        holds("IntString", a=string),
        [((3,), ("3",))],
        [(("3",), (3,))],
        ("refused", "refused"),
    ),
    Rule(
        "fixed_size",
        "Values of type fixed match if their sizes and names do",
        holds("FixedSize", a=FixedBytes(4)),
        holds("FixedSize", a=FixedBytes(8)),
        [((b"abcd",), (b"abcd\0\0\0\0",))],
        [((b"abcdefgh",), (b"abcd",))],
        ("refused", "refused"),
    ),
    Rule(
        "symbol_added",
        "A symbol that the reader's enum lacks is an error, if the enum has no default",
        holds("SymbolAdded", a=SUITS),
        holds("SymbolAdded", a=MORE_SUITS),
        [((1,), (1,))],
        [((2,), (0,))],
        ("kept", "refused"),
    ),
    Rule(
        "symbols_reordered",
        "Symbols of enums are matched by name",
        holds("SymbolsReordered", a=Enum("Coin", i32, [("heads", 0), ("tails", 1)])),
        holds("SymbolsReordered", a=Enum("Coin", i32, [("tails", 1), ("heads", 0)])),
        [((0,), (0,)), ((1,), (1,))],
        [((0,), (0,)), ((1,), (1,))],
    ),
    Rule(
        "items",
        "Items of arrays and values of maps are resolved in the same way",
        holds("Items", a=List(i32), b=Map(string, i32)),
        holds("Items", a=List(i64), b=Map(string, i64)),
        [(([1, -2], {"k": 3}), ([1, -2], {"k": 3}))],
        [],
        ("kept", ""),
    ),
    Rule(
        "into_union",
        "A value is read as the first branch of the reader's union that matches",
        holds("IntoUnion", a=string),
        holds("IntoUnion", a=Optional(string)),
        [(("x",), ("x",))],
        [(("x",), ("x",))],
    ),
    Rule(
        "null_out_of_union",
        "A branch of the writer's union that does not match the reader's type is an error",
        holds("NullOutOfUnion", a=string),
        holds("NullOutOfUnion", a=Optional(string)),
        [],
        [((None,), ("",))],
        ("", "refused"),
    ),
    Rule(
        "branch_added",
        "A branch that the reader's union lacks is an error",
        holds("BranchAdded", a=Union("Branches", [TEXT])),
        holds("BranchAdded", a=Union("Branches", [TEXT, NUMBER])),
        [(((0, "x"),), ((0, "x"),))],
        [(((1, 5),), ((0, ""),))],
        ("kept", "refused"),
    ),
    Rule(
        "branches_reordered",
        "Branches of unions are matched by their types, whatever their order",
        holds("BranchesReordered", a=Union("Pile", [TEXT, NUMBER])),
        holds("BranchesReordered", a=Union("Pile", [NUMBER, TEXT])),
        [(((0, "x"),), ((1, "x"),)), (((1, 5),), ((0, 5),))],
        [(((0, 5),), ((1, 5),))],
    ),
]

AVRO_DIFFERENCES = [
    Difference("string_bytes", ("python/avro",), "it promotes numbers alone (`PrimitiveSchema.match`)."),
    Difference(
        "items",
        ("python/avro",),
        "it wants the types of items and of values of maps to be equal (`ArraySchema.match`).",
    ),
    Difference(
        "into_union",
        ("python/avro",),
        "it compares a type with the writer's whole union, and not with the branch that was written.",
    ),
]

AVRO = Document(
    "avsc",
    "Avro",
    "Apache Avro Specification: Schema Resolution",
    ["python/avro", "python/fastavro"],
    AVRO_RULES,
    AVRO_DIFFERENCES,
    [
        "Aliases, and the default of an enum: what serbench writes has none",
        "Schemas that are decimals: they match if scale and precision do",
        "Libraries that compare both schemas before they read a message, as both of Go do: all rules share a "
        "schema here, so one that is an error refuses all others",
    ],
    [f"python/avro, {BYTES_ALONE}", f"python/fastavro, {BYTES_ALONE}"],
    "The promises are for readers that have the writer's schema besides their own. The columns *alone* are "
    "of readers that have their own schema and the bytes alone, of which nothing is promised.",
    needs_both=True,
)

THRIFT_RULES = [
    Rule(
        "add_optional",
        "An optional field is added: who does not find it goes on without it, who does not know it skips it",
        holds("AddOptional", a=i32, z=string),
        Record("AddOptional", [Field("a", i32), Field("z", string), Field("b", Optional(string))]),
        [((7, "z"), (7, "z", None))],
        [((7, "z", "x"), (7, "z")), ((7, "z", None), (7, "z"))],
    ),
    Rule(
        "remove_optional",
        "An optional field is removed, and its number is not used again",
        holds("RemoveOptional", a=Optional(string), z=string),
        "drop=a",
        [(("x", "z"), ("z",)), ((None, "z"), ("z",))],
        [(("z",), (None, "z"))],
    ),
    Rule(
        "remove_required",
        "A required field is removed: its readers refuse messages without it",
        Record("RemoveRequired", [Field("a", string, hints=[REQUIRED]), Field("z", string)]),
        "drop=a",
        [(("x", "z"), ("z",))],
        [(("z",), ("", "z"))],
        ("kept", "refused"),
    ),
    Rule(
        "required_optional",
        "A required field becomes optional: the same",
        Record("RequiredOptional", [Field("a", string, hints=[REQUIRED]), Field("z", string)]),
        Record("RequiredOptional", [Field("a", Optional(string)), Field("z", string)]),
        [(("x", "z"), ("x", "z"))],
        [((None, "z"), ("", "z"))],
        ("kept", "refused"),
    ),
    Rule(
        "rename",
        "A field gets another name, since numbers identify fields",
        holds("Rename", a=i32, b=string),
        "rename=b:c",
        [((7, "x"), (7, "x"))],
        [((7, "x"), (7, "x"))],
    ),
    Rule(
        "reorder",
        "Fields are declared in another order",
        holds("Reorder", a=i32, b=string),
        "reorder=b,a",
        [((7, "x"), ("x", 7))],
        [(("x", 7), (7, "x"))],
    ),
    Rule(
        "renumber",
        "The number of a field changes: it is another field",
        holds("Renumber", a=i32, b=Optional(string)),
        "renumber=b:9",
        [((7, "x"), (7, "x"))],
        [((7, "x"), (7, "x"))],
        ("defaults", "defaults"),
    ),
    Rule(
        "reuse_number",
        "The number of a removed field is given to another one of the same type: not safe",
        Record("ReuseNumber", [Field("a", Optional(string)), Field("z", string)]),
        Record("ReuseNumber", [Field("b", Optional(string)), Field("z", string)]),
        [(("x", "z"), (None, "z"))],
        [(("x", "z"), (None, "z"))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "i32_i64",
        "Number and type together identify a field: with another type it is another field, which is skipped",
        Record("Wider", [Field("a", Optional(i32)), Field("z", string)]),
        Record("Wider", [Field("a", Optional(i64)), Field("z", string)]),
        [((7, "z"), (7, "z"))],
        [((7, "z"), (7, "z"))],
        ("defaults", "defaults"),
    ),
    Rule(
        "i32_string",
        "The same for i32 and string",
        Record("Digits", [Field("a", Optional(i32)), Field("z", string)]),
        Record("Digits", [Field("a", Optional(string)), Field("z", string)]),
        [((7, "z"), ("7", "z"))],
        [(("7", "z"), (7, "z"))],
        ("defaults", "defaults"),
    ),
    Rule(
        "one_list",
        "The same for one value and a list",
        Record("OneList", [Field("a", Optional(i32)), Field("z", string)]),
        Record("OneList", [Field("a", Optional(List(i32))), Field("z", string)]),
        [((7, "z"), ([7], "z"))],
        [(([7], "z"), (7, "z"))],
        ("defaults", "defaults"),
    ),
    Rule(
        "string_binary",
        "string and binary are one type in messages",
        Record("Octets", [Field("a", Optional(string)), Field("z", string)]),
        Record("Octets", [Field("a", Optional(bytes_)), Field("z", string)]),
        [(("žluť", "z"), ("žluť".encode(), "z"))],
        [(("žluť".encode(), "z"), ("žluť", "z"))],
    ),
    Rule(
        "change_default",
        "A default changes: safe where the writer writes a value that equals its default",
        Record("ChangeDefault", [Field("a", i32, default=5), Field("z", string)]),
        Record("ChangeDefault", [Field("a", i32, default=6), Field("z", string)]),
        [((5, "z"), (5, "z"))],
        [((6, "z"), (6, "z"))],
    ),
]

THRIFT_DIFFERENCES: list[Difference] = []

THRIFT = Document(
    "thrift",
    "Thrift",
    "Thrift: Scalable Cross-Language Services Implementation: Versioning; Thrift IDL: Field Requiredness",
    [
        *("python/thrift:binary", "python/thrift:compact", "python/thriftpy2:binary", "go/thrift:binary"),
        "javascript/thrift:binary",
    ],
    THRIFT_RULES,
    THRIFT_DIFFERENCES,
    ["Fields that are neither required nor optional: what serbench writes is one or the other"],
)
