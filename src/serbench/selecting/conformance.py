"""Catalogues of cases that a format's specification decides: data in ``conformance/``, a file for each
format."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from serbench.codecs.codec import Check
from serbench.dataset.canonical import encode
from serbench.errors import FileError, ValueMismatch
from serbench.model import Field, Record
from serbench.selecting.case_types import bytes_of_hex, type_of, valued
from serbench.system.files import Count, Loaded, Name, Text, read_toml
from serbench.workload import Parameter, Workload, WorkloadSpec

Verdict = Literal["accept", "reject", "either", "write", "never", "may"]
"""The verdict of a specification: a message has a value, is no message, or is refused or has this value; a
value is written as some bytes or never as some; or it is left open."""

Notation = Literal["text", "hex"]
"""The notation of bytes in a catalogue: text in UTF-8; or hexadecimal digits, of which ``81*1000`` is a
thousand bytes, with text between single quotes."""


class _Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of the schema.

    Attributes:
        value: the value that it has in all messages but those whose case replaces it; hexadecimal digits
            where its type is bytes, an empty table where an optional has none, and the number of the
            alternative with its value where it is a union.
        bytes: the bytes of that value in the format, or a part of them; several where codecs choose. Needed
            where codecs write the message, or the field's values.
        not_beside: a text beside which these bytes mean something else.
    """

    type: Text
    value: Any
    bytes: Text | tuple[Text, ...] = ()
    not_beside: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.bytes,) if isinstance(self.bytes, str) else self.bytes


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The judgement of a specification on a case: one of accept, reject, writes, never and may, or both of
    the first two.

    Attributes:
        section: the section of the specification, with its number; in a profile that is silent on it, empty.
        accept: the value of the field; True for the values that all messages have.
        reject: whether the message is refused; with ``accept``, it is refused or has this value.
        writes: the bytes as which it may be written; without a field, beginnings of the message.
        never: bytes as which it is never written.
        prefers: the bytes that the specification recommends, or that its deterministic form has.
        may: the words of a specification that leaves it open.
    """

    section: Text = ""
    accept: Any = msgspec.UNSET
    reject: bool = False
    writes: tuple[Text, ...] = ()
    never: tuple[Text, ...] = ()
    prefers: tuple[Text, ...] = ()
    may: str = ""

    @property
    def is_one(self) -> bool:
        """Whether one thing is said, and not several or none."""
        said = (self.accept is not msgspec.UNSET or self.reject, self.writes, self.never, self.may)
        return sum(map(bool, said)) == 1


class Case(Judgement, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message of which the specification says what a reader does with it, or a value of which it says how
    it is written.

    Attributes:
        at: the field whose bytes are replaced, or whose value is another one where the catalogue has its own
            message; ``find`` are other bytes that are replaced, once.
        token, hex: the bytes in their place, in the catalogue's notation or in that of hexadecimal digits.
        parts: a part of the catalogue's own message → the bytes in its place.
        begins: the beginning that a message has to have for the case to be one of it; ``head`` is in its
            place.
        before, behind: bytes around the message; ``cut``: how many of its last bytes are missing.
        ends: the end that a message has to have for the case to be one of it.
        size: how much more the message says of its own length than is true, in a format where it does.
        write: the value of the field that is written; True for the message with its usual values.
        check: the check of ``CHECKS`` that refuses this message; a codec that declares it does not read it.
        profile: the name of a profile → its judgement, where it differs from the specification's.
    """

    section: Text
    name: Text
    at: str = ""
    find: str = ""
    token: str | None = None
    hex: str | None = None
    parts: dict[Name, Text] = {}
    begins: str = ""
    head: str = ""
    before: str = ""
    behind: str = ""
    cut: Count = 0
    ends: str = ""
    size: int = 0
    write: Any = msgspec.UNSET
    check: Literal["", Check] = ""
    profile: dict[Name, Judgement] = {}

    @property
    def verdict(self) -> Verdict:
        if self.may:
            return "may"
        if self.is_written:
            return "never" if self.never else "write"
        if self.reject:
            return "reject" if self.accept is msgspec.UNSET else "either"
        return "accept"

    @property
    def is_written(self) -> bool:
        """Whether the case is about writing a value, and not about reading a message."""
        return self.write is not msgspec.UNSET

    def by(self, profile: str, as_preferred: bool = False) -> Case:
        """The case as a profile judges it, which may make a duty of what the specification prefers."""
        own = self.profile.get(profile)
        if own is None:
            is_duty = as_preferred and self.verdict == "write" and self.prefers
            return msgspec.structs.replace(self, writes=self.prefers) if is_duty else self
        said = msgspec.structs.asdict(own) | {"section": own.section or self.section}
        return msgspec.structs.replace(self, **said)


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A specification that takes over the cases of the catalogue's, and judges some of them in another way.

    Attributes:
        as_preferred: whether values are only written as the catalogue's specification prefers.
    """

    specification: Text
    as_preferred: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file.

    Attributes:
        size_bytes: how many bytes at the beginning of a message are its length, little-endian.
        parts: the parts of the message that all cases differ from, where codecs write the same values in
            different places and its cases therefore name places in this one.
        profile: the name of the specification among the profiles of the format; ``profiles``: the others.
    """

    format: Name
    specification: Text
    fields: dict[Name, _Place]
    cases: tuple[Case, ...]
    notation: Notation = "text"
    size_bytes: Count = 0
    parts: dict[Name, Text] = {}
    profile: Name = "specification"
    profiles: dict[Name, Profile] = {}


