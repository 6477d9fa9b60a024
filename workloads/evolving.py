"""A record for each change that schemas go through, of which each message has one: two programs of a codec,
one of this schema and one of it with all changes, show what becomes of messages by each change. One record
stays as it is, and shows whether a codec refuses all messages for one of the changes.

Each record has a part that the change concerns, between others, so that a reader that counts on places reads
these wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.draws import below, mt19937
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Optional,
    Record,
    Type,
    Union,
    f32,
    i32,
    i64,
    string,
    u8,
    u32,
)
from serbench.model.names import pascal
from serbench.workload import Parameter, Workload


def case(name: str, *changed: tuple[str, Type]) -> Record:
    """The record for a change that concerns the fields ``changed``."""
    fields = [("id", u32), *changed, ("label", string)]
    return Record(f"{pascal(name)}Case", [Field(field, type) for field, type in fields])


def kind(name: str) -> Enum:
    return Enum(f"{pascal(name)}Kind", u8, ["unset", "first", "second", "third"])


SHAPES = ("point", "line", "circle")


def shape(name: str, *words: str) -> Union:
    """A union of records, which more codecs have than unions of other types."""
    return Union(f"{pascal(name)}Shape", [Alternative(word, drawn(name, word)) for word in words])


def drawn(name: str, word: str) -> Record:
    return Record(pascal(f"{name}_{word}"), [Field("size", i32), Field("text", string)])


CASES: dict[str, tuple[str, tuple[tuple[str, Type], ...]]] = {
    "drop": ("drop=drop.note", (("note", Optional(string)),)),
    "drop_required": ("drop=drop_required.note", (("note", string),)),
    "add": ("add=add.more:string", (("note", string),)),
    "add_default": ("add=add_default.more:u32=7", (("note", string),)),
    "add_required": ("add=add_required.more:required<string>", (("note", string),)),
    "rename": ("rename=rename.note:remark", (("note", string),)),
    "reorder": (
        "reorder=reorder:id,note,title,count",
        (("title", string), ("count", u32), ("note", string)),
    ),
    "renumber": ("renumber=renumber.note:9", (("note", string),)),
    "widen": ("widen=widen.count:i64", (("count", i32),)),
    "narrow": ("narrow=narrow.count:i32", (("count", i64),)),
    "sign": ("sign=sign.count:u32", (("count", i32),)),
    "float_width": ("widen=float_width.ratio:f64", (("ratio", f32),)),
    "to_optional": ("optional=to_optional.note", (("note", string),)),
    "to_required": ("required=to_required.note", (("note", Optional(string)),)),
    "to_list": ("list=to_list.note", (("note", string),)),
    "to_one": ("one=to_one.notes", (("notes", List(string)),)),
    "to_text": ("text=to_text.count", (("count", i32),)),
    "from_text": ("parse=from_text.count:i32", (("count", string),)),
    "add_member": ("add=add_member.kind.added:4", (("kind", kind("add_member")),)),
    "drop_member": ("drop=drop_member.kind.second", (("kind", kind("drop_member")),)),
    "add_alternative": (
        "add=add_alternative.shape.square:AddAlternativeSquare",
        (("shape", shape("add_alternative", *SHAPES)), ("frame", drawn("add_alternative", "square"))),
    ),
    "drop_alternative": (
        "drop=drop_alternative.shape.line",
        (("shape", shape("drop_alternative", *SHAPES)),),
    ),
    "regroup": ("group=regroup.street,regroup.town:place", (("street", string), ("town", string))),
}
"""Field of the root → the change of its record, and the fields that the change concerns."""

RECORDS = {name: case(name, *changed) for name, (_, changed) in CASES.items()}
RECORDS["unchanged"] = case("unchanged", ("note", string))
evolving = Record("Evolving", [Field(name, Optional(record)) for name, record in RECORDS.items()])


def generate(count: int, seed: int) -> Iterator[Any]:
    draw = mt19937(seed)

    def text() -> str:
        return f"{below(draw, 1 << 16):04x}"

    def number() -> int:
        return 1 + below(draw, 1_000_000)

    def value(type: Any) -> Any:
        """A value that is not empty, without the second of an enum's or a union's parts, which is dropped."""
        match type:
            case Enum():
                return 1 + 2 * below(draw, 2)
            case Union():
                index = 2 * below(draw, 2)
                return (index, value(type.alternatives[index].type))
            case Record():
                return tuple(value(each.type) for each in type.fields)
            case Optional(item):
                return value(item)
            case List(item):
                return [value(item)]
        return text() if type == string else number() / 8 if type == f32 else number()

    for n in range(count * len(RECORDS)):
        name = list(RECORDS)[n % len(RECORDS)]
        made = value(RECORDS[name])
        if name == "from_text":
            made = (made[0], str(number()), made[2])
        yield tuple(made if each.name == name else None for each in evolving.fields)


workload = Workload(
    name="evolving",
    summary="a record for each change that schemas go through, one of them in each message",
    root=evolving,
    generate=generate,
    changes={name: change for name, (change, _) in CASES.items()},
    parameters=[
        Parameter("count", 3, "messages with each record", least=1),
        Parameter("seed", 1, "seed of the values", least=0),
    ],
)
