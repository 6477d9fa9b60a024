"""Imports files of columns (Parquet or Arrow) that all have the same schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from serbench.imports.base import Imported, Loss, Request, refused
from serbench.imports.columns.library import arrow
from serbench.imports.columns.mapping import RowTypes, Told
from serbench.imports.columns.reading import rows_of
from serbench.imports.columns.trial import schema_of
from serbench.imports.columns.trying import check
from serbench.imports.json.paths import WHOLE, member
from serbench.imports.json.settings import PathSettings
from serbench.text import safe, shortened

ROW = "Row"


def imported(
    request: Request,
    kind: str,
    title: str,
    told: Callable[[Path], Told] = lambda file: lambda number: "",
    never_null: Callable[[Path], Callable[[str], bool]] = lambda file: lambda column: False,
) -> Imported:
    """Imports the schema and the rows of files of one kind, ``parquet`` or ``arrow``.

    Args:
        title: the name of the format, for errors.
        told: for a file, returns a function from a column's number to the format's own type of it.
        never_null: for a file, returns a function that tells whether the column at a path has no nulls.

    Raises:
        InputError: a file cannot be read, has another schema than the first, or has what the type model
            cannot express.
        SetupError: pyarrow is not installed.
    """
    arrow()
    files = [*request.files, *request.data]
    of_columns = check(kind, title, files)
    schemas = [_schema(kind, title, file) for file in files]
    for file, schema in zip(files[1:], schemas[1:], strict=True):
        _check_same(file, schema, schemas[0])
    settings = PathSettings.parse(request.settings)
    bounds = {member(WHOLE, schemas[0].field(number).name): each for number, each in of_columns.items()}

    known = [never_null(file) for file in files]
    types = partial(
        RowTypes,
        files[0],
        schemas[0],
        request.root or ROW,
        settings,
        told=told(files[0]),
        never_null=lambda column: all(each(column) for each in known),
        bounds=bounds,
    )
    made = types(members={})
    if made.texts:
        for _ in rows_of(kind, files, made.columns):
            pass
        made = types(members=made.texts)
    values: Callable[[], Iterator[Any]] = partial(rows_of, kind, files, made.columns)
    return Imported(made.root, made.also, made.mapping, [*made.losses, *_in_folders(files)], values)


def _in_folders(files: Sequence[Path]) -> list[Loss]:
    """Returns a loss for each column that Hive or Spark put into names of folders, as in ``year=2026``."""
    found = dict.fromkeys(part.partition("=")[0] for file in files for part in file.parts[:-1] if "=" in part)
    what = "a column that is in the names of folders, and not in the files"
    return [Loss(_told(name), what) for name in found]


def _schema(kind: str, title: str, file: Path) -> Any:
    try:
        schema = schema_of(kind, str(file))
    except Exception as error:  # any kind: the trial has read the file without one
        raise refused(file, "", f"bytes that are no {title}", f"a file of {title}") from error
    if (place := _unreadable_name(schema)) is not None:
        raise refused(file, _told(place), "a name that is not valid UTF-8", "names that are text")
    return schema


def _unreadable_name(fields: Iterable[Any], path: str = "") -> str | None:
    """Returns the place of the first field, or field inside a field, whose name is not valid UTF-8, so that
    pyarrow cannot give it; None if there is none."""
    for number, field in enumerate(fields, 1):
        where = f"{path}, field {number}" if path else f"column {number}"
        try:
            _ = field.name
        except UnicodeDecodeError:
            return where
        if (found := _unreadable_name(_inner_fields(field.type), where)) is not None:
            return found
    return None


def _inner_fields(type: Any) -> list[Any]:
    types = arrow().types
    if types.is_map(type):
        return [type.key_field, type.item_field]
    if types.is_struct(type) or types.is_union(type):
        return [type.field(number) for number in range(type.num_fields)]
    if isinstance(type, arrow().BaseExtensionType):
        return _inner_fields(type.storage_type)
    if types.is_dictionary(type) or types.is_run_end_encoded(type):
        return _inner_fields(type.value_type)
    return [type.value_field] if hasattr(type, "value_field") else []


def _check_same(file: Path, schema: Any, first: Any) -> None:
    """Raises InputError if a file has another schema than the first file: data are not converted."""
    remedy = "import files of one schema at a time"
    if schema.names != first.names:
        new = next((name for name in schema.names if name not in first.names), None)
        gone = next((name for name in first.names if name not in schema.names), None)
        if new is not None:
            raise refused(
                file, _told(new), "a column that the first file lacks", "the columns of the first", remedy
            )
        found = "no such column" if gone is not None else "the columns in another order"
        raise refused(file, _told(gone or ""), found, "the columns of the first file", remedy)
    for here, there in zip(schema, first, strict=True):
        if not here.equals(there):
            found, expected = (f"{each.type}{'' if each.nullable else ' not null'}" for each in (here, there))
            raise refused(
                file, _told(here.name), _told(found), f"{_told(expected)}, as in the first file", remedy
            )


def _told(text: str) -> str:
    return shortened(safe(text, lines=False), 200)
