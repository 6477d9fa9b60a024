"""Tests of ``--need``: only codecs with the features that are asked for are left, and they are ranked among
themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.judged import THREE, made
from tests.test_cli import serbench

from serbench.codecs.codec import FEATURES, Variant
from serbench.errors import SelectionError
from serbench.languages import languages
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.rows import rows_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conforming import HeldCodec
from serbench.selecting.evolved import SeenCodec, SeenEvolution
from serbench.selecting.need import Need, parse_need, serving, unknown_of

KNOWN = load_variants(Paths.default().codecs)
LANGUAGES = list(languages())
BOTH: Any = {"backward": {"kept": ("add", "drop", "rename")}, "forward": {"kept": ("add", "drop")}}
EVOLUTION = SeenEvolution(
    {"add": "add=a.b:u8", "drop": "drop=a.b", "rename": "rename=a.b:c"},
    {
        "cpp/avro": SeenCodec("1", {**BOTH, "forward": {"kept": ("add", "drop", "rename")}}),
        "cpp/cereal": SeenCodec("1", {**BOTH, "forward": {"misread": ("add",), "kept": ("drop", "rename")}}),
        "cpp/xdr": SeenCodec("1", BOTH),
    },
)
HELD = {
    "python/orjson:dict": HeldCodec("json", "1", {"2": {"conforms": 2}}, {"strict": {"accepts": 2}}),
    "python/ujson:dict": HeldCodec(
        "json", "1", {"2": {"conforms": 1, "accepts": 1}}, {"strict": {"conforms": 2}}
    ),
    "python/cbor2:dict": HeldCodec("cbor", "1", {"2": {"conforms": 2}}),
}


def parsed(text: str) -> Need:
    return parse_need(text, LANGUAGES, EVOLUTION, {"json": ("rfc8259", "strict"), "cbor": ("rfc8949",)})


def left(text: str, known: Mapping[str, Variant] = KNOWN) -> list[str]:
    return serving(known, parsed(text), known, {}, EVOLUTION.codecs, HELD)


def test_words_are_features_changes_and_languages() -> None:
    need = parsed(" cycles, languages=cpp+jvm ,zero_copy,cycles")
    assert (need.features, need.languages, need.changes) == (("cycles", "zero_copy"), ("cpp", "jvm"), ())
    assert parsed("conformant").profiles == {"json": ("",), "cbor": ("",)}
    both = parsed("conformant=json:strict+json:rfc8259,conformant=json:strict")
    assert both.profiles == {"json": ("strict", "")} and both.features == ()
    assert all(parsed(feature).features == (feature,) for feature in FEATURES)
    assert parsed("evolution").changes == ("add", "drop")
    assert parsed("evolution=rename + add,evolution=add").changes == ("rename", "add")


def test_all_changes_that_are_needed_were_seen_to_be_kept() -> None:
    seen = {name: KNOWN[name] for name in EVOLUTION.codecs}
    assert left("evolution", seen) == ["cpp/avro", "cpp/xdr"]
    assert left("evolution=add+rename", seen) == ["cpp/avro"]
    assert left("evolution=drop", seen) == ["cpp/avro", "cpp/cereal", "cpp/xdr"]


def test_what_was_not_seen_does_not_pass_and_is_said() -> None:
    need = parsed("evolution=rename")
    codecs = ["cpp/avro", "cpp/xdr", "cpp/protobuf:arena"]
    assert serving(codecs, need, KNOWN, {}, EVOLUTION.codecs, {}) == ["cpp/avro"]
    (said,) = unknown_of(need, codecs, KNOWN, EVOLUTION.codecs, {})
    assert said.startswith("not known of cpp/xdr, cpp/protobuf:arena; see ") and "verify --evolution" in said
    assert unknown_of(parsed("cycles"), codecs, KNOWN, {}, {}) == []
    with pytest.raises(SelectionError, match=r"none of the 1 codecs .* not known of cpp/xdr; see"):
        serving(["cpp/xdr"], need, KNOWN, {}, EVOLUTION.codecs, {})


def test_unknown_fields_are_kept_where_that_was_seen() -> None:
    def through(outcome: str) -> SeenCodec:
        return SeenCodec("1", {"through": {outcome: ("add",)}})

    seen = {"cpp/avro": through("kept"), "cpp/cereal": through("defaults")}
    need, codecs = parsed("unknown_fields"), [*seen, "cpp/xdr"]
    assert serving(codecs, need, KNOWN, {}, seen, {}) == ["cpp/avro"]
    (said,) = unknown_of(need, codecs, KNOWN, seen, {})
    assert said.startswith("not known of cpp/xdr; see ") and said.endswith("unknown_fields")


def test_codecs_that_conform_are_those_that_were_held_to_their_format() -> None:
    assert left("conformant") == ["python/cbor2:dict", "python/orjson:dict"]
    assert left("conformant=json") == ["python/orjson:dict"]
    assert left("conformant=json+cbor") == left("conformant")
    assert left("conformant=json:rfc8259") == left("conformant=json")
    assert left("conformant=json:strict") == ["python/ujson:dict"]
    assert left("conformant=json:strict+cbor") == ["python/cbor2:dict", "python/ujson:dict"]
    with pytest.raises(SelectionError, match="meets --need conformant=json"):
        left("conformant=json:strict+json")
    by_strict = unknown_of(parsed("conformant=cbor:rfc8949,conformant=json:strict"), [*HELD], KNOWN, {}, {})
    assert [each.split(";")[0] for each in by_strict] == [f"not known of {', '.join(HELD)}"]
    need, codecs = parsed("conformant=json"), [*HELD, "python/json:dict", "cpp/cereal", "python/msgpack:dict"]
    assert serving(codecs, need, KNOWN, {}, {}, HELD) == ["python/orjson:dict"]
    (said,) = unknown_of(need, codecs, KNOWN, {}, HELD)
    assert said.startswith("not known of python/json:dict; see ") and "verify --conformance" in said
    with pytest.raises(SelectionError, match="none of the 1 codecs chosen meets --need conformant=json"):
        serving(["python/ujson:dict"], need, KNOWN, {}, {}, HELD)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "evolutio",
            (
                "--need: found 'evolutio', expected one of schema, .*cycles, evolution, "
                "unknown_fields, conformant, or "
                + re.escape(f"languages= with some of {'+'.join(LANGUAGES)}")
            ),
        ),
        ("schema=yes", "--need: found 'schema=yes', expected one of"),
        ("conformant=jsn", "unknown format of --need conformant 'jsn'; did you mean json"),
        ("conformant=jsn:strict", "unknown format of --need conformant 'jsn'; did you mean json"),
        ("conformant=json:strct", "profile of json in --need conformant 'strct'; did you mean strict"),
        ("evolution=ad", "unknown change 'ad'; did you mean add"),
        ("languages", "--need: found 'languages', expected one of"),
        ("languages=", f"unknown language ''; known: {', '.join(LANGUAGES)}"),
        ("languages=cpp+jmv", "unknown language 'jmv'; did you mean jvm"),
        (" , ", "--need: found ' , ', which names nothing; expected some of schema"),
    ],
)
def test_an_unknown_word_is_an_error_with_the_known_ones(text: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        parsed(text)


@pytest.mark.parametrize("feature", FEATURES)
def test_all_that_are_left_have_the_feature_and_nobody_else_has(feature: str) -> None:
    assert set(left(feature)) == {name for name, variant in KNOWN.items() if variant.codec.features[feature]}


def test_needs_come_together() -> None:
    assert set(left("human_readable,cross_language")) == set(left("human_readable")) & set(
        left("cross_language")
    )


def test_languages_are_those_that_read_the_same_bytes() -> None:
    both = set(left("languages=cpp+jvm"))
    assert {"cpp/protobuf:default", "jvm/scalapb", "cpp/nlohmann_json:json", "jvm/circe"} <= both
    assert not both & {"cpp/bitsery:general", "jvm/kryo", "cpp/cereal"}  # nobody else reads these
    assert not any(name.startswith("c/") for name in both)
    assert set(left("languages=cpp")) == {name for name in KNOWN if name.startswith("cpp/")}


def test_another_layout_of_a_format_is_other_bytes() -> None:
    (name,) = (name for name in KNOWN if name == "jvm/circe")
    alone = {
        "cpp/nlohmann_json:json": KNOWN["cpp/nlohmann_json:json"],
        name: replace(KNOWN[name], layout="as arrays"),
    }
    with pytest.raises(SelectionError, match="none of the 2 codecs chosen meets --need languages=cpp"):
        left("languages=cpp+jvm", alone)


def test_a_codec_that_is_no_more_is_judged_by_what_its_run_has_kept() -> None:
    kept = {"cpp/gone": {"cycles": True}, "cpp/other": {}}
    assert serving(kept, Need(("cycles",), (), "cycles"), KNOWN, kept, {}, {}) == ["cpp/gone"]
    assert serving(kept, Need((), ("cpp",), "languages=cpp"), KNOWN, kept, {}, {}) == [
        "cpp/gone",
        "cpp/other",
    ]


def test_ranks_are_those_of_a_run_of_these_codecs_alone(tmp_path: Path) -> None:
    times = {**THREE, "floor": (1, 1)}
    more: dict[str, Any] = {
        "floors": ["floor"],
        "lossy": {"a": "floats", "b": "floats"},
        "features": {name: {} for name in times},
    }
    run = made(tmp_path / "all", times, **more)
    narrowed = Run(run.directory, frozenset("bc"))
    # The samples are drawn in turn, so those of another run would be others.
    assert {row.name: row.rank for row in rows_of(narrowed) if row.operation == "serialize"} == {
        "b": 1,
        "c": 2,
    }
    assert {row.name: row.ratio.estimate for row in rows_of(narrowed) if row.ratio}["b"] == 1
    manifest = narrowed.manifest
    assert (manifest.codecs, manifest.floors, manifest.lossy) == (("b", "c"), (), {"b": "floats"})
    assert manifest.features.keys() == {"b", "c"} and run.manifest.codecs == ("a", "b", "c", "floor")


def test_show_names_who_is_left_out_and_leaves_the_others(tmp_path: Path) -> None:
    run = made(
        tmp_path / "runs",
        {"cpp/protobuf:default": (100, 100), "cpp/cereal": (1, 1), "cpp/thrift:binary": (200, 200)},
    )
    done = serbench(tmp_path, "show", run.id, "--need", "code_generation", columns=200)
    assert "left out by --need code_generation: cpp/cereal" in done.stderr
    assert (
        "cpp/protobuf:default (100 ns); ahead of cpp/thrift:binary" in done.stdout
        and "cereal" not in done.stdout
    )
    narrow = serbench(tmp_path, "show", run.id, "--need", "code_generation", columns=60).stdout
    assert f" more notes: ./serbench show {run.id} --need code_generation --full" in narrow
    whole = serbench(tmp_path, "show", run.id, "--full", columns=60).stdout
    assert "more note" not in whole and f"run {run.id}" in whole


def test_run_takes_a_need_with_its_selection(tmp_path: Path) -> None:
    words = ("run", "--dry-run", "-w", "record", "-c", "cpp/protobuf", "-c", "cpp/handwritten")
    done = serbench(tmp_path, *words, "--need", "code_generation,languages=cpp+jvm", columns=200)
    assert {line.split(" ")[0] for line in done.stdout.splitlines() if " × " in line} == {
        "cpp/protobuf:default", "cpp/protobuf:arena"
    }  # fmt: skip
    assert "left out by --need code_generation,languages=cpp+jvm: cpp/handwritten" in done.stderr
    assert "no codec of jvm is selected" in done.stderr
    refused = serbench(tmp_path, *words, "--need", "zero_copy")
    assert refused.returncode == 2 and "none of the 4 codecs chosen meets --need zero_copy" in refused.stderr


def test_of_a_codec_that_nobody_tried_evolution_is_not_known(tmp_path: Path) -> None:
    run = made(tmp_path / "runs", THREE)
    done = serbench(tmp_path, "show", run.id, "--need", "evolution", columns=200)
    assert done.returncode == 2 and "meets --need evolution" in done.stderr
    assert "not known of a, b, c; see ./serbench verify --evolution" in done.stderr


def test_a_run_that_is_continued_takes_no_need(tmp_path: Path) -> None:
    run = made(tmp_path / "runs", THREE)
    done = serbench(tmp_path, "run", "--resume", run.id, "--need", "evolution")
    assert done.returncode == 2 and "uses the selection and seed of the run" in done.stderr
