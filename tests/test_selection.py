"""Tests of the way from the words of the command line to cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.cli.asking import select_again
from serbench.errors import FileError, SelectionError
from serbench.measure.machine import Machine
from serbench.measure.manifest import Manifest
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Asked, select, select_variants, select_workloads
from serbench.workload import load_workloads

VARIANTS = load_variants(Paths.default().codecs)


def test_a_codec_outside_the_default_has_to_be_asked_for() -> None:
    unasked = {v.id for v in select_variants([], VARIANTS)}
    assert "cpp/memcpy" in unasked
    assert "cpp/mpi" not in unasked
    assert [v.id for v in select_variants(["cpp/mpi"], VARIANTS)] == ["cpp/mpi"]
    assert {v.id for v in select_variants(["*"], VARIANTS)} == set(VARIANTS)


def test_the_floor_of_each_language_is_beside_what_is_timed() -> None:
    workloads = load_workloads(Paths.default().workloads)

    def beside(codecs: list[str], metrics: list[str] | None = None) -> list[str]:
        chosen = select(workloads, VARIANTS, None, Asked(codecs=codecs, metrics=metrics or ()))
        chosen = chosen.with_floors(VARIANTS)
        assert [v.id for v in chosen.built] == [v.id for v in [*chosen.variants, *chosen.beside]]
        return sorted(v.id for v in chosen.beside)

    assert beside(["cpp/cereal", "rust/prost"]) == ["cpp/memcpy", "rust/memcpy"]
    assert beside(["cpp/cereal", "cpp/memcpy"]) == []
    assert beside(["cpp/cereal"], ["binary_size"]) == []
    assert {v.codec.language for v in VARIANTS.values()} == {
        v.codec.language for v in VARIANTS.values() if v.codec.floor
    }


def test_code_without_a_library_is_a_reference_in_every_language() -> None:
    """Codecs of serbench's own formats, which no library has, must all be references or floors, never
    contenders."""
    own = [each for each in VARIANTS.values() if each.format in ("canonical", "handwritten")]
    assert len({each.codec.language for each in own}) > 5
    assert [each.id for each in own if each.codec.competes] == []


def test_a_run_that_is_continued_has_the_floors_that_it_had_beside() -> None:
    manifest = Manifest(
        version=1,
        codecs=("cpp/cereal",),
        beside=("cpp/memcpy",),
        workloads=("monsters",),
        operations=("serialize:reuse",),
        datasets={},
        rounds=6,
        toolchains=(),
        machine=Machine(processor="none"),
    )
    again = select_again(manifest, load_workloads(Paths.default().workloads), VARIANTS)
    assert [v.id for v in again.variants] == ["cpp/cereal"]
    assert [v.id for v in again.beside] == ["cpp/memcpy"]


def test_popular_is_one_variant_of_each_language_and_format() -> None:
    popular = select_variants(["popular"], VARIANTS)
    formats = [(v.codec.language, v.format) for v in popular]
    assert len(set(formats)) == len(formats), "a second one of a language and format"
    assert {language for language, _ in formats} == {v.codec.language for v in VARIANTS.values()}
    assert not any(v.codec.floor for v in popular)
    both = {v.id for v in select_variants(["popular", "cpp/mpi"], VARIANTS)}
    assert both == {v.id for v in popular} | {"cpp/mpi"}


def test_a_pattern_that_matches_nothing_is_an_error() -> None:
    with pytest.raises(SelectionError, match="cpp/no_such"):
        select_variants(["cpp/no_such"], VARIANTS)


def test_the_workload_that_says_so_is_taken_where_none_is_named(tmp_path: Path) -> None:
    known = load_workloads(Paths.default().workloads)
    assert [spec.id for spec in select_workloads([], known)] == ["monsters"]
    with pytest.raises(SelectionError, match="there is no default workload; choose one with -w"):
        select_workloads([], {"graph": known["graph"]})
    (tmp_path / "monsters.py").write_text("no Python\n")
    with pytest.raises(FileError, match=r"monsters\.py, line 1"):
        select_workloads([], load_workloads(tmp_path))


def test_one_broken_codec_is_named_with_its_line_and_hides_no_other(tmp_path: Path) -> None:
    for name in ("sound", "broken"):
        (tmp_path / "jvm" / name).mkdir(parents=True)
        text = (
            (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text().replace("floor = true\n", "")
        )
        (tmp_path / "jvm" / name / "codec.toml").write_text(
            text.replace("schema = ", "schema = 1 # ") if name == "broken" else text
        )
    known = load_variants(tmp_path)
    assert list(known) == ["jvm/sound"] and [v.id for v in select_variants(["*"], known)] == ["jvm/sound"]
    said = (
        r"codec jvm/broken cannot be used: .*codec\.toml: 1 error in the codec\n  line \d+, "
        r"features\.schema: found 1, "
    )
    for pattern in ("jvm/broken", "broken", "broken:default", "brok*"):
        with pytest.raises(FileError, match=said):
            select_variants([pattern], known)
