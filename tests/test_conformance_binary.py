"""Tests of the catalogues of binary formats that describe themselves: readers that are written from the
specifications do with each case what the catalogue says, and what codecs write is judged by its bytes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests import flexbuffers
from tests.self_describing import READERS as OF_OTHERS

from serbench.dataset.values import first_difference
from serbench.errors import RunnerError
from serbench.paths import Paths
from serbench.selecting.conformance import Case, Catalogue, load_catalogues
from serbench.verification.conformance import writing_judged

CATALOGUES = load_catalogues(Paths.default().conformance)
CBOR = CATALOGUES["cbor"]

READERS = {**OF_OTHERS, "flexbuffers": flexbuffers.read}

UBJSON_NULL = "5a"
"""The form of floats that are no finite number."""

KEYS: dict[str, Callable[[bytes], bytes]] = {
    "cbor": lambda name: bytes([0x60 + len(name)]) + name,
    "messagepack": lambda name: bytes([0xA0 + len(name)]) + name,
    "bson": lambda name: b"",  # an element has its name between its type and its value
    "ubjson": lambda name: b"i" + bytes([len(name)]) + name,
}
AROUND: dict[str, tuple[bytes, bytes | None, bytes]] = {
    "cbor": (b"\xa7", b"\x87", b""),
    "messagepack": (b"\x87", b"\x97", b""),
    "bson": (bytes(4), None, b"\0"),
    "ubjson": (b"{", None, b"}"),
}


def _usual(catalogue: Catalogue) -> list[bytes]:
    """The message that all cases differ from, as a map and, where the format has them so, as an array; of
    FlexBuffers with each form of a list, since places of values follow from it."""
    if catalogue.format == "flexbuffers":
        usual = {name: catalogue.bytes_of(each.forms[0]) for name, each in catalogue.fields.items()}
        lists = map(catalogue.bytes_of, catalogue.fields["items"].forms)
        return [flexbuffers.written({**usual, "items": each}) for each in lists]
    first, as_array, last = AROUND[catalogue.format]
    values = {name: catalogue.bytes_of(each.forms[0]) for name, each in catalogue.fields.items()}
    named = (KEYS[catalogue.format](name.encode()) + value for name, value in values.items())
    made = [first + b"".join(named) + last]
    if as_array:
        made.append(as_array + b"".join(values.values()))
    return [catalogue.with_size(each) for each in made]


def _read(catalogue: Catalogue, message: bytes) -> tuple[Any, ...]:
    """The value of a message; raise ValueError where it is none of the schema."""
    found = READERS[catalogue.format](message)
    if not isinstance(found, list):
        raise ValueError("no map and no array")
    names = list(catalogue.fields)
    value = found
    if found and isinstance(found[0], tuple):
        by_name = dict(found)
        if by_name.keys() != catalogue.fields.keys():
            raise ValueError(f"the keys {list(by_name)}")
        value = [by_name[name] for name in names]
    for name, each, usual in zip(names, value, catalogue.value(), strict=True):
        if type(each) is not type(usual):
            raise ValueError(f"{name}: {each!r}")
    return tuple(math.nan if each != each else each for each in value)


def _is_read_as(catalogue: Catalogue, message: bytes, case: Case) -> None:
    root, found = catalogue.spec.workload.root, _read(catalogue, message)
    expected = catalogue.value(case)
    assert first_difference(root, expected, found) is None


@pytest.mark.parametrize("name", READERS)
def test_a_reader_does_with_each_case_what_the_catalogue_says(name: str) -> None:
    catalogue = CATALOGUES[name]
    for case in catalogue.cases:
        if case.is_written or case.verdict == "may":
            continue
        messages = [catalogue.message(case, usual) for usual in _usual(catalogue)]
        made = [each for each in messages if isinstance(each, bytes)]
        if name == "flexbuffers" and case.at:  # a value of another length would move those behind it
            lengths = {len(each) for each in _usual(catalogue)}
            made = [each for each in made if len(each) in lengths]
        assert made, (case.name, messages)
        for message in made:
            if case.verdict == "reject":
                with pytest.raises(ValueError):
                    print(name, case.section, case.name, _read(catalogue, message))
            else:
                _is_read_as(catalogue, message, case)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_what_the_catalogue_says_is_written(name: str) -> None:
    catalogue = CATALOGUES[name]
    for case in catalogue.cases:
        if not case.is_written or not case.at:
            continue
        for form in (*case.writes, *case.prefers):
            usual, span = _with_place(catalogue, case, len(catalogue.bytes_of(form)))
            made = usual[: span[0]] + catalogue.bytes_of(form) + usual[span[1] :]
            if form == UBJSON_NULL:
                assert (case.at, None) in READERS[name](made)
            else:
                _is_read_as(catalogue, catalogue.with_size(made), case)


def _with_place(catalogue: Catalogue, case: Case, size: int) -> tuple[bytes, tuple[int, int]]:
    """A usual message, and the place of a case in it: of FlexBuffers one of so many bytes."""
    for usual in _usual(catalogue):
        span = catalogue.found(case, usual)
        assert not isinstance(span, str)
        if catalogue.format != "flexbuffers" or span[1] - span[0] == size:
            return usual, span
    raise AssertionError((case.name, size))


def _writing(lines: dict[str, Any]) -> Case:
    return msgspec.convert({"section": "1", "name": "one", **lines}, Case)


@pytest.mark.parametrize(
    ("case", "value", "word", "reason", "preferred"),
    [
        ({"write": 10, "writes": ["0a", "18 0a"], "prefers": ["0a"]}, "0a", "conforms", "preferred", True),
        ({"write": 10, "writes": ["0a", "18 0a"], "prefers": ["0a"]}, "180a", "conforms", "180a", False),
        ({"write": 10, "writes": ["0a", "18 0a"]}, "0b", "differs", "writes 0b", None),
        ({"write": 10, "never": ["0b"]}, "0b", "differs", "writes 0b", None),
        ({"write": 10, "never": ["0b"]}, "0a", "conforms", "writes 0a", None),
        ({"write": 10, "prefers": ["0a"], "may": "it is open"}, "180a", "conforms", "180a", False),
    ],
)
def test_what_is_written_is_judged_by_its_bytes(
    case: dict[str, Any], value: str, word: str, reason: str, preferred: bool | None
) -> None:
    usual = _usual(CBOR)[0]
    form = CBOR.bytes_of(CBOR.fields["whole"].forms[0])
    written = usual.replace(form, bytes.fromhex(value))
    found = writing_judged("a/codec", CBOR, _writing({"at": "whole", **case}), usual, written)
    assert (found.word, found.preferred) == (word, preferred) and reason in found.reason


def test_a_value_that_is_refused_or_not_found_is_told() -> None:
    usual = _usual(CBOR)[0]
    must, never = ({"at": "whole", "write": 10, word: ["0a"]} for word in ("writes", "never"))
    refused = RunnerError("the runner gave up: no", outline="the runner gave up: no")
    ended = RunnerError("the runner died", signal=11, outline="the runner died")

    def word(case: dict[str, Any], written: bytes | RunnerError) -> str:
        return writing_judged("a/codec", CBOR, _writing(case), usual, written).word

    assert word(must, refused) == "rejects" and word(never, refused) == "conforms"
    assert word(must, ended) == word(never, ended) == "crash"
    other = usual.replace(b"sentinel", b"SENTINEL")
    found = writing_judged("a/codec", CBOR, _writing(must), usual, other)
    assert found.word == "none" and "other bytes anew" in found.reason


def test_a_message_says_of_its_own_length_what_a_case_has() -> None:
    bson = CATALOGUES["bson"]
    (usual,) = _usual(bson)
    cases = {(each.section, each.name): each for each in bson.cases}
    one_more = bson.message(cases["document", "a length that is one too great"], usual)
    assert one_more == (len(usual) + 1).to_bytes(4, "little") + usual[4:]
    flag = bson.message(cases["boolean", "false"], usual)
    assert isinstance(flag, bytes) and flag[:4] == usual[:4] and flag != usual


def test_bytes_of_a_catalogue_are_hexadecimal_digits_and_text() -> None:
    assert CBOR.bytes_of("62 'hé' 81*3 00") == b"\x62h\xc3\xa9\x81\x81\x81\x00"
    for wrong in ("6", "6g", "'open", "81*"):
        with pytest.raises(ValueError, match="expected hexadecimal digits"):
            CBOR.bytes_of(wrong)
