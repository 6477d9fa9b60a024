"""Tests of every kind of types in every codec that declares itself able to do the kind; the page on types by
codec is made from the results.

After a change of an adapter or of a codec's declarations, run them with ``SERBENCH_UPDATE_GOLDEN=1`` and
every library installed.
"""

from __future__ import annotations

import os

import pytest
from tests.verified_kinds import FILE, build_and_verify, dump, found_of, load

from serbench.languages import languages
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants


@pytest.mark.native
@pytest.mark.parametrize("language", list(languages()))
def test_every_kind_that_a_codec_can_do_by_its_own_word_is_verified(
    request: pytest.FixtureRequest, language: str
) -> None:
    if not request.config.getoption("--all"):
        pytest.skip("left to ./serbench test --all")
    paths = Paths(PROJECT, Paths.default().home / "kinds")
    variants = [
        v for v in load_variants(paths.codecs).values() if v.codec.language == language and not v.codec.floor
    ]
    found = found_of(variants, build_and_verify(paths))
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        others = {id: each for id, each in load().items() if not id.startswith(f"{language}/")}
        FILE.write_text(dump(others | found))
    assert {id: dict(each.failed) for id, each in found.items() if each.failed} == {}
    # Neither a library that is not here nor one that was not there says anything against what was verified.
    known = {
        id: each for id, each in load().items() if id in found and not each.missing and not found[id].missing
    }
    assert {id: (each.kinds, each.names) for id, each in known.items()} == {
        id: (found[id].kinds, found[id].names) for id in known
    }
