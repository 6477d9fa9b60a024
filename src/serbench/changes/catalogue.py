"""All kinds of changes by their words: a change is parsed from its text, and those of a schema are listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from serbench.changes import kinds, shapes, wholes
from serbench.changes.alike import places_by_kind
from serbench.changes.change import Change, refused
from serbench.changes.free import filled
from serbench.changes.hints import hint, sizes_at, words_at
from serbench.changes.paths import Place, places
from serbench.changes.retype import AS_BYTES, FORMS, form_of, retype
from serbench.errors import SelectionError, unknown
from serbench.model import Enum, List, Map, Schema

DRAW, LENGTH = "draw", "length"
"""The words of the changes that give any number of messages, and a list any number of items."""

KINDS: dict[str, Callable[[Schema, str, str], Change]] = {
    "drop": kinds.drop,
    "add": kinds.add,
    "rename": kinds.rename,
    "renumber": kinds.renumber,
    "reorder": kinds.reorder,
    "widen": kinds.widths,
    "narrow": kinds.widths,
    "sign": kinds.widths,
    "optional": kinds.optional,
    "required": kinds.required,
    "list": kinds.as_list,
    "one": kinds.as_one,
    "text": kinds.as_text,
    "parse": kinds.as_parsed,
    "retype": retype,
    "hint": hint,
    "group": kinds.group,
    "ungroup": shapes.ungroup,
    "columns": shapes.columns,
    "record": shapes.record,
    "dictionary": shapes.dictionary,
    "keep": wholes.keep,
    "empty": wholes.empty,
    "take": wholes.take,
    "repeat": wholes.repeat,
    DRAW: wholes.draw,
    LENGTH: wholes.length,
}
"""The word of each kind → a function of the schema, the whole text, and the text behind the ``=``."""

_OF_PATHS = (
    "optional",
    "required",
    "list",
    "one",
    "text",
    "ungroup",
    "columns",
    "dictionary",
    "keep",
    "empty",
)
"""The words of changes that take a path and nothing else."""

_OF_FORMS: dict[str, Callable[[Schema, Place], list[str]]] = {
    "hint": words_at,
    "retype": lambda _, place: [word for word in (*FORMS, AS_BYTES) if form_of(place.inner, word)],
}
"""The words of changes that take a path and the word of a form → a function that gives, for a place that has
a value, the words of the forms that it could have. With ``*`` as the path, all such places change."""

OF_NUMBERS = ("take", "repeat", DRAW)
"""The words of changes that take a number of messages, and no path."""

OF_MESSAGES = (*OF_NUMBERS, LENGTH)
"""The words of changes that choose, copy and put together the canonical bytes of the messages that a workload
declares, before any other change."""

MEANINGS = {
    "drop": "a field, alternative or member is removed",
    "add": "a field, alternative or member is added",
    "rename": "a part has another name",
    "renumber": "a part has another number",
    "reorder": "parts are declared in another order",
    "widen": "a number has more bits",
    "narrow": "a number has fewer bits",
    "sign": "a whole number has a sign, or has none any more",
    "optional": "a value may be absent",
    "required": "a value may no longer be absent",
    "list": "one value becomes a list of values",
    "one": "a list becomes one value, or none",
    "text": "a number or bool is written as text",
    "parse": "a text becomes the number that it holds",
    "retype": "a text or float becomes the value that it stands for, such as a UUID",
    "hint": "a whole number has another form on the wire, where an IDL offers one",
    "group": "fields move into a record of their own",
    "ungroup": "a record of one field becomes that field",
    "columns": "a list of records becomes a list for each of their fields",
    "record": "a map whose keys are always the same becomes a record",
    "dictionary": "texts become numbers in a table of the distinct ones, in a field of the message",
    "keep": "all other fields are removed",
    "empty": "values become empty; the programs stay",
    "take": "the first messages alone; the programs stay",
    "repeat": "all messages several times; the programs stay",
    DRAW: "so many messages in a drawn order, with copies of other values; the programs stay",
    LENGTH: "a list has so many items in each message; the programs stay",
}
"""The word of each kind → what it does, for people."""


def word_of(text: str) -> str:
    """The word of a change's kind, such as ``drop``."""
    return text.partition("=")[0]


