"""Tests that the page on evolution of workloads, what was stored of it, and its surprises agree."""

from __future__ import annotations

import os
from typing import Any

import pytest
from tests.evolution_of_workloads import PAGE, STORED, Seen, dump, load, merged, page
from tests.surprises_of_workloads import SURPRISES, Surprise

from serbench.changes.derived import parse_spec
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.workload import load_workloads

WORKLOADS = load_workloads(Paths.default().workloads)


def record(direction: str, outcome: str, **more: Any) -> dict[str, Any]:
    named = {"codec": "c/x", "workload": "w", "change": "drop=a", "direction": direction}
    return {**named, "outcome": outcome, "by": "", "version": "1", **more}


def test_the_page_is_what_was_stored() -> None:
    text = page(load())
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, f"SERBENCH_UPDATE_GOLDEN=1 ./serbench test {__file__} writes it anew"
    assert STORED.read_text() == dump(load())


def test_what_is_stored_is_of_popular_codecs_and_of_changes_that_the_schema_can_have() -> None:
    popular = {id for id, variant in load_variants(PROJECT / "codecs").items() if variant.popular}
    for workload, codecs in load().items():
        assert {*codecs} <= popular
        for change in {change for seen in codecs.values() for change in seen.cells}:
            parse_spec(f"{workload}/{change}", WORKLOADS)


@pytest.mark.parametrize("surprise", SURPRISES, ids=[each.says for each in SURPRISES])
def test_a_surprise_is_what_was_stored(surprise: Surprise) -> None:
    seen = load()[surprise.workload]
    assert surprise.cells == {codec: seen[codec].cells[surprise.change] for codec in surprise.cells}


def test_outcomes_of_a_change_replace_those_before_and_leave_the_others() -> None:
    ways = [record("backward", "kept"), record("forward", "refused", by="schema")]
    known = {"w": {"c/x": Seen("0", "2026-01-01", {"add=b:u8": "✓✓✓", "drop=a": "✗✗✗"})}}
    through = record("through", "misread", by="library")
    found = merged(known, [*ways, record("through", "kept", writer_schema=False), through], "2026-01-02")
    assert found == {"w": {"c/x": Seen("1", "2026-01-02", {"add=b:u8": "✓✓✓", "drop=a": "✓✗s!"})}}
    assert merged(known, [*ways, record("through", "not tried")], "2026-01-02") == known
    assert merged({}, ways, "2026-01-02") == {}
