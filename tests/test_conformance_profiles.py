"""Tests of profiles: other implementations do with each case what a profile says, and a codec is judged by
those that are asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests import json5
from tests.self_describing import READERS, shortest_cbor
from tests.test_conformance import USUAL, _bits, _by_python
from tests.test_conformance_binary import _usual

from serbench.errors import SelectionError
from serbench.paths import PROJECT, Paths
from serbench.selecting.conformance import Case, load_catalogues
from serbench.selecting.profiles import judges_of
from serbench.verification.conformance import conformance_of

CATALOGUES = load_catalogues(Paths.default().conformance)
I_JSON, JSON5 = (CATALOGUES["json"].by_profile[name] for name in ("i-json", "json5"))
DETERMINISTIC = CATALOGUES["cbor"].by_profile["deterministic"]
FIELDS = [*I_JSON.fields]


def _by_i_json(message: bytes, fields: list[str]) -> tuple[Any, ...]:
    """The value of a message by Python's own reader, told what RFC 7493 asks beyond RFC 8259."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a name twice")
        return dict(pairs)

    value = _by_python(message, fields)
    for text in re.findall(r"[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]", "".join(map(str, value))):
        raise ValueError(f"the code point {ord(text):x}")
    json.loads(message, object_pairs_hook=unique)
    return value


def _by_json5(message: bytes, fields: list[str]) -> tuple[Any, ...]:
    found = json5.read(message)
    return tuple(found[name] for name in fields)


@pytest.mark.parametrize(("by", "read"), [(I_JSON, _by_i_json), (JSON5, _by_json5)], ids=["i-json", "json5"])
def test_another_implementation_does_with_a_message_what_the_profile_says(
    by: Any, read: Callable[[bytes, list[str]], tuple[Any, ...]]
) -> None:
    for case in by.cases:
        message = by.message(case, USUAL)
        if case.is_written or case.verdict == "may":
            continue
        if case.verdict == "reject":
            with pytest.raises(ValueError):
                print(by.profile, case.section, case.name, read(message, FIELDS))
        else:
            expected = by.value(case)
            try:
                read_as = read(message, FIELDS)
            except RecursionError:
                assert case.verdict == "either", (case.section, case.name)
                continue
            found = [type(e)(f) for e, f in zip(expected, read_as, strict=True)]
            assert _bits(tuple(found)) == _bits(expected), (case.section, case.name)


def test_deterministic_messages_of_cbor_are_those_that_come_out_of_their_values_again() -> None:
    decided = 0
    for case in DETERMINISTIC.cases:
        if case.verdict == "may" or not (case.at or not case.is_written):
            continue
        for usual in _usual(DETERMINISTIC):
            for message in _messages(case, usual):
                decided += 1
                if case.verdict == "reject":
                    with pytest.raises((ValueError, AssertionError)):
                        assert shortest_cbor(READERS["cbor"](message)) == message
                        print(case.section, case.name)
                else:
                    assert shortest_cbor(READERS["cbor"](message)) == message, (case.section, case.name)
    assert decided > len(DETERMINISTIC.cases)


def _messages(case: Case, usual: bytes) -> list[bytes]:
    """The message of a case, or those with each form in which its value may be written."""
    if case.is_written:
        span = DETERMINISTIC.found(case, usual)
        assert not isinstance(span, str)
        return [usual[: span[0]] + DETERMINISTIC.bytes_of(form) + usual[span[1] :] for form in case.writes]
    message = DETERMINISTIC.message(case, usual)
    return [message] if isinstance(message, bytes) else []


def test_a_profile_takes_over_the_cases_and_judges_some_in_its_own_way() -> None:
    base = CATALOGUES["json"]
    assert base.by_profile["rfc8259"] is base
    assert all(each.by_profile.keys() == {each.profile, *each.profiles} for each in CATALOGUES.values())
    pairs = [(a, b) for a, b in zip(base.cases, JSON5.cases, strict=True) if a != b]
    assert {a.name for a, _ in pairs} == {each.name for each in base.cases if "json5" in each.profile}
    assert all((a.name, a.token, a.find) == (b.name, b.token, b.find) for a, b in pairs)
    assert all(b.section.startswith("JSON5 ") for _, b in pairs)
    forms = {each.name: each.writes for each in DETERMINISTIC.cases if each.is_written}
    assert forms["24"] == ("18 18",) and len(CATALOGUES["cbor"].cases) == len(DETERMINISTIC.cases)


def test_one_reading_is_judged_by_each_profile() -> None:
    unit: Any = SimpleNamespace(name="a/b", failure="failed", status="failed", reason="no")
    for by, outcomes in zip((I_JSON, JSON5), conformance_of(unit, I_JSON, JSON5), strict=True):
        assert [each.case for each in outcomes] == [*by.cases]


def test_profiles_are_found_by_their_names_and_patterns() -> None:
    def asked(*texts: str) -> list[tuple[str, str]]:
        return [(name, by.profile) for name, own in judges_of(CATALOGUES, texts).items() for by in own]

    assert asked() == [(name, each.profile) for name, each in CATALOGUES.items()]
    assert asked("json:i-json", "json:i-json") == [("json", "i-json")]
    assert asked("json:*") == [("json", "rfc8259"), ("json", "i-json"), ("json", "json5")]
    assert asked("cbor:deterministic", "json:json5") == [("cbor", "deterministic"), ("json", "json5")]
    assert {*asked("*:*")} == {(n, p) for n, each in CATALOGUES.items() for p in each.by_profile}
    assert asked("*:json5") == [("json", "json5")]
    for text, said in (
        ("jsn:i-json", "unknown format of --format-profile 'jsn'; did you mean json"),
        ("json:i-jsn", "unknown profile of json in --format-profile 'i-jsn'; did you mean i-json"),
        ("json", "--format-profile: found 'json', expected one of json:rfc8259, json:i-json, json:json5"),
    ):
        with pytest.raises(SelectionError, match=said):
            asked(text)


def test_a_profile_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    for words, said in (
        (["--conformance", "--format-profile", "json:i-jsn"], "did you mean i-json"),
        (["--format-profile", "json:i-json"], "--format-profile is of --conformance; expected both"),
        (
            ["--conformance", "--format-profile", "json:i-json", "-c", "python/memcpy"],
            "no selected codec is of a format of --format-profile: json",
        ),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "serbench", "verify", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT / "src"), "SERBENCH_HOME": str(tmp_path)},
        )
        assert done.returncode == 2 and said in done.stderr, done.stderr
