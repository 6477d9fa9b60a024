"""Tests of conformance: cases are what the specification says by another implementation too, and planted
faults are found at their section."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from serbench.paths import PROJECT, Paths
from serbench.selecting.conformance import Case, load_catalogues
from serbench.verification.conformance import conformance_of

CATALOGUES = load_catalogues(Paths.default().conformance)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _by_python(message: bytes, fields: list[str]) -> tuple[Any, ...]:
    """The value of a message by Python's own reader of JSON, told to be strict; raises ValueError."""
    found = json.loads(message.decode(), parse_constant=_no_constant)
    return tuple(found[name] for name in fields)


def _bits(value: tuple[Any, ...]) -> list[Any]:
    return [struct.pack("d", each) if isinstance(each, float) else each for each in value]


JSON = CATALOGUES["json"]
USUAL = json.dumps(dict(zip(JSON.fields, JSON.value(), strict=True)), separators=(",", ":")).encode()


READ = [case for case in JSON.cases if not case.is_written]
WRITTEN = [case for case in JSON.cases if case.is_written]


@pytest.mark.parametrize("case", READ, ids=lambda case: f"{case.section}, {case.name}")
def test_another_implementation_does_with_a_case_of_json_what_the_catalogue_says(case: Case) -> None:
    message = JSON.message(case, USUAL)
    assert isinstance(message, bytes), message
    if case.verdict == "reject":
        with pytest.raises(ValueError):
            _by_python(message, list(JSON.fields))
    elif case.verdict in ("accept", "either"):
        try:
            found = _by_python(message, list(JSON.fields))
        except RecursionError:
            assert case.verdict == "either"
            return
        expected = JSON.value(case)
        found = tuple(
            type(e)(f) if isinstance(e, int | float) else f for e, f in zip(expected, found, strict=True)
        )
        assert _bits(found) == _bits(expected)


@pytest.mark.parametrize("case", WRITTEN, ids=lambda case: f"{case.section}, {case.name}")
def test_another_implementation_reads_what_is_to_be_written_and_refuses_what_never_is(case: Case) -> None:
    span = JSON.found(case, USUAL)
    assert not isinstance(span, str)

    def read(form: str) -> list[Any]:
        made = USUAL[: span[0]] + form.encode() + USUAL[span[1] :]
        expected, found = JSON.value(case), _by_python(made, list(JSON.fields))
        return _bits(
            tuple(
                float(each) if isinstance(like, float) else each
                for like, each in zip(expected, found, strict=True)
            )
        )

    assert case.writes or case.never
    for form in case.writes:
        expected = _bits(JSON.value(case))
        assert read(form) == expected or (form == "-0" and expected == read("-0.0"))
    for form in case.never:
        with pytest.raises(ValueError):
            read(form)


def test_a_case_is_made_of_what_the_codec_writes() -> None:
    case = next(each for each in JSON.cases if each.name == "2^53 + 1")
    assert JSON.message(case, b'["sentinel",1234567890123,1.5]') == b'["sentinel",9007199254740993,1.5]'
    assert JSON.message(case, b'["1234567890123"]') == "it writes whole as 1234567890123 in another way"
    twice = b"[1234567890123,1234567890123]"
    assert JSON.message(case, twice) == "it writes whole as 1234567890123 more than once"
    comma = next(each for each in JSON.cases if each.name == "a comma behind the last member")
    assert JSON.message(comma, b"[1]") == "its messages do not end with }"
    assert JSON.message(comma, b'{"a":1}') == b'{"a":1,}'


ADAPTER = """
import json


def refuse(name):
    raise ValueError(name)


class Honest:
    class Encoder:
        def encode(self, message):
            return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()

    class Decoder:
        def decode(self, data):
            return json.loads(data.decode(), parse_constant=refuse)


class Trailing(Honest):
    class Decoder:
        def decode(self, data):
            text = data.decode().lstrip(" \\t\\n\\r")
            return json.JSONDecoder(parse_constant=refuse).raw_decode(text)[0]


class Sign(Honest):
    class Encoder:
        def encode(self, message):
            message = message | {"number": message["number"] + 0.0, "whole": int(float(message["whole"]))}
            return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()

    class Decoder(Honest.Decoder):
        def decode(self, data):
            value = super().decode(data)
            return value | {"number": value["number"] + 0.0}


class Surrogates(Honest):
    class Decoder(Honest.Decoder):
        def decode(self, data):
            value = super().decode(data)
            return value | {"text": value["text"].encode("utf-8", "replace").decode()}
"""

DECLARED = """
summary = "JSON with faults"
homepage = "https://example.org"
licence = "MIT"
format = "json"
checks = ["utf8", "trailing"]

[features]
schema = false
code_generation = false
self_describing = true
zero_copy = false
human_readable = true
cross_language = true
cycles = false
"""

VARIANT = """
[variants.{name}]
adapter = "{adapter}"
domain = "dict"
summary = "reads as it should, or not"
"""


