"""Changes that would keep all that a workload's messages say, found by looking at every value.

Nothing is found from a name: a field whose texts are all UUIDs is one of UUIDs, whatever it is called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from serbench.changes.catalogue import parse
from serbench.changes.convert import as_float
from serbench.changes.hints import sizes_at
from serbench.changes.kinds import numbers_for
from serbench.changes.paths import Place, item_of, places
from serbench.changes.retype import FORMS, form_of
from serbench.errors import SelectionError
from serbench.model import (
    Array,
    List,
    Map,
    Optional,
    Record,
    Scalar,
    Schema,
    Union,
    f32,
    f64,
    string,
)
from serbench.model.parts import resolved
from serbench.model.types import NOTHING, SCALARS

_SHORTEST = {"hex": 8, "base64": 12}
"""Form → the fewest characters that its texts have on average: words such as ``added`` have it by chance, as
a few that come again and again may."""

_FEW, _OFTEN = 32, 4
"""The most distinct texts that would make an enum, and how often each of them has to be there on average."""

_ENTRY = 2
"""About the bytes of an entry of a table besides its text. A table is worth a try where it saves more than
another byte of each text."""

_LISTED = 2
"""The fewest items that lists have on average, so that columns of them are worth a try."""


_IN_WORDS = {
    "required": "always there",
    "columns": "columns",
    "ungroup": "its one field",
    "record": "record",
    "dictionary": "numbers in a table of texts",
}


@dataclass
class SeenValues:
    """The values of one place in all messages.

    Attributes:
        count: how many there are, absent ones left out.
        absent: whether one of an optional is absent.
        low, high: the least and the greatest, of whole numbers.
        characters: how many characters all texts have.
        items: how many items all lists have.
        keys: the keys that all maps have; None where they differ.
        sizes: the words of forms that numbers may have in an IDL → the bytes of a number in it; ``taken`` has
            those of all numbers, by the same words.
        texts: the distinct texts; None where they are more than an enum would have.
        here: the distinct texts of the message that is looked at.
        listed: how many distinct texts the messages have, each message by itself.
        repeated: how many characters those texts have that their message had before.
        forms: the words of the forms that all values have; those of texts that are whole numbers have the
            word ``number``.
    """

    forms: dict[str, Callable[[Any], bool]]
    sizes: Mapping[str, Callable[[int], int]] = field(default_factory=dict)
    taken: Counter[str] = field(default_factory=Counter)
    count: int = 0
    absent: bool = False
    low: int | None = None
    high: int | None = None
    characters: int = 0
    items: int = 0
    keys: set[Any] | None = field(default=None, repr=False)
    texts: set[str] | None = field(default_factory=set, repr=False)
    here: set[str] = field(default_factory=set, repr=False)
    listed: int = 0
    repeated: int = 0

    def next_message(self) -> None:
        """Begin another message."""
        self.listed += len(self.here)
        self.here.clear()

    def see(self, value: Any) -> None:
        """Count one value that is there."""
        self.count += 1
        if isinstance(value, str) and self.texts is not None:
            self.texts.add(value)
            if len(self.texts) > _FEW:
                self.texts = None
        if isinstance(value, dict):
            self.keys = {*value} if self.count == 1 or self.keys == value.keys() else None
        if isinstance(value, list):
            self.items += len(value)
        if isinstance(value, str):
            self.characters += len(value)
            self.repeated += len(value) if value in self.here else 0
            self.here.add(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)
            for word, size in self.sizes.items():
                self.taken[word] += size(value)
        for word in [word for word, holds in self.forms.items() if not holds(value)]:
            del self.forms[word]


@dataclass(frozen=True)
class Suggestion:
    """A change that loses nothing.

    Attributes:
        path: the place that it changes.
        change: the change as a user types it.
        reason: the fact about the values for which it is suggested; it has no value of them.
        promise: the bytes of all messages that it may save, by a rough guess, for what is to be tried first.
    """

    path: str
    change: str
    reason: str = field(compare=False)
    promise: float = field(default=0, compare=False)

    @property
    def in_words(self) -> str:
        """The change in a sentence: ``order_id as uuid``."""
        word, _, argument = self.change.partition("=")
        kind = _IN_WORDS.get(word) or argument.removeprefix(f"{self.path}:")
        return f"{self.path} {kind}" if word == "required" else f"{self.path} as {kind}"


def suggestions(
    schema: Schema, messages: Iterable[Any], most: int | None = None, idls: Collection[str] = ()
) -> tuple[list[Suggestion], int]:
    """Return the changes that lose nothing of these messages, in the order of the schema, and how many that
    promise less are left out. Of the forms that texts or floats have, it is the one that says most; whether
    a table of texts does more than that is for measuring to tell.

    Args:
        most: how many to return at most; None for all.
        idls: those whose forms of numbers are weighed.
    """
    known = {(each.owner, each.part, each.items): each for each in places(schema) if each.type is not None}
    seen = {
        key: SeenValues(_forms_of(each.inner), sizes_at(schema, each, idls)) for key, each in known.items()
    }
    texts = [seen[key] for key, place in known.items() if place.inner == string]
    for message in messages:
        for key, value in _values(schema.root, message):
            if value is None:
                seen[key].absent = True
            else:
                seen[key].see(value)
        for each in texts:
            each.next_message()
    found = [made for key, place in known.items() if seen[key].count for made in _made(place, seen[key])]
    ranked = iter(sorted(found, key=lambda each: -each.promise))
    kept = list(islice((each for each in ranked if _is_possible(schema, each)), most))
    chosen = {*kept}
    return [each for each in found if each in chosen], sum(1 for _ in ranked)


def texts_at(schema: Schema, messages: Iterable[Any], paths: Collection[str]) -> dict[str, list[Any]]:
    """Return the distinct texts of these paths, of maps their keys, in the order in which messages have
    them."""
    known = {(each.owner, each.part, each.items): each.path for each in places(schema)}
    found: dict[str, dict[Any, None]] = {}
    for message in messages:
        for key, value in _values(schema.root, message):
            if (path := known[key]) in paths and value is not None:
                found.setdefault(path, {}).update(dict.fromkeys([value] if isinstance(value, str) else value))
    return {path: list(texts) for path, texts in found.items()}


def _is_possible(schema: Schema, suggestion: Suggestion) -> bool:
    try:
        parse(suggestion.change, schema)
    except SelectionError:
        return False
    return True


def _forms_of(type: Any) -> dict[str, Callable[[Any], bool]]:
    """The tests of values by the words of the forms that they may have."""
    forms = {word: form for word in FORMS if (form := form_of(type, word))}
    found: dict[str, Callable[[Any], bool]] = {word: form.holds for word, form in forms.items()}
    if type == string:
        found["number"] = _is_number
    if type == f64:
        found["f32"] = lambda value: as_float(f32, value) is not NOTHING
    return found


_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
"""The texts of whole numbers that fit 64 bits and have no leading zero."""


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _values(type: Any, value: Any) -> Iterator[tuple[tuple[str, str, int], Any]]:
    """The key of a place and the value there, for each place in a value of a record or union."""
    type = resolved(type)
    if isinstance(type, Record):
        held = zip(type.fields, value, strict=True)
    elif isinstance(type, Union):
        held = [(type.alternatives[value[0]], value[1])]  # type: ignore[assignment]
    else:
        return
    for part, each in held:
        if part.type is not None:
            yield from _behind((type.name, part.name), 0, part.type, each)


def _behind(owner: tuple[str, str], items: int, type: Any, value: Any) -> Iterator[Any]:
    type = resolved(type)
    yield (*owner, items), value
    if value is None:
        return
    inner = resolved(type.item) if isinstance(type, Optional) else type
    match inner:
        case List(item) | Array(item, _):
            for each in value:
                yield from _behind(owner, items + 1, item, each)
        case Map(_, item):
            for each in value.values():
                yield from _behind(owner, items + 1, item, each)
        case Record() | Union():
            yield from _values(inner, value)


def _made(place: Place, seen: SeenValues) -> Iterator[Suggestion]:
    """The suggestions for one place: that it is always there, and those for its values."""
    path = place.path
    if isinstance(place.type, Optional) and not seen.absent:
        yield Suggestion(path, f"required={path}", "it is always there", seen.count / _PER_BYTE)
    inner = place.inner
    if isinstance(inner, Record) and len(inner.fields) == 1:
        yield Suggestion(path, f"ungroup={path}", "it has one field", seen.count)
    item = resolved(item_of(inner)) if isinstance(inner, List) else None
    if isinstance(item, Record) and seen.items >= _LISTED * seen.count:
        promise = seen.items * len(item.fields)
        yield Suggestion(path, f"columns={path}", "lists have several records", promise)
    if seen.keys and len(seen.keys) <= _FEW and seen.count >= _OFTEN:
        characters = sum(len(str(key)) for key in seen.keys)
        change = f"record={path}:{len(seen.keys)},{round(characters / len(seen.keys))}"
        yield Suggestion(path, change, "maps have the same keys", seen.count * (characters + len(seen.keys)))
    if seen.low is not None and isinstance(place.inner, Scalar):
        yield from _narrower(place, seen)
        yield from _shorter(path, seen)
    is_enum = inner == string and seen.texts and seen.characters and seen.count >= _OFTEN * len(seen.texts)
    words = [word for word in _RANKED if word in seen.forms and _is_meant(word, seen)]
    if words and not (is_enum and words[0] in _SHORTEST):
        yield _reworded(path, words[0], seen)
    elif is_enum and seen.texts:
        change = f"retype={path}:enum({len(seen.texts)},{round(seen.characters / seen.count)})"
        many = (
            f"there are {len(seen.texts)} different texts" if len(seen.texts) > 1 else "all texts are equal"
        )
        yield Suggestion(path, change, many, seen.characters)
    if inner == string and (promise := seen.repeated - _ENTRY * seen.listed) >= seen.count:
        share = f"{100 * (1 - seen.listed / seen.count):.0f} %"
        reason = f"{share} of the texts repeat one of their message"
        yield Suggestion(path, f"dictionary={path}", reason, promise)


_MEANT = {
    "uuid": "all texts are UUIDs",
    "date": "all texts are dates",
    **{f"timestamp({unit})": f"all texts are moments in {unit}" for unit in ("s", "ms", "us", "ns")},
    "number": "all texts are whole numbers",
    **{
        f"digits({scale})": f"all texts are numbers with {scale} decimal{'s' * (scale > 1)}"
        for scale in range(1, 7)
    },
    "hex": "all texts are bytes in hexadecimal digits",
    "base64": "all texts are bytes in base64",
    "f32": "all values are exact in 32 bits",
    **{
        f"decimal({scale})": f"all values have at most {scale} decimal{'s' * (scale > 1)}"
        for scale in range(1, 7)
    },
}
_KEPT = {"uuid": 17 / 36, "date": 0.3, "timestamp": 0.35, "base64": 0.75}
"""The word of a form → about the share of the bytes that stays; half of them where none is here."""

_PER_BYTE = 8
"""Bits in a byte: a value that is always there may save the bit that tells so. A number with fewer bytes
counts as little, since most formats write small numbers in few bytes anyway."""

_RANKED = list(_MEANT)
"""The words of forms, those that say most of a value first."""


def _is_meant(word: str, seen: SeenValues) -> bool:
    return seen.characters >= _SHORTEST.get(word, 0) * seen.count


def _reworded(path: str, word: str, seen: SeenValues) -> Suggestion:
    change = {"number": f"parse={path}:i64", "f32": f"narrow={path}:f32"}.get(word, f"retype={path}:{word}")
    kept = _KEPT.get(word.partition("(")[0], 0.5)
    return Suggestion(path, change, _MEANT[word], (1 - kept) * (seen.characters or 8 * seen.count))


def _shorter(path: str, seen: SeenValues) -> Iterator[Suggestion]:
    """The form of numbers in which they take fewest bytes, where that is not the one that they have."""
    own, least = next(iter(seen.sizes), ""), min(seen.sizes, key=lambda word: seen.taken[word], default="")
    if seen.taken[least] < seen.taken[own]:
        took, takes = (f"{seen.taken[word] / seen.count:.1f}" for word in (own, least))
        reason = f"numbers take {takes} bytes on average, and {took} as {own}"
        yield Suggestion(path, f"hint={path}:{least}", reason, seen.taken[own] - seen.taken[least])


def _narrower(place: Place, seen: SeenValues) -> Iterator[Suggestion]:
    fits = [
        SCALARS[name]
        for name in numbers_for("narrow", place.inner)
        if SCALARS[name].bounds[0] <= (seen.low or 0) and (seen.high or 0) <= SCALARS[name].bounds[1]
    ]
    if fits:
        least = min(fits, key=lambda each: each.width)
        reason = f"all numbers fit {8 * least.width} bits"
        promise = seen.count * (place.inner.width - least.width) / _PER_BYTE
        yield Suggestion(place.path, f"narrow={place.path}:{least.name}", reason, promise)
