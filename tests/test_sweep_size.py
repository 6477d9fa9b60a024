"""Tests of sweeps over the size of messages: lists with more items, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.strategies import schemas_with_values
from tests.support import all_workloads, examples
from tests.sweeps import NUMBERS, TIMES, swept_run

from serbench.changes.derived import parse_spec
from serbench.changes.lengthened import lengthened, lists_of, longest_of
from serbench.changes.paths import place_of
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.errors import SelectionError, ValueMismatch
from serbench.measure.machine import Machine
from serbench.measure.sweep import base_of, foreseen_bytes, list_of, sweeping
from serbench.model import Field, List, Map, Optional, Record, Ref, Schema, string, u8, u32
from serbench.paths import PROJECT, Paths
from serbench.report.alone import alone_of
from serbench.report.charts.curve import drawn as picture
from serbench.report.charts.curve import lines_of
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables
from serbench.report.sweep_table import sweep_tables
from serbench.report.sweeps import changes_of_places, sweeps_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, Operation, select_workloads

LINE = Record("Line", [Field("sku", string, 1), Field("tags", List(u8), 2)])
ORDER = Schema(
    "order",
    Record(
        "Order",
        [
            Field("note", Optional(string), 1),
            Field("lines", List(LINE), 2),
            Field("by_day", Map(string, List(u32)), 3),
            Field("last", u32, 4),
        ],
    ),
)
ORDERS = [
    (None, [("a", [1, 2]), ("bb", [])], {}, 7),
    ("x", [("ccc", [3])], {"mon": [10, 20, 30, 40], "tue": []}, 8),
    ("y", [], {}, 9),
]
MACHINE = Machine(processor="a made-up processor", caches="L1d 32 KiB, L2 64 KiB")


def longer(path: str, number: int) -> list[Any]:
    messages = [encode(ORDER.root, each) for each in ORDERS]
    made = lengthened(ORDER, place_of(ORDER, path), messages, number)
    return [decode(ORDER.root, each) for each in made]


def test_a_list_keeps_its_items_and_gets_more_of_the_same_place() -> None:
    one, three, many = (longer("lines", number) for number in (1, 3, 50))
    assert [each[1] for each in one[:2]] == [[("a", [1, 2])], [("ccc", [3])]]
    assert [each[1][:1] for each in three] == [each[1] for each in one], "fewer are a beginning of more"
    assert [each[1][:3] for each in many] == [each[1] for each in three]
    assert three[0][1][:2] == ORDERS[0][1]
    assert {line for each in many for line in map(str, each[1])} == {
        str(line) for order in ORDERS for line in order[1]
    }
    assert [(each[0], each[2], each[3]) for each in many] == [(o[0], o[2], o[3]) for o in ORDERS]


def test_lists_in_items_and_in_maps_are_made_longer_each() -> None:
    assert [[tags for _, tags in each[1]] for each in longer("lines[].tags", 2)] == [
        [[1, 2], longer("lines[].tags", 2)[0][1][1][1]], [[3, longer("lines[].tags", 2)[1][1][0][1][1]]], [],
    ]  # fmt: skip
    found = longer("by_day[]", 2)
    assert found[1][2]["mon"] == [10, 20] and len(found[1][2]["tue"]) == 2
    assert found[1][1] == ORDERS[1][1]


def test_lists_inside_of_a_longer_list_of_their_kind_stay() -> None:
    tree = Schema("tree", Record("Node", [Field("n", u8, 1), Field("children", List(Ref("Node")), 2)]))
    message = encode(tree.root, (1, [(2, [(3, []), (4, [])])]))
    (found,) = lengthened(tree, place_of(tree, "children"), [message], 2)
    assert decode(tree.root, found) == (1, [(2, [(3, []), (4, [])])] * 2)


@settings(max_examples=examples(25), deadline=None)
@given(schemas_with_values())
def test_longer_lists_are_values_of_the_schema(drawn: tuple[Schema, object]) -> None:
    schema, value = drawn
    message = encode(schema.root, value)
    for place in lists_of(schema):
        found = longest_of(schema, [message], place.path)
        if found is None:
            continue
        (more,) = lengthened(schema, place, [message], 3)
        assert encode(schema.root, decode(schema.root, more)) == more
        assert longest_of(schema, [more], place.path) is not None


def test_the_longest_list_is_found_with_what_it_adds() -> None:
    messages = [encode(ORDER.root, each) for each in ORDERS]
    found = longest_of(ORDER, messages)
    assert found is not None and found.path == "by_day[]"
    # Two lists, of which each gets a number of four bytes more.
    assert found.item_bytes == 8 and found.other_bytes == sum(map(len, messages)) - 16
    assert longest_of(ORDER, [encode(ORDER.root, ("y", [], {}, 9))]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("record/length=nothing:2", "nothing"),
        ("record/length=ids:0", "length=ids:0: '0' is no number of items; expected 1 or more"),
        ("record/length=ids", "length=ids: '' is no number of items"),
        ("graph/length=nodes:2", "messages are graphs"),
    ],
)
def test_a_length_that_there_is_not_is_refused(text: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        parse_spec(text, all_workloads())


def chosen_with(workload: str) -> Chosen:
    variants = [load_variants(PROJECT / "codecs")["cpp/memcpy"]]
    return Chosen(variants, select_workloads([workload], all_workloads()), [Operation("serialize", "reuse")])


def test_the_option_makes_the_longest_list_longer_with_the_same_programs(tmp_path: Path) -> None:
    chosen, known, paths = chosen_with("record"), all_workloads(), Paths(PROJECT, tmp_path)
    made, (told,) = sweeping(chosen, "size=64,1,8", paths, known)
    base = chosen.workloads[0]
    longest = list_of(made.workloads[1])[0]
    assert told == f"{base.id}: up to 64 items in {longest}, as asked for"
    assert [list_of(spec) for spec in made.workloads] == [("", 0), *((longest, n) for n in (1, 8, 64))]
    assert {base_of(spec) for spec in made.workloads[1:]} == {base.id}
    assert {id(spec.workload) for spec in made.workloads} == {id(base.workload)}
    for id_, foreseen in foreseen_bytes(made.workloads, paths).items():
        assert foreseen == pytest.approx(dataset_for(parse_spec(id_, known), paths).canonical_bytes, rel=0.02)
    many, (why,) = sweeping(chosen, "size", paths, known, MACHINE)
    assert why.endswith(f"items in {longest}, 4 times the last cache (L2)")
    assert 4 * (64 << 10) <= dataset_for(many.workloads[-1], paths).canonical_bytes < 9 * (64 << 10)


def without_lists() -> Iterator[str]:
    for name, workload in all_workloads().items():
        if not lists_of(workload.schema):
            yield name


def test_a_workload_without_a_list_is_refused_by_name(tmp_path: Path) -> None:
    name = next(without_lists())
    chosen, paths = chosen_with(name), Paths(PROJECT, tmp_path)
    with pytest.raises(SelectionError, match=f"--sweep size: no message of {name}.* has a list with an item"):
        sweeping(chosen, "size", paths, all_workloads())


def test_a_list_without_any_item_cannot_be_made_longer() -> None:
    message = encode(ORDER.root, ORDERS[2])
    with pytest.raises(ValueMismatch, match=r"\.lines: no message has an item of this list"):
        list(lengthened(ORDER, place_of(ORDER, "lines"), [message], 4))


def test_the_table_and_the_picture_are_by_item(tmp_path: Path) -> None:
    run = swept_run(tmp_path, longer_list="tags")
    rows = rows_of(run)
    (sweep,) = sweeps_of(run, rows)
    (table,) = sweep_tables(run, sweep, 120)
    assert table.title == "w, serialize:reuse: time per item by items in tags"
    assert table.headings[1:3] == ["1\n16 kB\nL1", "16\n260 kB\nL2"]
    assert table.rows[2][1:] == ["1.02 µs", "1.5 µs", "1.6 µs", "4.1 µs"]
    change = changes_of_places(sweep)[0]
    assert "up to 256 items (4.2 MB)" in change.in_words and change.to_json()["items_before"] == 256
    assert alone_of(run, "w", rows) == []
    assert [each.title.partition(":")[0] for each in run_tables(run, rows, 120)] == ["w", "w, serialize"]
    (lines,) = lines_of(run, rows)
    assert lines.name == "w-serialize-reuse-over-items" and lines.parts[0] == "w/length=tags:1"
    assert {name: round(number) for name, number in lines.caches.items()} == {"L1": 2, "L2": 64, "L3": 512}
    spec = picture(lines)
    assert len(spec["data"][0]["values"]) == len(TIMES) * len(NUMBERS)
    signals = {signal["name"]: signal["value"] for signal in spec["signals"]}
    assert (
        signals["over"] == "items in tags"
        and signals["one"] == "item"
        and "per item" in spec["title"]["text"]
    )
    told = next(row for row in rows if row.longer_list).to_json()
    assert told["longer_list"] == "tags" and told["items"] == 1
