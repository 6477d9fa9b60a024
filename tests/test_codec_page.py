"""Tests that the page on types by codec, the declarations of codecs and the file of verified kinds agree with
each other."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.codec_page import WITHOUT_LIBRARY, page
from tests.verified_kinds import (
    COMMAND,
    FILE,
    Verified,
    build_and_verify,
    dump,
    found_of,
    load,
    possible,
    schema_alone,
)

from serbench.codecs.codec import Inability, Variant
from serbench.errors import SetupError
from serbench.languages.base import Found
from serbench.measure.events import Status
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.model.kinds import KINDS, WRITTEN_NAME, schema_of
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants

PAGE = PROJECT / "docs" / "types-by-codec.md"
VARIANTS = load_variants(PROJECT / "codecs")
CEREAL = VARIANTS["cpp/cereal"]
ALL = tuple(KINDS)


def row(text: str, kind: str) -> list[str]:
    """The cells of the row for a kind of types, in the first table that has such a row."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return next(cells[1:] for cells in lines if kind in cells[0].split(", "))


def known(variant: Variant, **changed: object) -> Variant:
    """A copy of a variant with ``changed`` attributes, as the only one of a codec whose adapter knows the
    whole type model."""
    codec = replace(variant.codec, type_model=2, variants={})
    made = replace(variant, codec=codec, **changed)  # type: ignore[arg-type]
    codec.variants[made.name] = made  # type: ignore[index]
    return made


def stale(variants: dict[str, Variant], found: dict[str, Verified]) -> list[str]:
    """The statements in the file of verified kinds that contradict the declarations of codecs."""
    faults = [f"{id}: there is no such variant" for id in found if id not in variants]
    for id, each in found.items():
        if id in variants and not each.missing:
            said, can = {*each.kinds, *each.failed}, set(possible(variants[id]))
            faults += [
                f"{id}: {kind} was verified and cannot be done, by its own word"
                for kind in KINDS
                if kind in said - can
            ]
            faults += [
                f"{id}: {kind} was not verified and can be done" for kind in KINDS if kind in can - said
            ]
    return faults


def test_every_library_says_what_it_has_by_itself() -> None:
    silent = {v.codec.id for v in VARIANTS.values() if v.lowered is None}
    assert silent == {v.codec.id for v in VARIANTS.values() if v.codec.name in WITHOUT_LIBRARY}


def test_what_a_codec_can_do_of_each_kind_alone_it_can_do_together() -> None:
    for variant in VARIANTS.values():
        kinds = possible(variant)
        assert not kinds or variant.why_not(schema_of(kinds)) is None, variant.id


def test_what_was_verified_is_what_codecs_can_do() -> None:
    faults = stale(dict(VARIANTS), load())
    assert not faults, "\n".join([*faults, f"make {FILE.name} anew: {COMMAND}"])


def test_the_page_is_what_codecs_declare_and_what_was_verified() -> None:
    text = page(list(VARIANTS.values()), load())
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, f"SERBENCH_UPDATE_GOLDEN=1 ./serbench test {__file__} writes it anew"


def test_what_differs_is_told() -> None:
    one = {CEREAL.id: known(CEREAL)}
    assert stale(one, {CEREAL.id: Verified("1.3", "", ALL)}) == []
    assert stale(one, {CEREAL.id: Verified(missing="no such package")}) == []
    assert stale(one, {"cpp/other": Verified("1", "", ALL)}) == ["cpp/other: there is no such variant"]
    part = Verified("1.3", "", ALL[1:])
    assert stale(one, {CEREAL.id: part}) == [f"{CEREAL.id}: bool was not verified and can be done"]
    cannot = (Inability("has no bytes", having=("i8",)),)
    (fault,) = stale({CEREAL.id: known(CEREAL, cannot=cannot)}, {CEREAL.id: Verified("1.3", "", ALL)})
    assert fault == f"{CEREAL.id}: i8 was verified and cannot be done, by its own word"


def test_the_file_is_read_as_it_was_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = {
        "cpp/one": Verified("1.0", "", ("bool", "i8"), {}, True),
        "cpp/other": Verified("", "", ("bool",), {"i8": "crashed"}),
        "cpp/third": Verified(missing="no package"),
        "cpp/two": Verified("2.0", "", ("bool", "i8")),
    }
    file = tmp_path / "file.json"
    file.write_text(dump(found))
    monkeypatch.setattr("tests.verified_kinds.FILE", file)
    assert load() == found
    assert file.read_text().count('"i8"') == 2


