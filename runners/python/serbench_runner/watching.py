"""Checks the passes that are timed: between them, while nothing is timed, values of the messages change, and
results of timed passes are written down for serbench, which knows the right ones (docs/protocol.md, "What
passes leave").

Domain objects are changed in place, without a call into the adapter. Bytes are immutable in Python, so new
objects replace them. Native objects and views belong to the library, and are made anew.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from typing import Any

from serbench_runner.cell import Cell
from serbench_runner.edits import Edits, Forced, become
from serbench_runner.errors import Refused
from serbench_runner.exact import require_exact
from serbench_runner.inputs import Inputs
from serbench_runner.left import CANONICAL, ENCODED, SUM, Left
from serbench_runner.loops import Operation

VERDICT = "the timed code returns remembered results, or skips work"

_ALIKE = 1 << 31
"""Sums that differ by a multiple of this number count as equal: floats count by their bits, and some formats
turn -0.0 into 0.0."""


class Watching:
    """Changes the messages of ``inputs``, and writes down the results of passes for the last message.

    Encoded bytes are not decoded and compared here: an adapter that cheats in both encoding and decoding
    would agree with itself.
    """

    def __init__(self, cell: Cell, inputs: Inputs, edits: Edits, draws: random.Random, left: Left):
        self._cell, self._inputs, self._edits, self._draws = cell, inputs, edits, draws
        self._left = left
        draws.shuffle(edits.spared)
        self._last = 0
        self._forced: Forced = {}
        self._shifted: Forced = {}
        self._later: dict[int, bytes] = {}
        self._stale: set[int] = set()
        self._encoder, self._decoder = cell.encoder(), cell.decoder()  # others than those of the passes

    def renew(self, kind: str, shifts: bool) -> None:
        """Changes values of messages before a sample, and the inputs that were prepared from them.

        Args:
            kind: the form of input from which an operation starts.
            shifts: whether ``shift`` will change values once more before results are written down. When they
                are, values always differ from those when results were last written down.
        """
        self._last = self._edits.draw_message(self._draws)
        self._inputs.end_with(self._last)
        self._later = {}
        later = self._edits.draw_several(self._last, self._forced, self._draws)
        if not shifts or kind not in ("roots", "encoded"):
            now = later
        else:
            now = self._edits.draw_several(self._last, later, self._draws)
        if kind == "encoded":
            self._set(later)
            for message in {*self._stale, *now}:
                self._later[message] = self._inputs.encoded(message)
        self._set(now)
        for message in self._stale:
            self._inputs.renew(message)
        self._stale.clear()
        self._shifted = later

    def shift(self, kind: str) -> None:
        """Changes values once more in the midst of a sample, if that is possible without a call into the
        adapter."""
        if kind == "roots":
            self._set(self._shifted)
        elif kind == "encoded":
            self._set(self._shifted)
            for message, data in self._later.items():
                self._inputs.replace("encoded", message, data)

    def write_down(self, cell: str, operation: Operation, result: Any) -> None:
        """Appends the result of an operation on its last message to the file.

        Raises:
            Refused: the result is not of the domain's types, or is not the sum of this message.
        """
        message, forced = self._last, self._forced.get(self._last, frozenset())
        kind, rest = self._found(operation.gives, result)
        self._left.add(cell, kind, message, self._edits.numbers(message, forced), rest, operation.walks)
        if operation.gives == "sum":
            total = self._cell.walk if operation.walks and self._cell.walk else self._cell.traverse
            if (result - total(self._cell.read(self._edits.applied(message, forced)))) % _ALIKE:
                raise Refused(
                    f"the sum of {cell.partition(':')[0]} does not match message {message} after its values "
                    f"changed: {VERDICT}"
                )

    def drawn(self, message: int) -> Any:
        """A message as a new domain object, in which some randomly drawn edits replace its own values."""
        has = message in self._edits.by_message
        edits = self._edits.draw(message, self._draws) if has else frozenset[int]()
        return self._cell.read(self._edits.applied(message, edits))

    @property
    def spared(self) -> int:
        """The number of given bodies that no pass has taken yet."""
        return len(self._edits.spared)

    def unseen(self, number: int) -> list[bytes]:
        """Given bodies, as many as ``number`` says, that no pass has taken yet."""
        return [self._inputs.given(self._edits.spared.pop()) for _ in range(number)]

    def _found(self, gives: str, result: Any) -> tuple[int, bytes]:
        """The kind of a result (canonical bytes, encoded bytes or a sum), and its bytes for the file."""
        if gives == "sum":
            return SUM, struct.pack("<Q", result & (1 << 64) - 1)
        if gives == "data":
            return ENCODED, bytes(result)
        if gives == "native":
            return ENCODED, bytes(self._encoder.encode(result))
        if gives == "view" and self._cell.extracts:
            result = self._decoder.extract(result)
        require_exact(result, self._cell.root)
        return CANONICAL, self._cell.write(result)

    def _set(self, forced: Mapping[int, frozenset[int]]) -> None:
        """Puts these edits, and no others, in force in the domain objects."""
        for message in {*self._forced, *forced}:
            edits = forced.get(message, frozenset())
            new = self._cell.read(self._edits.applied(message, edits))
            if not become(self._inputs.roots[message], new):
                raise Refused(f"message {message} cannot be changed where it lies")
            self._inputs.give_edited(message, self._edits.numbers(message, edits))
            self._stale.add(message)
        self._forced = forced
