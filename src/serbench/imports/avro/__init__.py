"""Imports Avro by fastavro: schemas (``.avsc``), and container files (``.avro``) with schema and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from serbench.errors import SchemaError
from serbench.imports.avro.container import (
    MAGIC,
    Container,
    is_container,
    no_container,
    open_container,
)
from serbench.imports.avro.mapping import declare
from serbench.imports.avro.plan import MOST_CALLS, ReadingPlan
from serbench.imports.avro.reading import Reading
from serbench.imports.avro.schemas import Parsed, SchemaSource, load, parse
from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.beginnings import bytes_of
from serbench.imports.packed import ending_of
from serbench.model import Enum

_ELSEWHERE = {
    ".avdl": (
        "make schemas of it with `avro-tools idl2schemata FILE.avdl FOLDER`, "
        "and give the .avsc that has the message"
    ),
    ".avpr": (
        "make schemas of it with `avro-tools idl2schemata`, or give the types of its list `types` as an .avsc"
    ),
}
"""Suffixes of Avro's IDL, which no Python library reads, and of protocols → advice for the user."""


def read(request: Request) -> Imported:
    """Imports schemas and container files, as ``Format.read`` does."""
    schemas, containers = _opened(request.files)
    for file in request.data:
        if not is_container(file):
            raise no_container(file, request.files[0])
        containers.append(open_container(file))
    try:
        parsed, message = _message(schemas, containers, request.root)
        imported = declare(parsed, message)
        imported.schema("import")
        if not containers:
            return imported
        for container in containers:
            _check_same(container, imported)
        plan = _plan(parsed, message)
    except RecursionError as error:
        raise refused(
            request.files[0], "", "too deeply nested types", "a less deeply nested schema"
        ) from error
    except SchemaError as error:
        raise refused(request.files[0], "", error.problems[0], "a type that has values") from error
    values = partial(Reading(plan).values, containers)
    return replace(
        imported, values=values, some=values, count=lambda: sum(each.claimed() for each in containers)
    )


def _opened(files: Sequence[Path]) -> tuple[list[SchemaSource], list[Container]]:
    """Opens files: the schemas among them, and the container files, which have a schema of their own."""
    schemas, containers = [], []
    for file in files:
        if file.suffix.lower() in _ELSEWHERE:
            remedy = _ELSEWHERE[file.suffix.lower()]
            raise refused(file, "", f"Avro's {file.suffix.lower()}", "an .avsc or .avro file", remedy)
        if is_container(file):
            containers.append(open_container(file))
        elif ending_of(file) == ".avro":
            raise no_container(file)
        else:
            schemas.append(load(file))
    return schemas, containers


def _message(
    schemas: Sequence[SchemaSource], containers: Sequence[Container], root: str
) -> tuple[Parsed, Any]:
    """The parsed schemas, or that of the first container if there are none; and the schema of a message."""
    if schemas:
        parsed = parse(schemas)
        return parsed, parsed.message(root)
    return _of_container(containers[0], root)


def _of_container(container: Container, root: str = "") -> tuple[Parsed, Any]:
    parsed = parse([container.schema])
    message = parsed.tops[0] if parsed.union is None else parsed.union
    if root and parsed.message(root) is not message:
        raise refused(container.file, "", "messages of another type", root, "omit --root")
    return parsed, message


def _check_same(container: Container, declared: Imported) -> None:
    """Raises InputError if a container file has another schema than the messages: data are not converted."""
    other = declare(*_of_container(container))
    expected, found = ({each.path: each.theirs for each in side.mapping} for side in (declared, other))
    fault = partial(refused, container.file, remedy="import files of one schema at a time")
    for path in dict.fromkeys([*expected, *found]):
        here, there = found.get(path, "no such part of its schema"), expected.get(path, "none")
        if here != there:
            raise fault(path, here, there)
    if [*expected] != [*found]:
        raise fault("", "the parts of its schema in another order", "that of the schema")
    for ours, theirs in zip(declared.also, other.also, strict=True):
        if isinstance(ours, Enum) and ours != theirs:
            raise fault(ours.name, "other symbols, or in another order", "those of the schema")


def _plan(parsed: Parsed, message: Any) -> ReadingPlan:
    plan = ReadingPlan(parsed, message)
    if plan.calls > MOST_CALLS:
        raise refused(parsed.file, "", "too deeply nested types", "a less deeply nested schema")
    if plan.endless:
        remedy = "a few bytes could claim any number of these"
        found = "a list of items that take no byte"
        raise refused(parsed.file, plan.endless, found, "items with a field or value", remedy)
    return plan


FORMAT = Format(
    name="avro",
    title="Avro",
    suffixes=(".avsc", ".avro", *_ELSEWHERE),
    read=read,
    beginning=bytes_of((MAGIC, "begins with Obj and a 1, as Avro's container files do")),
    has_signature=True,
)
