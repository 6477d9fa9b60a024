"""Tests that the page on evolution by codec, the file of what was seen, and the workload with the changes
agree with each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.evolution_page import PAGE, STORED, declared, dump, merged, page

from serbench.changes.together import apart
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.evolved import NOTHING_SEEN, OPTIONAL_FIELD, SeenCodec, SeenEvolution, load_evolution
from serbench.verification.evolution import OUTCOMES
from serbench.workload import load_workloads

VARIANTS = load_variants(PROJECT / "codecs")
WORKLOADS = load_workloads(Paths.default().workloads)


def record(change: str, direction: str, outcome: str, **more: Any) -> dict[str, Any]:
    named = {"codec": "cpp/cereal", "workload": "w", "change": change, "direction": direction}
    return {**named, "outcome": outcome, "reason": "", "version": "1.3", **more}


def test_what_is_stored_is_of_codecs_and_changes_that_there_are() -> None:
    evolution = load_evolution(STORED.parent)
    assert evolution.codecs and {*evolution.codecs} <= {*VARIANTS}
    assert evolution.changes == declared(), "the workload's changes are others: run verify --evolution anew"
    for codec, seen in evolution.codecs.items():
        for direction, told in seen.outcomes.items():
            names = [name for changes in told.values() for name in changes]
            assert len({*names}) == len(names) and {*names} <= {*evolution.changes}, f"{codec} {direction}"
            assert {word.partition(" by ")[0] for word in told} <= {*OUTCOMES}
    assert STORED.read_text() == dump(evolution)


def test_the_page_is_what_was_seen() -> None:
    text = page(list(VARIANTS.values()), load_evolution(STORED.parent))
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, f"SERBENCH_UPDATE_GOLDEN=1 ./serbench test {__file__} writes it anew"


@pytest.mark.parametrize(
    "workload", [each for each in WORKLOADS.values() if each.changes], ids=lambda each: each.name
)
def test_each_change_is_inside_its_own_field(workload: Any) -> None:
    changes = apart(workload.schema, workload.changes)
    assert {*OPTIONAL_FIELD} <= {*changes} < {field.name for field in workload.root.fields}
    for message in workload.generate(count=2, seed=1):
        assert sum(value is not None for value in message) == 1
        for change in changes.values():
            change.forward(message)


def test_outcomes_of_a_codec_replace_those_before() -> None:
    first = merged(
        NOTHING_SEEN,
        [record("add", "backward", "kept"), record("add", "forward", "not tried")],
        {"add": "add=a.b:u8"},
    )
    assert first.codecs == {"cpp/cereal": SeenCodec("1.3", {"backward": {"kept": ("add",)}})}
    other = {"codec": "c/other", "version": ""}
    then = merged(first, [record("add", "backward", "crash", by="adapter") | other], first.changes)
    assert list(then.codecs) == ["c/other", "cpp/cereal"]
    assert then.codecs["c/other"].outcomes == {"backward": {"crash by adapter": ("add",)}}
    assert then.codecs["c/other"].of("add", "backward") == "crash"
    with_and_without = [
        record("add", "forward", "kept", writer_schema=True),
        record("add", "forward", "misread", writer_schema=False),
    ]
    of_another = record("add", "forward", "crash", reader="c/other", writer_schema=True)
    both = merged(first, [*with_and_without, of_another], first.changes)
    assert both.codecs["cpp/cereal"].outcomes == {"forward": {"kept": ("add",)}}
    anew = merged(then, [record("add", "backward", "kept", by="adapter") | other], first.changes)
    assert anew.codecs["c/other"].outcomes == {"backward": {"kept": ("add",)}}


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    evolution = SeenEvolution(
        {"add": "add=a.b:u8"}, {"c/x": SeenCodec("1", {"backward": {"misread": ("add",)}})}
    )
    (tmp_path / "evolution.json").write_text(dump(evolution))
    assert load_evolution(tmp_path) == evolution
    assert load_evolution(tmp_path / "none") == NOTHING_SEEN


def test_cells_tell_both_directions_and_whose_outcome_it_is() -> None:
    own: Any = {
        "backward": {"kept": ("add",), "misread": ("drop",)},
        "forward": {"refused by adapter": ("drop",)},
    }
    text = page(
        [VARIANTS["cpp/cereal"]],
        SeenEvolution({"add": "add=a.b:u8", "drop": "drop=a.b"}, {"cpp/cereal": SeenCodec("1.3", own)}),
    )
    through = SeenCodec("", {**own, "through": {"kept": ("drop",)}})
    assert "| add | ✓?? |\n| drop | !✗a✓ |\n| keeps unknown fields | ? |\n" in page(
        [VARIANTS["cpp/cereal"]],
        SeenEvolution({"add": "add=a.b:u8", "drop": "drop=a.b"}, {"cpp/cereal": through}),
    )
    assert "| Change | cereal |\n| --- | --- |\n| add | ✓? |\n| drop | !✗a |\n" in text
    for outcome, word in (("kept", "yes"), ("defaults", "no"), ("impossible", "–")):
        seen = SeenCodec("", {"through": {outcome: ("add",)}})
        assert f"| keeps unknown fields | {word} |\n" in page(
            [VARIANTS["cpp/cereal"]], SeenEvolution({"add": "add=a.b:u8"}, {"cpp/cereal": seen})
        )
    assert "Seen with: cereal 1.3.\n" in text and "Not tried:" not in text
    assert "- **drop**: a field, alternative or member is removed (`drop=a.b`)\n" in text
    assert "Not tried: cpp/cereal." in page([VARIANTS["cpp/cereal"]], NOTHING_SEEN)


@pytest.mark.parametrize(
    ("outcomes", "keeps", "told"),
    [
        (
            {"backward": {"kept": ("add", "drop")}, "forward": {"defaults": ("drop",), "kept": ("add",)}},
            True,
            "kept",
        ),
        (
            {"backward": {"kept": ("add", "drop")}, "forward": {"misread": ("drop",), "refused": ("add",)}},
            False,
            "misread",
        ),
        ({"backward": {"kept": ("add", "drop")}, "forward": {"refused": ("drop", "add")}}, False, "refused"),
        ({"backward": {"kept": ("add", "drop")}, "forward": {"crash": ("drop", "add")}}, False, ""),
        ({"backward": {"kept": ("add", "drop")}, "forward": {"kept": ("add",)}}, None, ""),
    ],
)
def test_an_optional_field_is_kept_only_in_both_directions(
    outcomes: Any, keeps: bool | None, told: str
) -> None:
    seen = SeenCodec("1", outcomes)
    assert (seen.keeps(OPTIONAL_FIELD), seen.of_optional_field) == (keeps, told)
