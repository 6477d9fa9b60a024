"""What is timed is what is checked: between samples and in the midst of them, outside the clock, values of
the messages change, and what the timed passes left is held to what it must be (docs/protocol.md, "Edits").

Domain objects change where they lie, without a call into the adapter. Bytes cannot change in Python, so that
others take their place. Native objects and views are the library's, and are made anew.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from serbench_runner.cell import Cell
from serbench_runner.edits import Edits, Forced, become
from serbench_runner.errors import Refused
from serbench_runner.exact import require_exact
from serbench_runner.inputs import Inputs
from serbench_runner.loops import Operation

VERDICT = "the timed code returns remembered results, or skips work"


class Watching:
    """Changes the messages of ``inputs``, and looks at what passes leave of the last one."""

    def __init__(self, cell: Cell, inputs: Inputs, edits: Edits, draws: random.Random):
        self._cell, self._inputs, self._edits, self._draws = cell, inputs, edits, draws
        self._last = 0
        self._forced: Forced = {}
        self._shifted: Forced = {}
        self._later: dict[int, bytes] = {}
        self._stale: set[int] = set()
        self._given_back: dict[int, bytes] = {}
        self._encoder, self._decoder = cell.encoder(), cell.decoder()

    def renew(self, kind: str) -> None:
        """Changes values, and what was prepared from them; ``kind`` is what an operation starts from."""
        self._last = self._edits.draw_message(self._draws)
        self._inputs.end_with(self._last)
        self._later = {}
        later = self._edits.draw_several(self._last, self._forced, self._draws)
        now = self._edits.draw_several(self._last, later, self._draws)
        if kind == "encoded":
            self._set(later)
            for message in {*self._stale, *now}:
                self._later[message] = self._inputs.encode(self._inputs.roots[message])
        self._set(now)
        for message in self._stale:
            self._inputs.renew(message)
        self._stale.clear()
        self._shifted = later

    def shift(self, kind: str) -> None:
        """Changes values once more without a call into the adapter, where that can be."""
        if kind == "roots":
            self._set(self._shifted)
        elif kind == "encoded":
            self._set(self._shifted)
            for message, data in self._later.items():
                self._inputs.replace("encoded", message, data)

    def check(self, asked: str, operation: Operation, result: Any) -> None:
        """Holds what an operation left to what its last message now is; raises Refused if not."""
        message = self._last
        expected = (self._now(message, None), self._now(message, self._given_back_of(message)))
        if operation.gives == "sum":
            total = self._cell.walk if operation.walks and self._cell.walk else self._cell.traverse
            if result not in [total(self._cell.read(each)) for each in expected]:
                raise Refused(
                    f"the sum of {asked} does not match message {message} after its values changed: {VERDICT}"
                )
        elif self._cell.write(self._root(operation.gives, result)) not in expected:
            raise Refused(
                f"the result of {asked} does not match message {message} after its values changed: {VERDICT}"
            )

    def drawn(self, message: int) -> Any:
        """A message as a new domain object, with some of the values that it may have in place of its own."""
        has = message in self._edits.by_message
        edits = self._edits.draw(message, self._draws) if has else frozenset[int]()
        return self._cell.read(self._edits.applied(message, edits))

    def _root(self, gives: str, result: Any) -> Any:
        """The domain object that somebody gets of what an operation gave."""
        if gives == "native":
            result, gives = self._encoder.encode(result), "data"
        if gives == "data":
            result, gives = self._decoder.decode(bytes(result)), "view" if self._cell.extracts else "root"
        if gives == "view":
            result = self._decoder.extract(result)
        require_exact(result, self._cell.root)
        return result

    def _set(self, forced: Mapping[int, frozenset[int]]) -> None:
        """From now on these edits are in force, in the domain objects."""
        for message in {*self._forced, *forced}:
            new = self._cell.read(self._edits.applied(message, forced.get(message, frozenset())))
            if not become(self._inputs.roots[message], new):
                raise Refused(f"message {message} cannot be changed where it lies")
            self._stale.add(message)
        self._forced = forced

    def _now(self, message: int, data: bytes | None) -> bytes:
        return self._edits.applied(message, self._forced.get(message, frozenset()), data)

    def _given_back_of(self, message: int) -> bytes:
        """What a message, as the dataset has it, comes back as: another where a codec is lossy by design, to
        which ``verify`` holds it."""
        if message not in self._given_back:
            root = self._cell.read(self._edits.canonical[message])
            encoder, decoder = self._cell.encoder(), self._cell.decoder()
            data = bytes(encoder.encode(encoder.build(root) if self._cell.builds else root))
            view = decoder.decode(data)
            back = decoder.extract(view) if self._cell.extracts else view
            self._given_back[message] = self._cell.write(back)
        return self._given_back[message]
