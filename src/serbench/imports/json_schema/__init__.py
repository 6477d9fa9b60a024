"""JSON Schema, of draft 4 to 2020-12; its data are JSON.

A schema becomes cases, one of which each value fits (combining.py). From cases follows the shape of a value:
what it may be (shapes.py, objects.py, kinds.py). Shapes become types (mapping.py). Data are read by the same
code as JSON whose schema is inferred. Losses are told (telling.py):

- JSON does not say to which alternative a value belongs, so alternatives of one kind become one: two kinds of
  objects become a record with the members of both;
- conditions, lengths and patterns are not types, and documents are not checked against them;
- a value that the schema does not describe becomes a union of all kinds;
- members that an object may have, but whose names the schema does not say, have no place in a record.

A schema that leads out of the given files, has no end, or is not valid is refused with file and place.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from serbench.errors import SchemaError
from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.json import ROOT, read_values
from serbench.imports.json.files import FRAMINGS, notes_of, sources
from serbench.imports.json.recognise import is_schema
from serbench.imports.json.settings import PathSettings
from serbench.imports.json_schema.documents import Documents, SubSchema
from serbench.imports.json_schema.mapping import build
from serbench.imports.packed import unpacked_head

_LONGEST_TITLE = 40


def read(request: Request) -> Imported:
    """Imports the schema of the first file, which may refer to schemas in the other files; the data are JSON.

    Raises:
        InputError: a file is not JSON Schema, refers to something that is not given, or has what the type
            model cannot express; or a setting is wrong.
    """
    settings = PathSettings.parse(request.settings)
    try:
        documents = Documents.of(request.files)
        part = documents.message(request.root)
        built = build(documents, part, _name(part, request.root), settings)
        made = Imported(built.root, built.also, built.mapping, built.losses)
        made.schema("import")
    except RecursionError as error:
        found, expected = "too deeply nested schemas", "a less deeply nested schema"
        raise refused(request.files[0], "", found, expected) from error
    except SchemaError as error:
        raise refused(request.files[0], "", error.problems[0], "types that have values") from error
    files = sources(request.data, request.framing) if request.data else []
    values = partial(read_values, files, built) if files else None
    return replace(made, values=values, notes=notes_of(files, request.framing))


def _name(part: SubSchema, root: str) -> str:
    """Returns the name of the type of messages: the one asked for, or the schema's definition or title."""
    if root and not root.startswith("#"):
        return root
    title = part.keywords.get("title")
    return part.definition or (title if isinstance(title, str) and 0 < len(title) <= _LONGEST_TITLE else ROOT)


def recognises(head: bytes) -> bool:
    """Whether a file with these first bytes, which may be packed, is a JSON Schema."""
    return is_schema(unpacked_head(head))


FORMAT = Format(
    name="json-schema",
    title="JSON Schema",
    suffixes=(".json",),
    read=read,
    recognises=recognises,
    framings=FRAMINGS,
    beginning=lambda head: "is a JSON Schema" if recognises(head) else "",
)
