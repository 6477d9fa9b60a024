"""Compiles the timed loop of each operation and memory policy: the work of a program on one message after the
other, and nothing else.

Each loop is written as text and compiled, so that an operation costs only its calls: no cell pays for choices
that would be made for each message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from serbench_runner.cell import Cell
from serbench_runner.errors import Refused

Batch = Callable[[int], Any]
"""A function that makes a given number of passes over all messages; returns the last message's result."""

COUNTERPARTS = {"serialize": "encode", "deserialize": "decode", "roundtrip": "native_roundtrip"}
"""Operation → the operation that a floor does in its place, since a floor leaves out build and extract."""


@dataclass(frozen=True)
class Operation:
    """An operation of a cell.

    Attributes:
        name: the operation that is done; for a floor, the one that it does in place of the one asked for.
        starts_from: the form of the input: ``roots``, ``natives``, ``encoded`` or ``views``.
        gives: the form of the result: ``native``, ``data``, ``view``, ``root``, or ``sum``.
        walks: whether the sum is that of a walk.
        body: the statements of the loop for one message, which is called ``item``.
    """

    name: str
    starts_from: str
    gives: str
    walks: bool
    body: tuple[str, ...]


def operation_of(cell: Cell, asked: str, memory: str) -> Operation:
    """The operation ``asked`` of a cell under a memory policy; raises Refused if the cell does not offer
    it."""
    if asked not in cell.offered():
        raise Refused(f"this codec has no operation {asked}")
    name = COUNTERPARTS.get(asked, asked) if cell.is_floor else asked
    start, gives, body = _Body(cell, memory).of(name)
    body = list(filter(None, body))
    return Operation(name, start, gives, name.endswith("walk"), (*_let_go(gives, body), *body))


def _let_go(gives: str, body: list[str]) -> list[str]:
    """The statement that frees the result of the previous message before the next one, as at the end of a
    function that is called for each message. With two results of a large message alive at once, orjson's
    dicts and dataclasses took a tenth longer."""
    names = dict.fromkeys(line.partition(" = ")[0] for line in body)
    if gives == "sum":
        del names["result"]
    return [f"{' = '.join(names)} = None"] if names else []


class _Body:
    """Writes the statements for one message, called ``item``, whose result is called ``result``."""

    def __init__(self, cell: Cell, memory: str):
        self._cell = cell
        self._write = _Side(cell.encoder, "encoder", memory)
        self._read = _Side(cell.decoder, "decoder", memory)
        self._natives = "natives" if cell.builds else "roots"
        self._viewed = "view" if cell.extracts else "root"

    def of(self, name: str) -> tuple[str, str, list[str]]:
        """The form of an operation's input, the form of its result, and its statements."""
        write, read = self._write, self._read
        match name:
            case "build":
                return "roots", "native", [write.begin, f"result = {write.call('build', 'item')}"]
            case "encode":
                return self._natives, "data", [write.begin, f"result = {write.call('encode', 'item')}"]
            case "serialize":
                return "roots", "data", self._serialized("result")
            case "decode" | "decode_fast":
                return "encoded", self._viewed, self._decoded("result", "item", name)
            case "deserialize":
                return "encoded", "root", self._deserialized("item")
            case "extract":
                return "views", "root", [read.begin, f"result = {read.call('extract', 'item')}"]
            case "traverse" | "walk":
                return "views", "sum", [read.begin, self._sum(name, "item")]
            case "native_roundtrip":
                encoded = [write.begin, f"data = {write.call('encode', 'item')}"]
                return self._natives, self._viewed, [*encoded, *self._decoded("result", "data", "decode")]
            case "roundtrip":
                return "roots", "root", [*self._serialized("data"), *self._deserialized("data")]
            case "cycle":
                read_back = [*self._decoded("view", "data", "decode"), self._sum("traverse", "view")]
                return "roots", "sum", [*self._serialized("data"), *read_back]
            case "read" if self._cell.traverses:
                return self.of("decode_traverse")
            case "read":
                return "encoded", "sum", [*self._deserialized("item"), "result = traverse(result)"]
            case _:
                decode, _, total = name.rpartition("_")
                return "encoded", "sum", [*self._decoded("view", "item", decode), self._sum(total, "view")]

    def _serialized(self, to: str) -> list[str]:
        write = self._write
        if not self._cell.builds:
            return [write.begin, f"{to} = {write.call('encode', 'item')}"]
        built = f"native = {write.call('build', 'item')}"
        return [write.begin, built, f"{to} = {write.call('encode', 'native')}"]

    def _decoded(self, to: str, source: str, method: str) -> list[str]:
        return [self._read.begin, f"{to} = {self._read.call(method, source)}"]

    def _deserialized(self, source: str) -> list[str]:
        decoded = self._decoded("result", source, "decode")
        return (
            [*decoded, f"result = {self._read.call('extract', 'result')}"] if self._cell.extracts else decoded
        )

    def _sum(self, name: str, view: str) -> str:
        """The statement that sums over a view: by the library's own accessors if the adapter has them,
        otherwise over the domain object."""
        return f"result = {self._read.of(name) if self._cell.has(name) else name}({view})"