@dataclass(frozen=True)
class Catalogue:
    """The cases of a format, as one of its profiles judges them."""

    format: str
    specification: str
    fields: Mapping[str, _Place]
    cases: tuple[Case, ...]
    notation: Notation = "text"
    size_bytes: int = 0
    parts: Mapping[str, str] = field(default_factory=dict)
    profile: str = "specification"
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    @property
    def by_profile(self) -> dict[str, Catalogue]:
        """The name of each profile → the catalogue as it judges, the specification itself first."""
        found = {self.profile: self}
        for name, own in self.profiles.items():
            cases = tuple(case.by(name, own.as_preferred) for case in self.cases)
            found[name] = replace(self, specification=own.specification, cases=cases, profile=name)
        return found

    @property
    def root(self) -> Record:
        """The schema's root, whose fields are those of the catalogue."""
        return Record("Case", [Field(name, type_of(each.type)) for name, each in self.fields.items()])

    @property
    def spec(self) -> WorkloadSpec:
        """The workload of one message, in which every field has its value, and of whose schema all cases
        are."""
        root = self.root
        summary = f"the message that cases of {self.specification} differ from"
        # Its values are in a file of cases, so the sources of a generator do not tell whether they changed.
        values = hashlib.sha256(encode(root, self.value())).hexdigest()
        parameter = Parameter("values", values, "the digest of the message")
        workload = Workload("conformance", summary, root, lambda values: iter([self.value()]), [parameter])
        return WorkloadSpec(workload, {"values": values})

    def value(self, case: Case | None = None) -> tuple[Any, ...]:
        """The value of the message that all cases differ from, or the one that a case is to be read as, or
        that it writes."""
        values = {name: each.value for name, each in self.fields.items()}
        if case and case.at:
            other = case.write if case.is_written else case.accept
            values[case.at] = values[case.at] if other is True or other is msgspec.UNSET else other
        return tuple(valued(type_of(self.fields[name].type), each) for name, each in values.items())

    def message(self, case: Case, usual: bytes) -> bytes | str:
        """Return the bytes of a case for a codec that writes the message that all cases differ from as
        ``usual``, of which nothing is taken where the catalogue has its own; or why there is none for this
        codec."""
        if self.parts:
            usual = self.own(case.parts)
        begins, ends = self.bytes_of(case.begins), self.bytes_of(case.ends)
        if not usual.endswith(ends):
            return f"its messages do not end with {case.ends}"
        if not usual.startswith(begins):
            return f"its messages do not begin with {case.begins}"
        made, put_in = usual, self._put_in(case)
        if put_in is not None:
            found = self.found(case, usual)
            if isinstance(found, str):
                return found
            made = usual[: found[0]] + put_in + usual[found[1] :]
        if case.head:
            made = self.bytes_of(case.head) + made[len(begins) :]
        made = self.bytes_of(case.before) + made[: len(made) - case.cut] + self.bytes_of(case.behind)
        return self.with_size(made, case.size)

    def own(self, others: Mapping[str, str]) -> bytes:
        """The catalogue's own message, with other bytes in place of some parts."""
        return b"".join(self.bytes_of(others.get(name, usual)) for name, usual in self.parts.items())

    def with_size(self, message: bytes, more: int = 0) -> bytes:
        """A message that says of its own length what is true, and ``more``, where the format has it so."""
        if not self.size_bytes:
            return message
        return (len(message) + more).to_bytes(self.size_bytes, "little") + message[self.size_bytes :]

    def found(self, case: Case, usual: bytes) -> tuple[int, int] | str:
        """The first and last place of the bytes that a case replaces in a message; or why there are none."""
        place = self.fields.get(case.at)
        forms = place.forms if place else (case.find,)
        beside = place.not_beside if place else ""
        spans = [span for form in forms for span in self._found(form, beside, usual)]
        if len(spans) == 1:
            return spans[0]
        what = f"{case.at} as {' or '.join(forms)}" if place else case.find
        return f"it writes {what} {'more than once' if spans else 'in another way'}"

    def written(self, case: Case, usual: bytes, message: bytes) -> bytes | str:
        """The bytes of a field's value in a message that differs from the usual one in this value only, or
        the whole message where the case has no field; or why they are not found."""
        if not case.at:
            return message
        found = self.found(case, usual)
        if isinstance(found, str):
            return found
        front, back = usual[self.size_bytes : found[0]], usual[found[1] :]
        held = message[self.size_bytes :]
        if len(held) < len(front) + len(back) or not (held.startswith(front) and held.endswith(back)):
            return f"it also writes other bytes anew when {case.at} has another value"
        return held[len(front) : len(held) - len(back)]

    def bytes_of(self, text: str) -> bytes:
        """The bytes that a text of the catalogue is in its notation; raise ValueError where it is none."""
        return text.encode() if self.notation == "text" else bytes_of_hex(text)

    def shown(self, data: bytes) -> str:
        """Bytes as a person reads them in the catalogue's notation."""
        text = data.decode(errors="backslashreplace") if self.notation == "text" else data.hex()
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} … ({len(data)} bytes)"

    def _put_in(self, case: Case) -> bytes | None:
        """The bytes that a case puts in place of others; None where it replaces none."""
        if case.hex is not None:
            return bytes_of_hex(case.hex)
        return None if case.token is None else self.bytes_of(case.token)

    def _found(self, text: str, not_beside: str, message: bytes) -> Iterator[tuple[int, int]]:
        """The places of bytes in a message that are not beside others."""
        beside = self.bytes_of(not_beside)
        for found in re.finditer(re.escape(self.bytes_of(text)), message):
            start, end = found.span()
            if not (beside and (message[:start].endswith(beside) or message[end:].startswith(beside))):
                yield start, end


