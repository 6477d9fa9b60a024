"""Catalogues of cases that a format's specification decides: data in ``conformance/``, a file for each
format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from serbench.errors import FileError
from serbench.model import Field, List, Record, Type
from serbench.model.types import SCALARS
from serbench.system.files import Count, Loaded, Name, Text, read_toml
from serbench.workload import Workload, WorkloadSpec

Verdict = Literal["accept", "reject", "may"]
"""The verdict of a specification on a message: it has a value, it is no message, or that is left open."""


class _Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of the schema.

    Attributes:
        value: the value that it has in all messages but those whose case replaces it.
        bytes: the bytes of that value in the format, or a part of them.
        not_beside: a text beside which these bytes mean something else.
    """

    type: Text
    value: Any
    bytes: Text
    not_beside: str = ""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message of which the specification says what a reader does with it.

    Attributes:
        section: the section of the specification, with its number.
        at: the field whose bytes are replaced; ``find`` are other bytes that are, once.
        token, hex: the bytes in their place, as text or as hexadecimal digits.
        before, behind: texts around the message; ``cut``: how many of its last bytes are missing.
        ends: the end that a message has to have for the case to be one of it.
        accept: the value of the field; True for the values that all messages have.
        may: the words of a specification that leaves it open.
    """

    section: Text
    name: Text
    at: str = ""
    find: str = ""
    token: str | None = None
    hex: str | None = None
    before: str = ""
    behind: str = ""
    cut: Count = 0
    ends: str = ""
    accept: Any = msgspec.UNSET
    reject: bool = False
    may: str = ""

    @property
    def verdict(self) -> Verdict:
        return "may" if self.may else "reject" if self.reject else "accept"

    @property
    def put_in(self) -> bytes | None:
        """The bytes that the case puts in place of others; None where it replaces none."""
        if self.hex is not None:
            return bytes.fromhex(self.hex)
        return None if self.token is None else self.token.encode()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Name
    specification: Text
    fields: dict[Name, _Place]
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Catalogue:
    """The cases of a format."""

    format: str
    specification: str
    fields: Mapping[str, _Place]
    cases: tuple[Case, ...]

    @property
    def spec(self) -> WorkloadSpec:
        """The workload of one message, in which every field has its value, and of whose schema all cases
        are."""
        root = Record("Case", [Field(name, _type_of(each.type)) for name, each in self.fields.items()])
        summary = f"the message that cases of {self.specification} differ from"
        return WorkloadSpec(Workload("conformance", summary, root, lambda: iter([self.value()])), {})

    def value(self, case: Case | None = None) -> tuple[Any, ...]:
        """The value of the message that all cases differ from, or the one that a case is to be read as."""
        values = {name: each.value for name, each in self.fields.items()}
        if case and case.at and case.accept is not True:
            values[case.at] = case.accept
        return tuple(values.values())

    def message(self, case: Case, usual: bytes) -> bytes | str:
        """Return the bytes of a case for a codec that writes the message that all cases differ from as
        ``usual``; or why there is none for this codec."""
        if case.ends and not usual.endswith(case.ends.encode()):
            return f"its messages do not end with {case.ends}"
        made, put_in = usual, case.put_in
        if put_in is not None:
            place = self.fields.get(case.at)
            found = list(
                _found(place.bytes, place.not_beside, usual) if place else _found(case.find, "", usual)
            )
            if len(found) != 1:
                what = f"{case.at} as {place.bytes}" if place else case.find
                return f"it writes {what} {'more than once' if found else 'in another way'}"
            start, end = found[0]
            made = usual[:start] + put_in + usual[end:]
        made = made[: len(made) - case.cut]
        return case.before.encode() + made + case.behind.encode()


def _found(text: str, not_beside: str, message: bytes) -> Iterator[tuple[int, int]]:
    """The places of a text in a message that are not beside another one."""
    beside = not_beside.encode()
    for found in re.finditer(re.escape(text.encode()), message):
        start, end = found.span()
        if not (beside and (message[:start].endswith(beside) or message[end:].startswith(beside))):
            yield start, end


def _type_of(text: str) -> Type:
    inner = re.fullmatch(r"list<(.+)>", text)
    return List(SCALARS[inner[1]]) if inner else SCALARS[text]


@cache
def load_catalogues(directory: Path) -> Loaded[Catalogue]:
    """Every catalogue of ``directory`` by its format; one whose file has a fault is among the broken ones."""
    found: Loaded[Catalogue] = Loaded()
    for path in sorted(directory.glob("*.toml")):
        try:
            table = read_toml(path, _Table, "catalogue", _problems)
            found[table.format] = Catalogue(**msgspec.structs.asdict(table))
        except FileError as error:
            found.broken[path.stem] = error
    return found


def _problems(table: _Table) -> list[str]:
    """The faults of a catalogue that reading it into ``_Table`` did not find."""
    problems = []
    for name, each in table.fields.items():
        try:
            _type_of(each.type)
        except KeyError:
            problems.append(f"fields.{name}.type: found '{each.type}', expected a scalar or list<scalar>")
    for n, case in enumerate(table.cases):
        said = [case.accept is not msgspec.UNSET, case.reject, bool(case.may)]
        if sum(said) != 1:
            problems.append(f"cases[{n}]: expected one of accept, reject and may")
        if case.at and case.at not in table.fields:
            problems.append(f"cases[{n}].at: found '{case.at}', expected one of {', '.join(table.fields)}")
        if bool(case.at or case.find) != (case.put_in is not None):
            problems.append(f"cases[{n}]: expected at or find with token or hex, or none of these")
    names = [(each.section, each.name) for each in table.cases]
    problems += [
        f"cases: found '{name}' twice in {of}" for of, name in {*names} if names.count((of, name)) > 1
    ]
    return problems