def compiled(cell: Cell, operation: Operation, messages: list[Any]) -> Batch:
    """The loop of an operation over ``messages``, a list that may change between two batches."""
    lines = [
        "def batch(iterations):",
        "    for _ in repeat(None, iterations):",
        "        for item in messages:",
        *(f"            {line}" for line in operation.body),
        "    return result",
    ]
    batch: Batch = _made(cell, operation, messages, "batch", lines)
    return batch


def compiled_once(cell: Cell, operation: Operation, messages: list[Any]) -> Callable[[], Any]:
    """A function that makes one pass, for samplers that have a loop of their own."""
    lines = [
        "def once():",
        "    for item in messages:",
        *(f"        {line}" for line in operation.body),
        "    return result",
    ]
    once: Callable[[], Any] = _made(cell, operation, messages, "once", lines)
    return once


def _made(cell: Cell, operation: Operation, messages: list[Any], made: str, lines: list[str]) -> Any:
    """Compiles the lines of a function named ``made``, with the names that they use; returns the function."""
    names: dict[str, Any] = {
        "repeat": repeat,
        "messages": messages,
        "Encoder": cell.encoder,
        "Decoder": cell.decoder,
        "traverse": cell.traverse,
        "walk": cell.walk,
    }
    for kept, side in (("encoder", cell.encoder), ("decoder", cell.decoder)):
        one = side()
        names |= {f"{kept}_{name}": getattr(one, name, None) for name in _METHODS}
    # As locals, which are found faster than globals, as in a function that an author writes.
    used = sorted(name for name in names if any(name in _words(line) for line in lines))
    text = "\n".join(
        ["def made(", *(f"    {name}," for name in used), "):", *(f"    {line}" for line in lines),
         f"    return {made}", ""]
    )  # fmt: skip
    space: dict[str, Any] = {}
    exec(compile(text, f"<{operation.name}>", "exec"), space)
    return space["made"](*(names[name] for name in used))


_METHODS = ("build", "encode", "decode", "decode_fast", "extract", "traverse", "walk")


class _Side:
    """The encoder or decoder in the text of a loop: made anew for each message, or kept, with its methods
    looked up once. An object without any state is always kept, since there is nothing to make anew."""

    def __init__(self, made: Any, name: str, memory: str):
        self._name = name
        holds = made.__init__ is not object.__init__ or made.__new__ is not object.__new__
        self._anew = memory == "fresh" and holds
        self.begin = f"{name} = {name.capitalize()}()" if self._anew else ""

    def call(self, method: str, argument: str) -> str:
        return f"{self.of(method)}({argument})"

    def of(self, method: str) -> str:
        return f"{self._name}.{method}" if self._anew else f"{self._name}_{method}"


def _words(line: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in line).split())