def test_a_cell_tells_what_was_declared_and_verified() -> None:
    cannot = (Inability("has no maps", having=("map<*, *>",)),)
    variant = known(CEREAL, lowered=frozenset({"union of records"}), cannot=cannot)
    kinds = tuple(kind for kind in possible(variant) if kind != "array")
    text = page([variant], {variant.id: Verified("1.3", "", kinds, {"array": "crashed"})})
    told = {
        kind: row(text, kind)
        for kind in ("i8", "union of records", "map by bool", "array", "date", WRITTEN_NAME)
    }
    assert told == {
        "i8": ["✓"], "union of records": ["~"], "map by bool": ["✗1"], "array": ["?"], "date": ["~"],
        WRITTEN_NAME: ["–"],
    }  # fmt: skip
    assert (
        "- ✗1: has no maps\n" in text
        and "Verified with: cereal 1.3.\n" in text
        and "- cereal: array failed\n" in text
    )
    named = page([variant], {variant.id: Verified("1.3", "", kinds, {}, names=True)})
    assert row(named, WRITTEN_NAME) == ["✓"]


def test_what_was_not_verified_is_no_tick() -> None:
    told = known(CEREAL)
    assert row(page([told], {}), "bool") == ["?"]
    assert row(page([told], {told.id: Verified(missing="no such package")}), "bool") == ["?"]
    silent = replace(told, lowered=None)
    assert row(page([silent], {told.id: Verified("1.3", "", ALL)}), "bool") == ["?"]


def test_an_adapter_of_before_says_nothing_against_its_library() -> None:
    before = known(CEREAL)
    before = replace(before, codec=replace(before.codec, type_model=1))
    assert before.why_not(schema_alone("union of records"))
    text = page([before], {before.id: Verified("1.3", "", possible(before))})
    assert row(text, "union of records") == ["?"] and row(text, "list") == ["✓"]


def test_variants_that_differ_have_columns_of_their_own() -> None:
    own = [v for v in VARIANTS.values() if v.codec.name == "nlohmann_json"]
    found = {v.id: Verified("3.11", "", possible(v)) for v in own}
    text = page(own, found)
    titles = next(line for line in text.splitlines() if line.startswith("| Type | nlohmann"))
    assert (
        titles
        == "| Type | nlohmann_json: json, ubjson | nlohmann_json: cbor, messagepack | nlohmann_json: bson |"
    )
    assert row(text, "bytes") == ["~", "✓", "✓"]


def test_what_fails_as_a_whole_is_halved_until_the_kinds_are_known() -> None:
    tries: list[int] = []

    def built(kinds: tuple[str, ...], variants: list[Variant]) -> list[tuple[Variant, Verified]]:
        tries.append(len(kinds))
        bad = "array" in kinds
        whole = (
            Verified("1.3", "", (), dict.fromkeys(kinds, "crashed")) if bad else Verified("1.3", "", kinds)
        )
        return [(variant, whole) for variant in variants]

    variant = known(CEREAL)
    found = found_of([variant], built)[variant.id]  # type: ignore[arg-type]
    assert found.failed == {"array": "crashed"} and set(found.kinds) == set(ALL) - {"array"}
    assert len(tries) < 16


def test_a_library_that_is_not_here_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepared(status: Status) -> dict[str, Verified]:
        def prepare(job: Job) -> list[Unit]:
            if not status:
                raise SetupError("no compiler")
            nothing: Any = None
            (spec,) = job.chosen.workloads
            return [Unit(v, spec, nothing, nothing, status=status, reason="why") for v in job.chosen.variants]

        monkeypatch.setattr("tests.verified_kinds.prepare_builds", prepare)
        return found_of([CEREAL], build_and_verify(Paths(PROJECT, PROJECT)))

    toolchain = SimpleNamespace(found={"cereal": Found(True, "1.3", "")})
    monkeypatch.setattr(
        "tests.verified_kinds.languages", lambda: {"cpp": SimpleNamespace(toolchains=lambda _: [toolchain])}
    )
    kinds = possible(CEREAL)
    assert prepared("not_installed") == {CEREAL.id: Verified(missing="why")}
    assert prepared("") == {CEREAL.id: Verified(missing="no compiler")}  # type: ignore[arg-type]
    assert prepared("failed") == {CEREAL.id: Verified("1.3", "", (), dict.fromkeys(kinds, "why"))}


def test_what_fails_only_together_is_not_verified() -> None:
    def built(kinds: tuple[str, ...], variants: list[Variant]) -> list[tuple[Variant, Verified]]:
        bad = len(kinds) > 10
        whole = (
            Verified("1.3", "", (), dict.fromkeys(kinds, "too large")) if bad else Verified("1.3", "", kinds)
        )
        return [(variant, whole) for variant in variants]

    variant = known(CEREAL)
    found = found_of([variant], built)[variant.id]  # type: ignore[arg-type]
    assert not found.kinds and set(found.failed) == set(ALL)
