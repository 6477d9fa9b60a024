"""From what the command line asks for to cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.catalogue import load_variants
from serbench.errors import FileError, SelectionError
from serbench.paths import PROJECT, Paths
from serbench.selection import select_variants

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
