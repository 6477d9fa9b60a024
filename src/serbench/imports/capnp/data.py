"""Reads the messages in data files, by capnp, which prints each as a line of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from serbench.imports.base import refused
from serbench.imports.capnp.compiler import CAPNP, CapnpNode, Nodes, copied, searching
from serbench.imports.capnp.values import Unfit, Values
from serbench.imports.compilers import CompilerFailed
from serbench.imports.framing import AUTO, AUTO_MEANING, checked, note_of, tried

FRAMINGS = {
    AUTO: AUTO_MEANING,
    "stream": "one or more messages, each preceded by its segment table",
    "packed": "the same, in packed encoding",
}

MOST_TEXT = 1 << 24
"""The most bytes of one message in JSON; its values take about twenty times as much while they are read."""

_JSON_ANNOTATIONS = str(0x8EF99297A43A5E34)
"""The id of ``/capnp/compat/json.capnp``."""

_MINUS_ZERO = re.compile(rb'"(?:\\.|[^"\\])*"|(-0)(?=[,\]}])')


def check(request_data: Sequence[Path], framing: str, schema: Nodes) -> None:
    """Raises InputError if the data cannot be read as the user asks, or with such a schema."""
    for file in request_data:
        checked(file, framing, FRAMINGS)
        if not file.is_file():
            raise refused(file, "", "no file", "data that can be read")
        if _JSON_ANNOTATIONS in schema.by_id:
            what = "a schema with annotations of capnp/compat/json.capnp"
            raise refused(
                file,
                "",
                what,
                "one without, since they change how capnp prints data",
                "remove the annotations",
            )


@dataclass(frozen=True)
class CapnpData:
    """Files with messages of a struct.

    Attributes:
        schema: the file with the schema.
        folders: the folders in which the schemas that it imports are looked for.
    """

    files: Sequence[Path]
    schema: Path
    folders: Sequence[Path]
    nodes: Nodes
    root: CapnpNode

    def framing(self, asked: str) -> tuple[str, list[str]]:
        """The framing that the user asks for, or the one that is found by trying, with a line that says so.

        Raises:
            InputError: no framing fits, or several that give different messages.
        """
        if given := checked(self.files[0], asked, FRAMINGS):
            return given, []
        trials = {name: partial(self._tried, name) for name in FRAMINGS if name != AUTO}
        found = tried(self.files, trials, self.root.name)
        return found, [note_of(self.files, found, FRAMINGS)]

    def _tried(self, framing: str) -> Iterator[bytes]:
        return (repr(value).encode() for value in self.values(framing))

    def values(self, framing: str) -> Iterator[Any]:
        """The values of all messages; raises InputError, which names the file and the message, if one cannot
        be read."""
        read = Values(self.nodes, self.root)
        for each in self.files:
            yield from _of_file(each, framing, read, self.root, self.schema, self.folders)


def _of_file(
    data: Path, framing: str, read: Values, root: CapnpNode, file: Path, folders: Sequence[Path]
) -> Iterator[Any]:
    if not data.stat().st_size:
        return
    form = {"stream": "binary", "packed": "packed"}[framing]
    number = 0
    with copied(file, folders) as sources:
        command = [
            "convert",
            f"{form}:json",
            "--short",
            "--quiet",
            *searching(sources),
            sources.main,
            root.name,
        ]
        try:
            for line in CAPNP.lines(command, sources.work, data, MOST_TEXT):
                number += 1
                yield _value(line, read, data, number)
        except CompilerFailed:
            expected = f"a message {root.name}"
            raise refused(
                data, f"message {number + 1}", "invalid bytes", expected, "change --root or --framing"
            ) from None


def _value(line: bytes, read: Values, data: Path, number: int) -> Any:
    place = f"message {number}"
    if len(line) > MOST_TEXT:
        raise refused(data, place, "a message that takes too much memory", "a smaller one")
    if b"-0" in line:
        line = _MINUS_ZERO.sub(lambda found: b"-0.0" if found[1] else found[0], line)
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise refused(
            data, place, "a text that is not UTF-8, or what capnp cannot tell", "a message of the schema"
        ) from None
    try:
        return read.of(message)
    except Unfit as unfit:
        raise refused(data, place, str(unfit), "a message of the schema") from None
