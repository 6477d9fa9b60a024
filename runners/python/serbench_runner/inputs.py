"""Prepares the inputs of operations: the messages of a dataset as domain objects, native objects, bytes and
views."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from serbench_runner.cell import Cell

_GAPS = 256 * 1024
"""The most bytes in memory for all gaps between the messages in one form."""


class Inputs:
    """The messages of a dataset, in each form that was asked for.

    Args:
        draws: gives the random gaps between objects, so that no two processes have them at the same places in
            memory.
    """

    def __init__(self, cell: Cell, canonical: Sequence[bytes], draws: random.Random):
        self.cell = cell
        self._draws = draws
        self._gaps: list[bytes] = []
        self._first = 0
        self._given: Sequence[bytes] = ()
        self._bodies: list[int] = []
        self._encoder, self._decoder = cell.encoder(), cell.decoder()
        self._in_order: dict[str, list[Any]] = {"roots": []}
        self._as_passed: dict[str, list[Any]] = {}
        for message in canonical:
            self._leave_gap(len(canonical))
            self.roots.append(cell.read(message))

    def give(self, bodies: Sequence[bytes]) -> None:
        """Takes bytes of another program in place of those that the codec's encoder would make: one body for
        each message, and then one for each edit."""
        self._given, self._bodies = bodies, list(range(len(self.roots)))

    @property
    def are_given(self) -> bool:
        """Whether bytes are those of another program."""
        return bool(self._given)

    def give_edited(self, message: int, edits: Sequence[int]) -> None:
        """Makes the body of a message the one for these edits of it, at most one; does nothing where no
        bodies are given."""
        if self._given:
            self._bodies[message] = len(self.roots) + edits[0] if edits else message

    def given(self, edit: int) -> bytes:
        """The body for an edit, as a new object."""
        return _copied(self._given[len(self.roots) + edit])

    @property
    def roots(self) -> list[Any]:
        """The domain objects, in the order of the dataset."""
        return self._in_order["roots"]

    def get(self, kind: str) -> list[Any]:
        """The messages in one form, in the order of the dataset; they are made on first use."""
        if kind not in self._in_order:
            made = []
            for n in range(len(self.roots)):
                self._leave_gap(len(self.roots))
                made.append(self._make(kind, n))
            self._in_order[kind] = made
        return self._in_order[kind]

    def passed(self, kind: str) -> list[Any]:
        """The messages in one form, in the order in which passes take them; always the same list object."""
        if kind not in self._as_passed:
            self._as_passed[kind] = list(self.get(kind))
            self._turn(kind)
        return self._as_passed[kind]

    def end_with(self, last: int) -> None:
        """Changes the order of passes, so that they end with message ``last``."""
        self._first = (last + 1) % len(self.roots)
        for kind in self._as_passed:
            self._turn(kind)

    def renew(self, message: int) -> None:
        """Makes all prepared forms of a message again from its domain object."""
        for kind in ("natives", "encoded", "views"):
            if kind in self._in_order:
                self.replace(kind, message, self._make(kind, message))

    def replace(self, kind: str, message: int, made: Any) -> None:
        """Puts a new object in the place of a message, in one of its forms."""
        self._in_order[kind][message] = made
        if kind in self._as_passed:
            self._as_passed[kind][(message - self._first) % len(self.roots)] = made

    def encode(self, root: Any) -> bytes:
        """The encoded bytes of a domain object, copied into a new object."""
        native = self._encoder.build(root) if self.cell.builds else root
        return _copied(self._encoder.encode(native))

    def encoded(self, message: int) -> bytes:
        """The bytes of a message as its values are now, as a new object: the codec's, or those given."""
        if self._given:
            return _copied(self._given[self._bodies[message]])
        return self.encode(self.roots[message])

    def _make(self, kind: str, message: int) -> Any:
        if kind == "natives":  # each from an encoder of its own, which may keep what it builds
            root = self.roots[message]
            return self.cell.encoder().build(root) if self.cell.builds else root
        if kind == "encoded":
            return self.encoded(message)
        return self._decoder.decode(self.get("encoded")[message])

    def _turn(self, kind: str) -> None:
        made = self._in_order[kind]
        self._as_passed[kind][:] = made[self._first :] + made[: self._first]

    def _leave_gap(self, things: int) -> None:
        """Allocates and keeps some bytes, one of ``things`` gaps, so that the next objects lie elsewhere."""
        most = min(_GAPS // things, 4096)
        if most >= 32 and (size := self._draws.randrange(most)):
            self._gaps.append(bytes(size))


def _copied(data: Any) -> bytes:
    """Bytes as a new object, also where they are one already."""
    return bytes(bytearray(data))
