"""From what the command line asks for to cells."""

from __future__ import annotations

import pytest

from serbench.codec import load_variants
from serbench.errors import SelectionError
from serbench.paths import Paths
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
