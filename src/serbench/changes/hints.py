"""The change of a whole number's form on the wire, such as fixed width in place of a varint; the type and the
values stay. Which forms there are is asked of the IDLs; one that has no such form writes the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from serbench.changes.change import Change, declared, edited, refused, with_parts_of
from serbench.changes.paths import Place, place_of
from serbench.idl import form_bytes, forms
from serbench.model import Alternative, Array, Field, List, Logical, Map, Optional, Scalar, Schema, Type, u8

Part = Field | Alternative


def hint(schema: Schema, text: str, argument: str) -> Change:
    """A whole number gets another form on the wire, ``path:word``: a hint for each IDL with the word."""
    path, _, word = argument.partition(":")
    place = place_of(schema, path)
    expected = words_at(schema, place)
    if not expected:
        raise refused(text, f"{path} is no whole number that an IDL writes in several forms")
    if word not in expected:
        written = "is its form already" if word in _known(schema, place) else "is no other form of it"
        raise refused(text, f"'{word}' {written}; expected {' or '.join(expected)}")
    owner = declared(schema)[place.owner]
    parts = [_hinted(p, place, word) if p.name == place.part else p for p in owner.parts]
    return Change(text, schema, edited(text, schema, {owner.name: with_parts_of(owner, parts)}))


def sizes_at(schema: Schema, place: Place, idls: Collection[str]) -> dict[str, Callable[[int], int]]:
    """For each form of the number at a place that these IDLs have, the form that it has first: the word → the
    bytes of a value; nothing for other places."""
    part = _part(schema, place)
    number = None if part is None else _number(part, place.items)
    found: dict[str, Callable[[int], int]] = {}
    if part is None or number is None:
        return found
    for idl, words in forms().items():
        known = words.get(number.name, ()) if idl in idls else ()
        own = [word for word in known if (idl, _said(part, word)) in part.hints]
        found |= {word: partial(form_bytes, idl, word) for word in dict.fromkeys((*own, *known))}
    return found


def words_at(schema: Schema, place: Place) -> list[str]:
    """The words for the forms that the number at a place could have and has not; none for other places."""
    return [word for word, is_written in _known(schema, place).items() if not is_written]


def _known(schema: Schema, place: Place) -> dict[str, bool]:
    """The words for all forms of the number at a place → whether the number has it in all IDLs."""
    part = _part(schema, place)
    number = None if part is None else _number(part, place.items)
    found: dict[str, bool] = {}
    if part is not None and number is not None:
        for idl, words in forms().items():
            known = words.get(number.name, ())
            said = [word for word in known if (idl, _said(part, word)) in part.hints] or known[:1]
            found |= {word: found.get(word, True) and word == said[0] for word in known}
    return found


def _hinted(part: Part, place: Place, word: str) -> Part:
    """The part with a hint for this form in place of the hints for others."""
    number = _number(part, place.items)
    assert number is not None
    hints = list(part.hints)
    for idl, words in forms().items():
        known = words.get(number.name, ())
        if word in known:
            hints = [each for each in hints if each not in [(idl, _said(part, other)) for other in known]]
            hints += [(idl, _said(part, word))] if word != known[0] else []
    return replace(part, hints=tuple(hints))


def _said(part: Part, word: str) -> str:
    """The hint that means a form: of the values of a map where the part is one."""
    return f"value {word}" if isinstance(part.type, Map) else word


def _part(schema: Schema, place: Place) -> Part | None:
    """The field or alternative of a place; None for members and the root."""
    owner = next((each for each in schema.composites if each.name == place.owner), None)
    return next((p for p in owner.parts if p.name == place.part), None) if owner else None


def _number(part: Part, items: int) -> Scalar | None:
    """The number to which a hint of the part applies: the part itself, which may be optional in a record, its
    items or its values; None for all others, since IDLs wrap these, and lists of ``u8`` are bytes."""
    type: Type | None = part.type
    if not items:
        type = type.item if isinstance(type, Optional) and isinstance(part, Field) else type
    elif items == 1 and isinstance(type, List | Array | Map) and isinstance(part, Field):
        is_bytes = not isinstance(type, Map) and type.item == u8
        type = None if is_bytes else type.value if isinstance(type, Map) else type.item
    else:
        return None
    base = type.base if isinstance(type, Logical) else type
    return base if isinstance(base, Scalar) and base.is_integer else None
