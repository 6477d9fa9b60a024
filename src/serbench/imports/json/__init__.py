"""JSON and JSON lines: the schema is inferred from the data.

The first pass notes facts about the values at each path, in bounded memory (shape.py, scanning.py). From
these facts follow which objects are maps (settling.py), which objects are of the same record (sharing.py),
and the types (building.py, plain.py). The second pass reads the values (values.py, quick.py). The mapping
says what was guessed, and why; the user can set another type (settings.py). Losses are told:

- whole numbers beyond 64 bits become doubles, as do numbers with a fraction or an exponent;
- if an object has a key twice, the last value counts;
- missing and null both become absent; several kinds of values at one path become a union.

Numbers that no double holds, half a surrogate pair, NaN, and whatever is not JSON are refused with file,
place and path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from serbench.imports.base import (
    Format,
    Imported,
    Loss,
    PassOver,
    Request,
    pass_over_none,
    refused,
    wanted_of,
)
from serbench.imports.json.building import build
from serbench.imports.json.files import FRAMINGS, LINE_SUFFIXES, JsonFile, notes_of, sources
from serbench.imports.json.making import JsonTypes
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member, shown
from serbench.imports.json.quick import REFUSALS, quick_reader
from serbench.imports.json.recognise import beginning, recognises
from serbench.imports.json.scanning import Scan, find_members, parsed
from serbench.imports.json.settings import PathSettings
from serbench.imports.json.settling import settle
from serbench.imports.json.shape import Node
from serbench.imports.json.sharing import share
from serbench.imports.json.values import Converters, Unfit

ROOT = "Root"


def read(request: Request) -> Imported:
    """Infers the schema of all messages of all files, which make one dataset.

    Raises:
        InputError: a file cannot be read, a text is not JSON, the values have no shape that can be a schema,
            or a setting is wrong.
    """
    settings = PathSettings.parse(request.settings)
    files = sources([*request.files, *request.data], request.framing)
    found = Scan(files)
    root = found.shape.root
    settle(root, settings)
    if any(wanted.kind == "enum" for wanted in settings.by_path.values()):
        find_members(found.shape, files)
    share(root)
    built = build(root, request.root or ROOT, str(files[0].file))
    losses = [*built.losses, *_repeated(found)]
    values = partial(read_values, files, built)
    checked = not settings.by_path  # the first pass has checked all values, except against settings
    return Imported(
        built.root,
        built.also,
        built.mapping,
        losses,
        values,
        values if checked else None,
        lambda: found.messages,
        notes_of(files, request.framing),
        built.open,
    )


def read_values(
    files: Sequence[JsonFile], built: JsonTypes, pass_over: PassOver = pass_over_none
) -> Iterator[Any]:
    """Makes a value of the root type of each wanted message; raises InputError if one does not fit the types.
    Messages that are not wanted are not read."""
    value = _value_of(built)
    for source in files:
        for first, piece in source.pieces():
            for number, text in wanted_of(source.messages_in(first, piece), pass_over):
                yield value(source, number, text)


def _value_of(built: JsonTypes) -> Callable[[JsonFile, int, bytes], Any]:
    """Returns a function that makes a value of the root type from a message, which is given as its file, its
    number and its text. The function raises InputError, which names file and number, for a message that does
    not fit."""
    convert = Converters(built).of_messages()

    def slowly(source: JsonFile, number: int, text: bytes) -> Any:
        try:
            return convert(parsed(source, number, text))
        except Unfit as error:
            place = ", ".join(filter(None, (source.place(number), error.path)))
            raise refused(source.file, place, error.found, error.expected) from None

    quick = quick_reader(built)
    if quick is None:
        return slowly
    decode, convert_quickly = quick

    def quickly(source: JsonFile, number: int, text: bytes) -> Any:
        try:
            return convert_quickly(decode(text))
        except REFUSALS:
            return slowly(source, number, text)

    return quickly


def _repeated(found: Scan) -> Iterator[Loss]:
    what = "duplicate keys in an object: the last value counts, as in most JSON readers"
    return (
        Loss(path, what) for path in dict.fromkeys(_path(found.shape.root, keys) for keys in found.repeated)
    )


def _path(root: Node, keys: Sequence[str]) -> str:
    """Returns the path to which ``keys`` lead from the root. It names no keys of maps, since those are
    data."""
    path, node = WHOLE, root
    for key in keys:
        if key == ITEM and node.items:
            path, node = inside(path, ITEM), node.items
        elif node.values:
            path, node = inside(path, VALUE), node.values
        elif (fields := node.object) and key in fields.members:
            path, node = member(path, key), fields.members[key]
        else:
            break
    return shown(path)


FORMAT = Format(
    name="json",
    title="JSON",
    suffixes=(".json", *LINE_SUFFIXES),
    read=read,
    recognises=recognises,
    framings=FRAMINGS,
    beginning=beginning,
    readings=2,
)
