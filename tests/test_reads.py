"""Tests of the way by which a codec reads a few fields, as ``codec.toml`` declares it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes.derived import parse_spec
from serbench.codecs.codec import WAYS
from serbench.errors import FileError
from serbench.measure.job import Job, Permission
from serbench.model import Field, Record, string
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_codec, load_codecs, load_variants
from serbench.selecting.evolved import load_evolution
from serbench.selecting.selection import Chosen
from serbench.site import codec_page
from serbench.verification.checks import checks_others
from serbench.verification.writers import given
from serbench.workload import Workload

VARIANTS = load_variants(PROJECT / "codecs")
SIMDJSON = VARIANTS["cpp/simdjson:dom"].codec


def made(tmp_path: Path, text: str) -> Path:
    """The path of a ``codec.toml`` with a text, in a folder of simdjson's name."""
    folder = tmp_path / "cpp" / "simdjson"
    folder.mkdir(parents=True)
    (folder / "adapter.hpp").touch()
    (folder / "codec.toml").write_text(text)
    return folder / "codec.toml"


def test_a_variant_has_its_own_way_or_that_of_its_codec_or_skips(tmp_path: Path) -> None:
    text = (SIMDJSON.directory / "codec.toml").read_text()
    assert {name: each.reads for name, each in SIMDJSON.variants.items()} == {
        "ondemand": "scan",
        "dom": "whole",
    }
    without = text.replace('reads = "scan"\n', "")
    own = load_codec(made(tmp_path / "own", without)).variants
    assert own["ondemand"].reads == "skip" and own["dom"].reads == "whole"
    shared = load_codec(made(tmp_path / "shared", f'reads = "view"\n{without}')).variants
    assert shared["ondemand"].reads == "view" and shared["dom"].reads == "whole"


def test_another_word_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    text = (SIMDJSON.directory / "codec.toml").read_text()
    path = made(tmp_path, text.replace('reads = "scan"', 'reads = "seek"'))
    with pytest.raises(FileError, match=r"reads.*seek"):
        load_codec(path)


def test_who_reads_few_fields_of_more_was_seen_to_keep_the_others_apart() -> None:
    """A codec that does not read messages with a field more cannot pass over that field, unless its readers
    have the types of the whole message."""
    seen = load_evolution(PROJECT / "codecs").codecs
    outcomes = {v: seen[v].of("drop", "backward") for v in VARIANTS if v in seen}
    assert outcomes
    failed = {v for v, outcome in outcomes.items() if outcome not in ("kept", "defaults", "impossible", "")}
    assert {v for v in failed if VARIANTS[v].reads != "whole"} == {"rust/rkyv"}


def test_the_page_of_a_codec_tells_the_way_of_each_variant() -> None:
    text = codec_page.page(SIMDJSON, load_codecs(PROJECT / "codecs"), {})
    assert f"- `cpp/simdjson:ondemand`: **scan**: {WAYS['scan']}\n" in text
    assert f"- `cpp/simdjson:dom`: **whole**: {WAYS['whole']}\n" in text


def generate() -> Iterator[Any]:
    yield ("first", "one")


NOTES = Workload("notes", "two texts", Record("Note", [Field("a", string), Field("b", string)]), generate)
OTHERS = {"python/protobuf": False, "python/avro": False, "python/orjson:dataclass": True}
"""Codec → whether it looks at texts that its program does not have: orjson decodes all text first,
while Protocol Buffers and Avro pass over so many bytes."""


@pytest.mark.native
def test_who_makes_values_of_everything_checks_the_fields_that_it_has_not(tmp_path: Path) -> None:
    specs = [parse_spec(text, {"notes": NOTES}) for text in ("notes", "notes/drop=b")]
    variants = [VARIANTS[name] for name in OTHERS]
    builds = toolchains(PATHS, variants, specs=specs)
    job = Job(PATHS, Chosen(variants, specs), builds, Permission(install=True))
    units = {(unit.variant.id, unit.spec.id): unit for unit in prepare_builds(job)}
    found = {}
    for name in OTHERS:
        writer, reader = (units[name, spec.id] for spec in specs)
        assert (writer.status, reader.status) == ("ok", "ok"), (writer.reason, reader.reason)
        found[name] = checks_others(writer, given(reader, writer, tmp_path))
        assert checks_others(writer, writer) is None, "it lacks no field"
    assert found == OTHERS