def parse(text: str, schema: Schema) -> Change:
    """The change of a schema that a text such as ``drop=lines.note`` says.

    Raises:
        SelectionError: for an unknown word or path, with the nearest ones, and for a change that the schema
            cannot have, with the reason.
    """
    word, _, argument = text.partition("=")
    if word not in KINDS:
        raise unknown("change", word, KINDS)
    if not argument and word not in OF_NUMBERS:
        raise kinds.no_path(schema, text)
    if word in _OF_FORMS and argument.startswith(f"{wholes.EVERYTHING}:"):
        return _everywhere(schema, text, word)
    return KINDS[word](schema, text, argument)


def _everywhere(schema: Schema, text: str, word: str) -> Change:
    """The change of all values that could have a form, ``hint=*:fixed32``."""
    form, offered = text.partition(":")[2], dict[str, list[str]]()
    for place in places(schema):
        for each in _OF_FORMS[word](schema, place) if place.type is not None else ():
            offered.setdefault(each, []).append(f"{word}={place.path}:{each}")
    if form not in offered:
        known = " or ".join(offered) or "nothing, since no value has another form"
        raise refused(text, f"no value could have the form '{form}'; expected {known}")
    return replace(parse_all(offered[form], schema), text=text)


def choices_of(schema: Schema, idls: Collection[str]) -> dict[str, int]:
    """The changes that give all values that could have it another form, which one of these IDLs offers for
    whole numbers, or bytes for texts → at how many places, those with most first."""
    found: Counter[str] = Counter()
    for place in places(schema):
        if place.type is None:
            continue
        words = sizes_at(schema, place, idls)
        found.update(f"hint={wholes.EVERYTHING}:{w}" for w in words_at(schema, place) if w in words)
        if form_of(place.inner, AS_BYTES):
            found[f"retype={wholes.EVERYTHING}:{AS_BYTES}"] += 1
    return dict(found.most_common())


def parse_all(texts: Sequence[str], schema: Schema) -> Change:
    """Several changes, one after another, as one; none give the change that changes nothing."""
    steps: list[Change] = []
    for text in texts:
        step = parse(text, steps[-1].new if steps else schema)
        if word_of(text) in OF_MESSAGES:
            step = replace(step, messages=parse(text, schema).messages)
        steps.append(step)
    new = steps[-1].new if steps else schema

    def forward(value: object) -> object:
        for step in steps:
            value = step.forward(value)
        return value

    def backward(value: object) -> object:
        for step in reversed(steps):
            value = step.backward(filled(step.new.root, value))
        return value

    def messages(values: Sequence[object]) -> list[object]:
        for step in steps:
            values = step.messages(values)
        return list(values)

    return Change("/".join(texts), schema, new, forward, backward, messages)


def changes_of(schema: Schema) -> Iterator[Change]:
    """The changes that a schema can have, for each of its parts; those that need a name or a number have one
    that is made up."""
    for text in texts_of(schema):
        try:
            yield parse(text, schema)
        except SelectionError:
            continue


def texts_of(schema: Schema) -> Iterator[str]:
    """The texts of changes that may suit a schema; some of them are refused."""
    found = list(places(schema))
    yield from (f"add={_fresh('added', found)}:{type}" for type in ("string", "u32=0"))
    own = [place.part for place in found if place.owner == schema.root.name and not place.items]
    if len(own) > 1:
        yield f"reorder={','.join(reversed(own))}"
        yield f"group={own[0]},{own[1]}:{_fresh('group', found)}"
    for place in found:
        yield from _texts_at(schema, place)
        if isinstance(place.inner, Enum):
            yield f"add={place.path}.{_fresh('added', found)}"
    yield from (f"empty={wholes.EVERYTHING}:{kind}" for kind in places_by_kind(schema))
    yield from ("take=1", "repeat=2", f"{DRAW}=2")


def _texts_at(schema: Schema, place: Place) -> Iterator[str]:
    path = place.path
    if not place.items:
        yield from (f"drop={path}", f"rename={path}:{place.part}_renamed", f"renumber={path}:{1 << 28}")
    if place.type is None:
        return
    for word in ("widen", "narrow", "sign"):
        yield from (f"{word}={path}:{type}" for type in kinds.numbers_for(word, place.inner))
    yield from (f"{word}={path}" for word in _OF_PATHS)
    yield f"parse={path}:i64"
    for word, forms_at in _OF_FORMS.items():
        yield from (f"{word}={path}:{form}" for form in forms_at(schema, place))
    if isinstance(place.inner, List):
        yield f"{LENGTH}={path}:8"
    if isinstance(place.inner, Map):
        yield f"record={path}:1,3"


def _fresh(name: str, found: Sequence[Place]) -> str:
    taken = {place.part for place in found}
    while name in taken:
        name += "_too"
    return name