_MOST_SHOWN = 60
"""The most characters of bytes that are shown: as many as of any short case."""

_FOR_WRITING = "expected write with writes, never or prefers, or none of these"


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
    written = [case for case in table.cases if case.is_written]
    for name, each in table.fields.items():
        try:
            type_of(each.type)
        except KeyError:
            problems.append(
                f"fields.{name}.type: found '{each.type}', expected a scalar, list<…>, "
                "optional<…>, record<…> or union<…>"
            )
        if not each.forms and not (table.parts and all(case.at != name for case in written)):
            problems.append(f"fields.{name}: expected bytes, which cases replace or look for")
    for n, case in enumerate(table.cases):
        for where, own in _judgements(case):
            if not own.is_one:
                problems.append(f"cases[{n}]{where}: expected one of accept, reject, writes, never and may")
            if case.is_written != bool(own.writes or own.never or own.prefers):
                problems.append(f"cases[{n}]{where}: {_FOR_WRITING}")
        if other := case.profile.keys() - table.profiles.keys():
            known = ", ".join(table.profiles) or "none, since the catalogue has no profiles"
            problems.append(f"cases[{n}].profile: found {', '.join(sorted(other))}, expected {known}")
        if case.at and case.at not in table.fields:
            problems.append(f"cases[{n}].at: found '{case.at}', expected one of {', '.join(table.fields)}")
        replaced = case.find or (case.at and not table.parts)
        if not case.is_written and bool(replaced) == (case.token is None and case.hex is None):
            problems.append(f"cases[{n}]: expected at or find with token or hex, or none of these")
        if other := case.parts.keys() - table.parts.keys():
            problems.append(
                f"cases[{n}].parts: found {', '.join(sorted(other))}, expected parts of the message"
            )
        if case.is_written and case.check:
            problems.append(f"cases[{n}].check: found '{case.check}' of a value that is written")
    names = [(each.section, each.name) for each in table.cases]
    problems += [
        f"cases: found '{name}' twice in {of}" for of, name in {*names} if names.count((of, name)) > 1
    ]
    return problems or list(_without_meaning(Catalogue(**msgspec.structs.asdict(table))))


def _judgements(case: Case) -> Iterator[tuple[str, Judgement]]:
    """The judgements on a case, each with its place in the case."""
    yield "", case
    yield from ((f".profile.{name}", own) for name, own in case.profile.items())


def _without_meaning(catalogue: Catalogue) -> Iterator[str]:
    """The bytes of a catalogue that are not in its notation, and the values that its types do not have."""
    texts = [(f"fields.{name}.bytes", form) for name, each in catalogue.fields.items() for form in each.forms]
    texts += [(f"parts.{name}", text) for name, text in catalogue.parts.items()]
    for n, case in enumerate(catalogue.cases):
        own = [case.find, case.token or "", case.begins, case.head, case.before, case.behind, case.ends]
        own += case.parts.values()
        own += [form for _, each in _judgements(case) for form in (*each.writes, *each.never, *each.prefers)]
        texts += [(f"cases[{n}]", text) for text in own]
    hex = [(f"cases[{n}].hex", case.hex) for n, case in enumerate(catalogue.cases) if case.hex is not None]
    checked = [(catalogue.bytes_of, *each) for each in texts] + [(bytes_of_hex, *each) for each in hex]
    for read, where, text in checked:
        try:
            read(text)
        except ValueError as error:
            yield f"{where}: {error}"
    root = catalogue.root
    places: list[tuple[str, Case | None]] = [("fields", None)]
    for name, judge in catalogue.by_profile.items():
        where = "" if judge is catalogue else f".profile.{name}"
        places += [(f"cases[{n}]{where}", each) for n, each in enumerate(judge.cases)]
    for place, of in places:
        try:
            encode(root, catalogue.value(of))
        except (ValueMismatch, ValueError, TypeError, LookupError) as error:
            yield f"{place}: {error}"
