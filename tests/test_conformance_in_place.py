"""Tests of the catalogues of formats that are read in place, whose cases differ from a message of their own:
readers written from the specifications do with each case what it says; faults planted in them fail at their
sections."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.capnp_reader import Reader as CapnpReader
from tests.capnp_reader import unpacked
from tests.flatbuffers_reader import Reader as FlatReader

from serbench.dataset.canonical import encode
from serbench.dataset.values import first_difference
from serbench.model import Record
from serbench.paths import Paths
from serbench.selecting.conformance import Case, Catalogue, load_catalogues
from serbench.verification.conformance import reading_judged
from serbench.verification.hostile import MessageOutcome

CATALOGUES = load_catalogues(Paths.default().conformance)
Read = Callable[[bytes, Record], tuple[Any, ...]]

READERS: dict[str, Read] = {
    "flatbuffers": lambda message, root: FlatReader(message).root(root),
    "capnproto": lambda message, root: CapnpReader(message).root(root),
    "capnproto-packed": lambda message, root: CapnpReader(unpacked(message)).root(root),
}


def _root(catalogue: Catalogue) -> Record:
    root = catalogue.spec.workload.root
    assert isinstance(root, Record)
    return root


def _reads(catalogue: Catalogue, case: Case, message: bytes, read: Read) -> bool:
    """Whether a reader has the value of a case of a message."""
    found = tuple(math.nan if each != each else each for each in read(message, _root(catalogue)))
    return not first_difference(_root(catalogue), catalogue.value(case), found)


def _is_right(catalogue: Catalogue, case: Case, read: Read) -> bool:
    message = catalogue.message(case, b"")
    assert isinstance(message, bytes)
    try:
        return _reads(catalogue, case, message, read) and case.verdict in ("accept", "either")
    except ValueError:
        return case.verdict in ("reject", "either")


def _wrong(name: str, read: Read) -> list[tuple[str, str]]:
    """The cases that the specification decides and with which a reader does something else."""
    catalogue = CATALOGUES[name]
    decided = [case for case in catalogue.cases if not case.is_written and case.verdict != "may"]
    return [(each.section, each.name) for each in decided if not _is_right(catalogue, each, read)]


@pytest.mark.parametrize("name", READERS)
def test_another_reader_does_with_each_case_what_the_catalogue_says(name: str) -> None:
    assert _wrong(name, READERS[name]) == []


@pytest.mark.parametrize("name", READERS)
def test_another_reader_has_the_value_of_what_is_to_be_written(name: str) -> None:
    catalogue = CATALOGUES[name]
    usual = catalogue.own({})
    for case in catalogue.cases:
        if case.is_written and case.at:
            span = catalogue.found(case, usual)
            assert not isinstance(span, str), span
            for form in (*case.writes, *case.never):
                made = usual[: span[0]] + catalogue.bytes_of(form) + usual[span[1] :]
                assert _reads(catalogue, case, made, READERS[name]) == bool(case.writes), case.name


def test_the_canonical_form_is_that_of_the_message_itself() -> None:
    catalogue = CATALOGUES["capnproto"]
    (case,) = [each for each in catalogue.cases if each.section == "Canonicalization"]
    assert [catalogue.bytes_of(form) for form in case.prefers] == [catalogue.own({})]


def _unsigned(read: Read) -> Read:
    def unsigned(message: bytes, root: Record) -> tuple[Any, ...]:
        names = [field.name for field in root.fields]
        return tuple(
            abs(value) if name == "whole" else value
            for name, value in zip(names, read(message, root), strict=True)
        )

    return unsigned


@pytest.mark.parametrize("name", READERS)
def test_a_dropped_sign_is_found_where_numbers_are_specified(name: str) -> None:
    signed = [
        (case.section, case.name)
        for case in CATALOGUES[name].cases
        if case.at == "whole" and case.verdict == "accept" and case.accept < 0
    ]
    assert _wrong(name, _unsigned(READERS[name])) == signed != []


@pytest.mark.parametrize(
    ("name", "section", "case"),
    [
        ("flatbuffers", "Strings and Vectors", "a text that ends with the message, without the zero"),
        ("flatbuffers", "Structs", "a struct of which half is in the message"),
        ("capnproto", "Serialization Over a Stream", "a second segment that is longer than the message"),
        ("capnproto-packed", "Packing, words of zeros", "a run of zeros without its number"),
    ],
)
def test_reading_beyond_the_end_is_found_at_its_section(name: str, section: str, case: str) -> None:
    read = READERS[name]
    assert (section, case) in _wrong(name, lambda message, root: read(message + bytes(65), root))


class _AtAnyPlace(FlatReader):
    """A reader that does not look at whether numbers lie at multiples of their size."""

    def _number(self, at: int, form: str) -> Any:
        if not 0 <= at <= len(self.message) - struct.calcsize(form):
            raise ValueError(at)
        return struct.unpack_from(form, self.message, at)[0]


def test_reading_at_any_place_is_found() -> None:
    found = _wrong("flatbuffers", lambda message, root: _AtAnyPlace(message).root(root))
    assert {section for section, _ in found} == {"Offsets", "Structs", "Tables", "Strings and Vectors"}
    assert all("at an odd place" in name or "no multiple of" in name for _, name in found)


class _WithoutLandingPads(CapnpReader):
    """A reader that takes far pointers for pointers of a segment of its own."""

    def _followed(self, place: tuple[int, int]) -> tuple[int, int, int]:
        pointer, segment, at = super()._followed(place)
        return pointer, 0 if segment else segment, at


def test_reading_in_the_wrong_segment_is_found_at_its_section() -> None:
    found = _wrong("capnproto", lambda message, root: _WithoutLandingPads(message).root(root))
    assert {section for section, _ in found} == {"Inter-Segment Pointers"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            'parts = { other = "00" }\nreject = true',
            "cases[0].parts: found other, expected parts of the message",
        ),
        ('at = "n"\ntoken = "00"\nreject = true', "cases[0]: expected at or find with token or hex"),
        ('at = "n"\nwrite = 2\nwrites = ["02"]', "fields.n: expected bytes, which cases replace or look for"),
        ('parts = { n = "0" }\nreject = true', "cases[0]: found '0', expected hexadecimal digits"),
        ('at = "n"\nparts = { n = "02" }\naccept = 256', "cases[0]: "),
    ],
)
def test_a_fault_of_a_catalogue_with_a_message_is_told(lines: str, said: str, tmp_path: Path) -> None:
    head = 'format = "made_up"\nspecification = "a page"\nnotation = "hex"\n[parts]\nn = "01"\n'
    head += '[fields.n]\ntype = "u8"\nvalue = 1\n[[cases]]\nsection = "1"\nname = "one"\n'
    (tmp_path / "made_up.toml").write_text(f"{head}{lines}\n")
    (error,) = load_catalogues(tmp_path).broken.values()
    assert said in str(error)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [('[1, "x"]', (None, (1, "x"))), ('[2, "x"]', None), ('[0, "x"]', None), ("[1]", None), ("1", None)],
)
def test_values_of_types_with_parts_are_those_of_the_model(
    choice: str, expected: tuple[Any, ...] | None, tmp_path: Path
) -> None:
    fields = {"maybe": ("optional<i32>", "{}"), "choice": ("union<i64,string>", choice)}
    lines = ['format = "made_up"', 'specification = "a page"', "[parts]", 'all = "m"']
    for name, (type, value) in fields.items():
        lines += [f"[fields.{name}]", f'type = "{type}"', f"value = {value}"]
    lines += ["[[cases]]", 'section = "1"', 'name = "one"', "accept = true"]
    (tmp_path / "made_up.toml").write_text("\n".join(lines))
    found = load_catalogues(tmp_path)
    if expected is None:
        assert "fields: " in str(found.broken["made_up"])
    else:
        assert not found.broken and found["made_up"].value() == expected


@pytest.mark.parametrize(
    ("inner", "word"), [((0, ""), "conforms"), ((77, "in"), "differs"), (None, "conforms")]
)
def test_a_pointer_that_is_not_valid_is_refused_or_null(inner: tuple[int, str] | None, word: str) -> None:
    catalogue = CATALOGUES["capnproto"]
    (case,) = [each for each in catalogue.cases if each.name == "a struct beyond its segment"]
    values = dict(zip(catalogue.fields, catalogue.value(), strict=True)) | {"inner": inner}
    read: bytes | MessageOutcome = MessageOutcome(accepted=False, reason="out of bounds")
    if inner is not None:
        read = encode(_root(catalogue), tuple(values.values()))
    assert reading_judged("a/codec", catalogue, case, read).word == word
