"""Reads messages of Cap'n Proto from files, by capnp, which prints each as a line of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from serbench.imports.base import Request, Unfit, refused
from serbench.imports.capnp.compiler import CAPNP, CapnpNode, Nodes, copied, searching
from serbench.imports.capnp.values import Values
from serbench.imports.compilers import CompilerFailed
from serbench.imports.framing import AUTO, AUTO_MEANING

FRAMINGS = {
    AUTO: AUTO_MEANING,
    "stream": "one or more messages, each preceded by its segment table",
    "packed": "the same, in packed encoding",
}

MOST_TEXT = 1 << 24
"""The most bytes of a message in JSON; while it is read, its values take about twenty times as much."""

_JSON_ANNOTATIONS = str(0x8EF99297A43A5E34)
"""The id of the file ``/capnp/compat/json.capnp``."""

_MINUS_ZERO = re.compile(rb'"(?:\\.|[^"\\])*"|(-0)(?=[,\]}])')


def check(data: Sequence[Path], schema: Nodes) -> None:
    """Raises InputError if there are data and the schema's annotations change how capnp prints them."""
    if data and _JSON_ANNOTATIONS in schema.by_id:
        found = "a schema with annotations of capnp/compat/json.capnp"
        expected = "one without, since they change how capnp prints data"
        raise refused(data[0], "", found, expected, "remove the annotations")


def values_of(request: Request, schema: Nodes, root: CapnpNode, framing: str) -> Iterator[Any]:
    """The values of all messages; raises InputError with the file and the number of a faulty message."""
    read = Values(schema, root)
    for data in request.data:
        if data.stat().st_size:
            yield from _of_file(data, framing, read, root, request)


def _of_file(data: Path, framing: str, read: Values, root: CapnpNode, request: Request) -> Iterator[Any]:
    form = {"stream": "binary", "packed": "packed"}[framing]
    number = 0
    with copied(request.files[0], request.folders) as sources:
        command = ["convert", f"{form}:json", "--short", "--quiet", *searching(sources)]
        try:
            for line in CAPNP.lines([*command, sources.main, root.name], sources.work, data, MOST_TEXT):
                number += 1
                yield _value(line, read, data, number)
        except CompilerFailed:
            expected = f"a message {root.name}"
            raise refused(
                data, f"message {number + 1}", "invalid bytes", expected, "change --root or --framing"
            ) from None


def _value(line: bytes, read: Values, data: Path, number: int) -> Any:
    fault = partial(refused, data, f"message {number}")
    if len(line) > MOST_TEXT:
        raise fault("a message that takes too much memory", "a smaller one")
    if b"-0" in line:
        line = _MINUS_ZERO.sub(lambda found: b"-0.0" if found[1] else found[0], line)
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        found = "a text that is not UTF-8, or what capnp cannot tell"
        raise fault(found, "a message of the schema") from None
    try:
        return read.of(message)
    except Unfit as unfit:
        raise fault(str(unfit), "a message of the schema") from None
