"""JSON Schema, of draft 4 to 2020-12; its data are JSON.

What a schema says becomes cases (combining.py), what a value may be in them shapes (shapes.py, objects.py,
kinds.py), and shapes become types (mapping.py). Data are read by the readers of those whose schema is
inferred. What is lost is told (telling.py):

- JSON does not say which alternative a value is of, so those of one kind become one: two kinds of objects are
a record with the
  members of both;
- conditions, lengths and patterns are no types, and documents are not held to them;
- a value of which nothing is said is a union of all kinds;
- members that an object may have without their names being known have no place in a record.

Refused, with file and place, is what leads out of the files that are given, has no end or is no schema.
"""

from __future__ import annotations

from functools import partial

from serbench.errors import SchemaError
from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.json import ROOT, read_values
from serbench.imports.json.files import FRAMINGS, sources
from serbench.imports.json.recognise import is_schema
from serbench.imports.json.settings import Settings
from serbench.imports.json_schema.documents import Documents, Part
from serbench.imports.json_schema.mapping import build
from serbench.imports.packed import unpacked_head

_LONGEST_TITLE = 40


def read(request: Request) -> Imported:
    """The schema of the first file, and what of the others it refers to; the data are JSON.

    Raises:
        InputError: a file is none of JSON Schema, refers to what is not given, or has what cannot be told in
            the type model; or a setting is wrong.
    """
    settings = Settings.parse(request.settings)
    try:
        documents = Documents.of(request.files)
        part = documents.message(request.root)
        built = build(documents, part, _name(part, request.root), settings)
        made = Imported(
            built.root,
            [type for name, type in built.declared.items() if name != built.root.name],
            built.mapping,
        )
        made.schema("import")
    except RecursionError as error:
        raise refused(
            request.files[0], "", "too deeply nested schemas", "a less deeply nested schema"
        ) from error
    except SchemaError as error:
        raise refused(request.files[0], "", error.problems[0], "types that have values") from error
    files = sources(request.data, request.framing) if request.data else []
    values = partial(read_values, files, built) if files else None
    return Imported(made.root, made.also, made.mapping, built.losses, values)


def _name(part: Part, root: str) -> str:
    """Of the type of messages: as it is asked for, or by its title."""
    if root and not root.startswith("#"):
        return root
    title = part.keywords.get("title")
    return part.definition or (title if isinstance(title, str) and 0 < len(title) <= _LONGEST_TITLE else ROOT)


def recognises(head: bytes) -> bool:
    """Whether a file that begins so, maybe packed, is a JSON Schema."""
    return is_schema(unpacked_head(head))


FORMAT = Format(
    name="json-schema",
    title="JSON Schema",
    suffixes=(".json",),
    read=read,
    recognises=recognises,
    framings=FRAMINGS,
)
