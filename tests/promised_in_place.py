"""The rules that the documents of Cap'n Proto and FlatBuffers state for messages whose schema changes."""

from __future__ import annotations

from tests.promises import Difference, Document, Rule, holds

from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Record,
    Union,
    bool_,
    i32,
    i64,
    string,
    u32,
    u64,
)


def after(name: str, /, **types: object) -> List:
    """A list of records with these fields."""
    return List(holds(name, **types))


CAPNP_RULES = [
    Rule(
        "add_field",
        "A field is added, with a number greater than all others",
        holds("AddField", a=u32),
        holds("AddField", a=u32, b=string, c=u64),
        [((7,), (7, "", 0))],
        [((7, "x", 9), (7,))],
    ),
    Rule(
        "add_enumerant",
        "An enumerant is added, with a number greater than all others",
        holds("AddEnumerant", a=Enum("Suit", i32, ["clubs", "hearts"])),
        holds("AddEnumerant", a=Enum("Suit", i32, ["clubs", "hearts", "spades"])),
        [((1,), (1,))],
        [((1,), (1,))],
    ),
    Rule(
        "new_enumerant",
        "The same, where the new enumerant is written",
        holds("NewEnumerant", a=Enum("Rank", i32, ["ace", "king"])),
        holds("NewEnumerant", a=Enum("Rank", i32, ["ace", "king", "queen"])),
        [],
        [((2,), (0,))],
        ("", "unsafe"),
    ),
    Rule(
        "add_to_union",
        "A field is added to a union",
        holds("AddToUnion", a=Union("Way", [Alternative("text", string), Alternative("count", u32)])),
        holds(
            "AddToUnion",
            a=Union("Way", [Alternative("text", string), Alternative("count", u32), Alternative("id", u64)]),
        ),
        [(((0, "x"),), ((0, "x"),)), (((1, 5),), ((1, 5),))],
        [(((0, "x"),), ((0, "x"),)), (((1, 5),), ((1, 5),))],
    ),
    Rule(
        "obsolete_field",
        "A field is no longer used: it keeps its number under another name",
        holds("ObsoleteField", a=u32, b=string, c=u64),
        "drop=b",
        [((7, "x", 9), (7, 9))],
        [((7, 9), (7, "", 9))],
    ),
    Rule(
        "reorder",
        "Members are declared in another order, with the same numbers",
        holds("Reorder", a=u32, b=string),
        "reorder=b,a",
        [((7, "x"), ("x", 7))],
        [(("x", 7), (7, "x"))],
    ),
    Rule(
        "rename",
        "A name changes, with the same number",
        holds("Rename", a=u32, b=string),
        "rename=b:c",
        [((7, "x"), (7, "x"))],
        [((7, "x"), (7, "x"))],
    ),
    Rule(
        "rename_type",
        "The name of a type without an explicit id changes: not safe",
        holds("RenameType", held=holds("Before", a=u32)),
        holds("RenameType", held=holds("After", a=u32)),
        [(((7,),), ((7,),))],
        [(((7,),), ((7,),))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "list_of_structs",
        "A list of numbers becomes a list of structs whose first field is such a number",
        holds("ListOfStructs", a=List(u32)),
        holds("ListOfStructs", a=after("Numbered", n=u32, note=string)),
        [(([5, 6],), ([(5, ""), (6, "")],))],
        [(([(5, "x"), (6, "")],), ([5, 6],))],
    ),
    Rule(
        "list_of_text",
        "The same for a list of text",
        holds("ListOfText", a=List(string)),
        holds("ListOfText", a=after("Named", name=string, n=u32)),
        [((["x", "y"],), ([("x", 0), ("y", 0)],))],
        [(([("x", 1), ("y", 2)],), (["x", "y"],))],
    ),
    Rule(
        "list_of_bools",
        "Not for a list of bools",
        holds("ListOfBools", a=List(bool_)),
        holds("ListOfBools", a=after("Flagged", flag=bool_, n=u32)),
        [(([True, False],), ([(True, 0), (False, 0)],))],
        [(([(True, 1), (False, 2)],), ([True, False],))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "renumber",
        "The number of a field changes: not safe",
        holds("Renumber", a=u32, b=u32),
        "renumber=a:9",
        [((7, 8), (7, 8))],
        [((7, 8), (7, 8))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "change_type",
        "The type of a field changes: not safe",
        holds("ChangeType", a=u32, b=u32),
        holds("ChangeType", a=u64, b=u32),
        [((7, 8), (7, 8))],
        [((1 << 40, 8), (0, 8))],
        ("unsafe", "unsafe"),
    ),
]

CAPNP_DIFFERENCES = [
    Difference(
        "list_of_text",
        ("go/capnproto:*",),
        "old readers look for the text where the struct's numbers lie (`List.primitiveElem`).",
    )
]

CAPNP = Document(
    "capnp",
    "Cap'n Proto",
    "Schema Language: Evolving Your Protocol",
    ["python/pycapnp:unpacked", "python/pycapnp:packed", "go/capnproto:unpacked"],
    CAPNP_RULES,
    CAPNP_DIFFERENCES,
    [
        "A field moves into a new group or union: unions that serbench writes are structs of their own",
        "Defaults, generic types, methods and their parameters: what serbench writes has none",
    ],
)

LEFT, RIGHT = holds("Left", a=u32, s=string), holds("Right", b=u32, s=string)
MIDDLE = holds("Middle", c=u32, s=string)

FBS_RULES = [
    Rule(
        "add_field",
        "A field is added at the end: old messages have its default, old readers ignore it",
        holds("AddField", a=i32, b=i32, s=string),
        holds("AddField", a=i32, b=i32, s=string, c=i32),
        [((1, 2, "x"), (1, 2, "x", 0))],
        [((1, 2, "x", 3), (1, 2, "x"))],
    ),
    Rule(
        "add_first",
        "A field is added at the beginning: not safe",
        holds("AddFirst", a=i32, b=i32, s=string),
        holds("AddFirst", c=i32, a=i32, b=i32, s=string),
        [((1, 2, "x"), (0, 1, 2, "x"))],
        [((3, 1, 2, "x"), (1, 2, "x"))],
        ("misread", "misread"),
    ),
    Rule(
        "add_first_with_id",
        "A field is added at the beginning, and ids keep the places of the others",
        holds("AddFirstById", a=i32, s=string),
        Record("AddFirstById", [Field("c", i32, 3), Field("a", i32, 1), Field("s", string, 2)]),
        [((1, "x"), (0, 1, "x"))],
        [((3, 1, "x"), (1, "x"))],
    ),
    Rule(
        "deprecate",
        "A field is removed by `deprecated`",
        holds("Deprecate", a=i32, b=i32, s=string),
        "drop=a",
        [((1, 2, "x"), (2, "x"))],
        [((2, "x"), (0, 2, "x"))],
    ),
    Rule(
        "remove",
        "A field is removed from the schema: not safe",
        holds("Remove", a=i32, b=i32, s=string),
        holds("Remove", b=i32, s=string),
        [((1, 2, "x"), (2, "x"))],
        [((2, "x"), (0, 2, "x"))],
        ("misread", "misread"),
    ),
    Rule(
        "rename",
        "Names of fields and tables change",
        holds("Rename", a=i32, held=holds("Before", n=i32, s=string)),
        holds("Rename", aa=i32, held=holds("After", n=i32, s=string)),
        [((1, (2, "x")), (1, (2, "x")))],
        [((1, (2, "x")), (1, (2, "x")))],
    ),
    Rule(
        "same_width",
        "A number becomes one of the same width; values that both types have",
        holds("SameWidth", a=i32, s=string),
        holds("SameWidth", a=u32, s=string),
        [((7, "x"), (7, "x"))],
        [((7, "x"), (7, "x"))],
    ),
    Rule(
        "same_width_negative",
        "The same for negative numbers: to be done with care",
        holds("Negative", a=i32, s=string),
        holds("Negative", a=u32, s=string),
        [((-1, "x"), (0, "x"))],
        [],
        ("misread", ""),
    ),
    Rule(
        "other_width",
        "A number becomes one of another width: not safe",
        holds("OtherWidth", a=i32, b=i32, s=string),
        holds("OtherWidth", a=i64, b=i32, s=string),
        [((7, 8, "x"), (7, 8, "x"))],
        [((7, 8, "x"), (7, 8, "x"))],
        ("unsafe", "unsafe"),
    ),
    Rule(
        "add_alternative",
        "A variant is added at the end of a union: old readers do not recognize it",
        holds("AddAlternative", u=Union("Side", [Alternative("l", LEFT), Alternative("r", RIGHT)])),
        holds(
            "AddAlternative",
            u=Union("Side", [Alternative("l", LEFT), Alternative("r", RIGHT), Alternative("m", MIDDLE)]),
        ),
        [(((0, (1, "x")),), ((0, (1, "x")),)), (((1, (2, "x")),), ((1, (2, "x")),))],
        [(((0, (1, "x")),), ((0, (1, "x")),)), (((1, (2, "x")),), ((1, (2, "x")),))],
    ),
    Rule(
        "new_alternative",
        "The same, where the new variant is written",
        holds("NewAlternative", u=Union("Edge", [Alternative("left", LEFT)])),
        holds("NewAlternative", u=Union("Edge", [Alternative("left", LEFT), Alternative("mid", MIDDLE)])),
        [],
        [(((1, (3, "x")),), ((0, (0, "")),))],
        ("", "refused"),
    ),
    Rule(
        "middle_alternative",
        "A variant is added in the middle of a union: not safe",
        holds("MiddleAlternative", u=Union("Spot", [Alternative("l", LEFT), Alternative("r", RIGHT)])),
        holds(
            "MiddleAlternative",
            u=Union("Spot", [Alternative("l", LEFT), Alternative("m", MIDDLE), Alternative("r", RIGHT)]),
        ),
        [(((1, (2, "x")),), ((2, (2, "x")),))],
        [(((2, (2, "x")),), ((1, (2, "x")),))],
        ("misread", "unsafe"),
    ),
    Rule(
        "middle_alternative_by_number",
        "The same, with discriminants that keep the numbers of the others",
        holds("NumberedMiddle", u=Union("Seat", [Alternative("l", LEFT), Alternative("r", RIGHT)])),
        holds(
            "NumberedMiddle",
            u=Union(
                "Seat", [Alternative("l", LEFT, 1), Alternative("m", MIDDLE, 3), Alternative("r", RIGHT, 2)]
            ),
        ),
        [(((1, (2, "x")),), ((2, (2, "x")),))],
        [(((2, (2, "x")),), ((1, (2, "x")),))],
    ),
    Rule(
        "add_to_struct",
        "A field is added to a struct, which cannot change: not safe",
        holds("AddToStruct", at=holds("Spot3", x=i32, y=i32), s=string),
        holds("AddToStruct", at=holds("Spot3", x=i32, y=i32, z=i32), s=string),
        [(((1, 2), "x"), ((1, 2, 0), "x"))],
        [(((1, 2, 3), "x"), ((1, 2), "x"))],
        ("unsafe", "unsafe"),
    ),
]

FBS_DIFFERENCES = [
    Difference(
        name,
        ("go/flatbuffers",),
        "a number is taken for the offset of a text, and the library, which does not check it, panics.",
    )
    for name in ("add_first", "remove")
]

FBS = Document(
    "fbs",
    "FlatBuffers",
    "FlatBuffers: Evolution; Schema: Structs",
    ["python/flatbuffers:plain", "go/flatbuffers", "javascript/flatbuffers"],
    FBS_RULES,
    FBS_DIFFERENCES,
    ["The default of a field changes: what serbench writes has no defaults of its own"],
)
