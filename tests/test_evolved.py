"""Tests of where it is told what was seen of codecs when schemas change: features, manifests, verdicts."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.judged import THREE, made, said

from serbench.cli.listing import mark_of
from serbench.codecs.codec import ALL_FEATURES, CONFORMANT, EVOLUTION, FEATURES, UNKNOWN_FIELDS
from serbench.languages.base import Found
from serbench.measure.job import Job
from serbench.measure.manifest import evolved_of, known_features
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.conforming import HeldCodec, SeenConformance
from serbench.selecting.evolved import SeenCodec, features_of
from serbench.selecting.selection import Chosen
from serbench.workload import Origin, WorkloadSpec, load_workloads

CODEC = load_variants(PROJECT / "codecs")["cpp/cereal"]
KEPT: Any = {"kept": ("add", "drop")}
BOTH = SeenCodec("1.2", {"backward": KEPT, "forward": KEPT})
LOST = SeenCodec("1.2", {"backward": KEPT, "forward": {"kept": ("add",), "misread": ("drop",)}})


@pytest.mark.parametrize(
    ("seen", "evolves", "keeps_unknown"),
    [
        ({CODEC.id: BOTH}, True, None),
        ({CODEC.id: LOST}, False, None),
        ({CODEC.id: SeenCodec("1.2", {"through": KEPT})}, None, True),
        ({CODEC.id: SeenCodec("1.2", {"through": {"impossible": ("add",)}})}, None, False),
        ({}, None, None),
    ],
)
def test_features_are_what_was_seen(seen: Any, evolves: bool | None, keeps_unknown: bool | None) -> None:
    found = features_of(CODEC, seen, {})
    assert list(found) == list(ALL_FEATURES)
    assert (found[EVOLUTION], found[UNKNOWN_FIELDS]) == (evolves, keeps_unknown)
    assert all(found[name] is CODEC.codec.features[name] for name in FEATURES)


def test_former_features_mean_nothing_where_they_are_declared(tmp_path: Path) -> None:
    folder = tmp_path / "cpp" / "cereal"
    shutil.copytree(CODEC.codec.directory, folder)
    text = (CODEC.codec.directory / "codec.toml").read_text()
    (folder / "codec.toml").write_text(text.replace("[features]\n", "[features]\nevolution = true\n"))
    assert load_codec(folder / "codec.toml").features == CODEC.codec.features


def test_a_run_of_a_users_messages_tells_it_of_the_version_that_was_seen() -> None:
    workload = load_workloads(PROJECT / "workloads")["record"]
    plain = WorkloadSpec.usual(workload)
    own = replace(
        plain, workload=replace(workload, origin=Origin(kind="data", format="JSON", root="R", messages=1))
    )

    def told(spec: WorkloadSpec, *versions: str) -> dict[str, str]:
        library = CODEC.codec.name
        builds: Any = [SimpleNamespace(language="cpp", found={library: Found(True, v, "")}) for v in versions]
        job = Job(Paths(PROJECT, PROJECT), Chosen([CODEC], [spec]), builds)
        return evolved_of(job, {CODEC.id: LOST})

    assert told(own, "1.2") == {CODEC.id: "misread"}
    assert told(own, "1.3") == told(own, "1.2", "1.3") == told(own) == told(plain, "1.2") == {}


def test_a_run_says_that_a_codec_conforms_of_the_version_that_was_seen(tmp_path: Path) -> None:
    own = HeldCodec("json", "1.2", {"2": {"conforms": 1}})
    held = SeenConformance({"json": {"2": 1}}, codecs={CODEC.id: own})
    (tmp_path / "codecs").mkdir()
    (tmp_path / "codecs" / "conformance.json").write_bytes(msgspec.json.encode(held))

    def told(*versions: str) -> bool | None:
        library = CODEC.codec.name
        builds: Any = [SimpleNamespace(language="cpp", found={library: Found(True, v, "")}) for v in versions]
        job = Job(Paths(tmp_path, tmp_path), Chosen([CODEC], []), builds)
        return known_features(job, {})[CODEC.id].get(CONFORMANT)

    assert told("1.2") is True
    assert told("1.3") is told("1.2", "1.3") is told() is None


def test_the_verdict_says_who_keeps_messages_when_an_optional_field_comes_or_goes(tmp_path: Path) -> None:
    evolved = {"a": "misread", "b": "kept", "floor": "kept", "gone": "kept"}
    run = made(tmp_path / "one", {**THREE, "floor": (1, 1)}, floors=["floor"], evolved=evolved)
    assert (
        said(run)["Evolution"] == "if you add or drop an optional field: kept by b; misread in silence by a"
    )
    many = dict.fromkeys("abcdefg", (100, 100))
    run = made(tmp_path / "many", many, evolved=dict.fromkeys("abcdefg", "refused"))
    assert said(run)["Evolution"].endswith("refused by a, b, c, d and 3 more")
    assert "Evolution" not in said(made(tmp_path / "none", THREE))


@pytest.mark.parametrize(
    ("found", "mark"),
    [({True}, "e"), ({True, False}, "~"), ({True, None}, "~"), ({None}, "?"), ({False}, "·")],
)
def test_a_list_marks_what_all_variants_have_some_have_or_is_not_known(found: Any, mark: str) -> None:
    assert mark_of(EVOLUTION, found) == mark
