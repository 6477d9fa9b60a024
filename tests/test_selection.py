"""From what the command line asks for to cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.catalogue import load_codec, load_variants
from serbench.errors import FileError, SelectionError, SerbenchError
from serbench.model import Array, Field, List, Map, Optional, Record, Type, bytes_, i32, string
from serbench.paths import PROJECT, Paths
from serbench.selection import select_variants
from serbench.workload import Workload, load_workloads

VARIANTS = load_variants(Paths.default().codecs)


def test_a_codec_outside_the_default_has_to_be_asked_for() -> None:
    unasked = {v.id for v in select_variants([], VARIANTS)}
    assert "cpp/memcpy" in unasked
    assert "cpp/mpi" not in unasked
    assert [v.id for v in select_variants(["cpp/mpi"], VARIANTS)] == ["cpp/mpi"]
    assert {v.id for v in select_variants(["*"], VARIANTS)} == set(VARIANTS)


def test_a_pattern_that_matches_nothing_is_an_error() -> None:
    with pytest.raises(SelectionError, match="cpp/no_such"):
        select_variants(["cpp/no_such"], VARIANTS)


def test_one_broken_codec_is_named_with_its_line_and_hides_no_other(tmp_path: Path) -> None:
    for name in ("sound", "broken"):
        (tmp_path / "jvm" / name).mkdir(parents=True)
        text = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text()
        (tmp_path / "jvm" / name / "codec.toml").write_text(
            text.replace("schema = ", "schema = 1 # ") if name == "broken" else text
        )
    known = load_variants(tmp_path)
    assert list(known) == ["jvm/sound"] and [v.id for v in select_variants(["*"], known)] == ["jvm/sound"]
    said = r"codec jvm/broken cannot be used: .*codec\.toml: 1 error in the codec\n  line \d+, features\.schema: found 1, "
    for pattern in ("jvm/broken", "broken", "broken:default", "brok*"):
        with pytest.raises(FileError, match=said):
            select_variants([pattern], known)


def test_a_variant_names_what_it_can_do_or_what_it_cannot(tmp_path: Path) -> None:
    known = load_workloads(Paths.default().workloads)
    path = tmp_path / "jvm" / "terse" / "codec.toml"
    path.parent.mkdir(parents=True)
    whole = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text()
    for line, done in {'workloads = ["record", "graph"]': [True, False, True], 'except = ["graph"]': [True, True, False]}.items():
        path.write_text(f"{whole}{line}\n")
        with pytest.raises(SerbenchError, match=r"variants\.default\.reason: missing"):
            load_codec(path)
        path.write_text(f'{whole}{line}\nreason = "of its own"\n')
        variant = load_codec(path).variants["default"]
        assert [variant.supports(known[name]) for name in ("record", "nobid", "graph")] == done


@pytest.mark.parametrize(
    ("type", "supported"),
    [(bytes_, True), (Optional(bytes_), True), (List(bytes_), False), (Map(string, List(bytes_)), False), (Array(i32, 2), False)],
)
def test_a_variant_names_types_that_it_cannot_do(tmp_path: Path, type: Type, supported: bool) -> None:
    """Wherever they are: here in a record in a list."""
    path = tmp_path / "jvm" / "memcpy" / "codec.toml"
    path.parent.mkdir(parents=True)
    whole = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text()
    without = 'without = ["list<bytes>", "array<i32, *>"]'
    path.write_text(f"{whole}{without}\n")
    with pytest.raises(SerbenchError, match=r"variants\.default\.reason: missing"):
        load_codec(path)
    path.write_text(f'{whole}{without}\nreason = "of its own"\n')
    root = Record("Root", [Field("items", List(Record("Item", [Field("value", type)])))])
    workload = Workload(name="drawn", summary="", root=root, generate=lambda: iter(()))
    assert load_codec(path).variants["default"].supports(workload) is supported