def test_planted_faults_are_found_at_their_section(tmp_path: Path) -> None:
    codec = tmp_path / "codecs" / "python" / "faulty"
    codec.mkdir(parents=True)
    adapters = ("Honest", "Trailing", "Sign", "Surrogates")
    variants = "".join(VARIANT.format(name=each.lower(), adapter=each) for each in adapters)
    (codec / "codec.toml").write_text(DECLARED + variants)
    (codec / "adapter.py").write_text(ADAPTER)
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT / "src"),
        "SERBENCH_HOME": str(tmp_path / "home"),
        "SERBENCH_PATH": str(tmp_path),
    }
    command = [sys.executable, "-m", "serbench", "verify", "--conformance", "-c", "python/faulty"]
    done = subprocess.run(
        [*command, "--format-profile", "json:*", "--format", "json"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, Any]]] = {}
    honest: dict[str, dict[str, str]] = {}
    for record in json.loads(done.stdout):
        if record["profile"] == "rfc8259":
            found.setdefault(record["codec"].partition(":")[2], []).append(record)
        elif record["codec"].endswith(":honest") and record["outcome"] != "conforms":
            honest.setdefault(record["profile"], {})[record["case"]] = record["outcome"]
    judged = {
        profile: {c.name: c for c in own.cases if profile in c.profile}
        for profile, own in JSON.by_profile.items()
    }
    refused = {name for name, case in judged["i-json"].items() if case.verdict == "reject" and not case.check}
    assert honest["i-json"] == dict.fromkeys(refused - {"a character that its last byte lacks"}, "accepts")
    more = {name for name, case in judged["json5"].items() if case.verdict == "accept"}
    assert honest["json5"] == dict.fromkeys(more, "rejects")
    assert {len(records) for records in found.values()} == {len(JSON.cases)}

    def wrong(variant: str) -> list[tuple[str, str, str]]:
        return [
            (each["section"], each["case"], each["outcome"])
            for each in found[variant]
            if each["outcome"] != "conforms"
        ]

    assert wrong("honest") == wrong("surrogates") == []
    behind = [each for each in JSON.cases if each.behind and each.verdict == "reject" and not each.cut]
    assert wrong("trailing") == [(each.section, each.name, "accepts") for each in behind] != []
    denied = {name: {each["denied"] for each in records} - {""} for name, records in found.items()}
    assert denied == {"honest": set(), "trailing": {"trailing"}, "sign": set(), "surrogates": set()}
    lost = ("2^53 + 1", "-2^53 - 1", "2^63 - 1", "minus zero", "not a number", "infinity", "minus infinity")
    told_of = ("minus zero", *(f"{name}, written" for name in lost))
    assert wrong("sign") == [("6 Numbers", name, "differs") for name in told_of]
    lone = "the first half of a pair of surrogates alone"
    told = {
        variant: next(each["reason"] for each in found[variant] if each["case"] == lone)
        for variant in ("honest", "surrogates")
    }
    assert told["surrogates"] == "reads text as '?'"
    assert told["honest"].startswith("reads a value that the schema does not have")


@pytest.mark.parametrize(("status", "word"), [("unsupported", "none"), ("failed", "not tried")])
def test_a_codec_that_cannot_have_the_schema_has_no_messages(status: str, word: str) -> None:
    unit: Any = SimpleNamespace(name="a/b", failure=status, status=status, reason="only a root")
    (outcomes,) = conformance_of(unit, JSON)
    assert len(outcomes) == len(JSON.cases)
    assert {(each.word, each.reason) for each in outcomes} == {(word, "only a root")}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            'reject = true\nmay = "who knows"',
            "expected one of accept, reject, writes, never and may",
        ),
        ('at = "other"\ntoken = "1"\nreject = true', "cases[0].at: found 'other', expected one of n"),
        ('at = "n"\nreject = true', "cases[0]: expected at or find with token or hex, or none of these"),
        ("behind = 7\nreject = true", "cases[0].behind: found 7"),
        (
            'at = "n"\nhex = "0g*9"\nreject = true',
            "cases[0].hex: found '0g*9', expected hexadecimal digits",
        ),
        ('at = "n"\nwrite = 1\nmay = "who"', "cases[0]: expected write with writes, never or prefers"),
        ('at = "n"\nwrite = 1\nwrites = ["1"]\ncheck = "utf8"', "cases[0].check: found 'utf8' of a value"),
        ('at = "n"\nwrite = 256\nwrites = ["256"]', "cases[0]: "),
        ("behind = ' '\naccept = true\nprofile.other = {reject = true}", "cases[0].profile: found other"),
        (
            "behind = ' '\naccept = true\nprofile.strict = {}",
            "cases[0].profile.strict: expected one of accept",
        ),
        (
            "behind = ' '\naccept = true\nprofile.strict = {writes = ['1']}",
            "cases[0].profile.strict: expected write with",
        ),
        (
            'at = "n"\ntoken = "x"\nreject = true\nprofile.strict = {accept = 256}',
            "cases[0].profile.strict: ",
        ),
    ],
)
def test_a_fault_of_a_catalogue_is_told(lines: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "made_up.toml"
    head = 'format = "made_up"\nspecification = "a page"\nprofiles.strict.specification = "another"\n'
    head += '[fields.n]\ntype = "u8"\nvalue = 1\nbytes = "1"\n'
    file.write_text(f'{head}[[cases]]\nsection = "1"\nname = "one"\n{lines}\n')
    (error,) = load_catalogues(tmp_path).broken.values()
    assert said in str(error) and str(file) in str(error)


def test_messages_of_another_selection_are_refused(tmp_path: Path) -> None:
    for words, said in (
        (["-c", "python/memcpy"], "no selected codec is of a format with a catalogue: avro, bson"),
        (["-w", "record"], "--conformance has messages of its own; expected no -w"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "serbench", "verify", "--conformance", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT / "src"), "SERBENCH_HOME": str(tmp_path)},
        )
        assert done.returncode == 2 and said in done.stderr
