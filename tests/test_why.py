"""Tests of the costs of parts: which parts there are, what simulated times tell, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from tests.simulated import NOISES
from tests.started import started

from serbench.changes import parse
from serbench.changes.emptying import inside, kinds_to_empty, parts_to_empty
from serbench.cli.effort import Effort
from serbench.cli.parts_timed import Timing
from serbench.errors import SelectionError
from serbench.measure.identity import Identity
from serbench.measure.store import Journal, Run, create_run
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    f64,
    string,
    u32,
)
from serbench.page.parts import finding_html
from serbench.report.kept import keep_why, why_of
from serbench.report.table import Table
from serbench.report.why import ALL, CHOICE, DROP, KIND, LEAST, TIMES, Why
from serbench.report.why_table import NOTHING, why_tables
from serbench.stats.summary import ROUNDS_TO_RANK, share_of_part
from serbench.verification.emptied import Emptied, Weighed
from serbench.verification.sizes import Size

PLACE = Record("Place", [Field("street", string), Field("zip", u32)])
COLOUR = Enum("Colour", u32, [("red", 0), ("blue", 1)])
PAID = Union("Paid", [Alternative("cash"), Alternative("card", string)])
LINE = Record("Line", [Field("sku", string), Field("prices", Map(string, f64))])
NODE = Record("Node", [Field("name", string), Field("children", List(Ref("Node")))])
ORDER = Record(
    "Order",
    [
        Field("billing", PLACE),
        Field("shipping", Optional(PLACE)),
        Field("lines", List(LINE)),
        Field("colour", COLOUR),
        Field("paid", PAID),
        Field("tree", NODE),
    ],
)
SCHEMA = Schema("order", ORDER)

RUNS = 400
MESSAGES = 10
SIZES = {"": 1000, "a": 300, "b": 500, "b[]": 600, "b[].x": 970, "b[].y": 630, "c": 1000, "d": 990, "*": 20}
"""The path of a part → the bytes of all messages with this part empty."""

TREE = Schema(
    "tree",
    Record(
        "Tree",
        [
            Field("a", string),
            Field("b", List(Record("Item", [Field("x", u32), Field("y", u32)]))),
            Field("c", string),
            Field("d", u32),
        ],
    ),
)


def test_parts_are_a_tree_with_those_of_each_type_once() -> None:
    parts = {part.path: part for part in parts_to_empty(SCHEMA)}
    assert [("  " * part.depth + part.step) for part in parts.values()] == [
        "billing",
        "  street",
        "  zip",
        "shipping",
        "lines",
        "  []",
        "    sku",
        "    prices",
        "      []",
        "colour",
        "paid",
        "  card",
        "tree",
        "  name",
        "  children",
        "    []",
    ]
    elsewhere = {path: (part.type, part.same_as) for path, part in parts.items() if part.same_as is not None}
    assert elsewhere == {"shipping": ("Place", "billing"), "tree.children[]": ("Node", "tree")}
    assert {path for path, part in parts.items() if part.remains} == {"colour", "paid"}
    for part in parts.values():
        assert parse(part.change, SCHEMA).text == part.change


def test_a_part_is_looked_at_with_what_is_in_it() -> None:
    parts = parts_to_empty(SCHEMA)
    assert [part.path for part in inside(parts, SCHEMA, ["lines[]", "paid.card"])] == [
        "lines[]",
        "lines[].sku",
        "lines[].prices",
        "lines[].prices[]",
        "paid.card",
    ]
    assert [part.path for part in inside(parts, SCHEMA, ["shipping.zip"])] == ["billing.zip"]
    assert inside(parts, SCHEMA, []) == parts
    with pytest.raises(SelectionError, match=r"unknown path 'lines\[\].sko'; did you mean lines\[\].sku"):
        inside(parts, SCHEMA, ["lines[].sko"])


def test_everything_can_be_emptied_at_once() -> None:
    made = parse(ALL, TREE)
    assert made.new == TREE and made.forward(("a", [(1, 2)], "c", 4)) == ("", [], "", 0)


@pytest.mark.parametrize("noise", NOISES)
def test_what_costs_nothing_is_called_so(noise: str) -> None:
    draws = Random(noise)
    told = [is_told(draws, noise, 0.0, 15) for _ in range(RUNS)]
    assert sum(told) <= 0.05 * RUNS


@pytest.mark.parametrize(("rounds", "found"), [(9, 0.95), (15, 0.98)])
def test_a_tenth_of_the_time_is_found(rounds: int, found: float) -> None:
    draws = Random(rounds)
    told = [is_told(draws, next(iter(NOISES)), 0.1, rounds) for _ in range(RUNS)]
    assert sum(told) >= found * RUNS


def is_told(draws: Random, noise: str, cost: float, rounds: int) -> bool:
    """Whether a part that takes this share of the time is told apart from nothing in simulated rounds."""
    whole = {n: math.exp(NOISES[noise](draws)) for n in range(rounds)}
    without = {n: (1 - cost) * math.exp(NOISES[noise](draws)) for n in range(rounds)}
    share = share_of_part(whole, without)
    assert share and share.low <= share.estimate <= share.high
    return share.low > 0 or share.high < 0


def test_too_few_rounds_tell_nothing() -> None:
    rounds = {n: 1.0 + n / 100 for n in range(ROUNDS_TO_RANK)}
    assert share_of_part(rounds, rounds)
    assert share_of_part(rounds, dict(list(rounds.items())[1:])) is None


def why(folder: Path, times: Mapping[str, Mapping[str, float]], rounds: int = 8) -> Why:
    """Made-up costs of two codecs. Round n takes n thousandths more, and each time differs by another per
    cent.

    Args:
        times: codec → the path of a part → the share of the time that it takes.
    """
    parts = parts_to_empty(TREE)
    sizes = {codec: {path: Size(b, b // 2) for path, b in SIZES.items()} for codec in times}
    sizes["x/two"]["a"] = Size(900, 450)
    made = {
        path: Emptied(0 if path == "c" else MESSAGES, {codec: sizes[codec][path] for codec in times})
        for path in SIZES
    }
    weighed = Weighed(MESSAGES, made.pop(""), {f"empty={path}": each for path, each in made.items()}, {})
    known = {codec: Identity(codec, "w") for codec in times}
    found = Why("w", known, parts, weighed, MESSAGES)
    return replace(found, runs=[measured(folder, times, rounds)]) if rounds else found


def measured(folder: Path, times: Mapping[str, Mapping[str, float]], rounds: int) -> Run:
    """A run of the messages as they are, which take a microsecond, and with each part empty."""
    paths = ["", *dict.fromkeys(path for own in times.values() for path in own)]
    names = {path: f"w/{path if '=' in path else f'empty={path}'}" if path else "w" for path in paths}
    data = {"sha256": "", "messages": MESSAGES, "canonical_bytes": 1000}
    manifest = {
        "codecs": [*times], "workloads": [*names.values()], "operations": [*TIMES.values()],
        "rounds": rounds, "toolchains": [], "arguments": [], "machine": {"processor": "made up"},
        "datasets": dict.fromkeys(names.values(), data),
    }  # fmt: skip
    run = create_run(folder, manifest)
    draws = Random(1)
    with Journal(run) as journal:
        for number, (codec, own), (path, name) in triples(rounds, times, names):
            for cell in TIMES.values():
                operation, _, memory = cell.partition(":")
                ns = 1000 * MESSAGES * (1 - own.get(path, 0.0)) * (1 + number / 1000 + draws.gauss(0, 0.01))
                journal.append(
                    {
                        "event": "sample", "codec": codec, "workload": name, "compiler": "",
                        "operation": operation, "memory": memory, "round": number, "iterations": 1000,
                        "elapsed_ns": round(1000 * ns),
                    }
                )  # fmt: skip
        journal.append({"event": "end"})
    return Run(run.directory)


def triples(rounds: int, *of: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for number in range(1, rounds + 1):
        for codec in of[0].items():
            for path in of[1].items():
                yield number, codec, path


ONE = {"a": 0.0, "b": 0.6, "b[]": 0.5, "b[].y": 0.4, "d": 0.0, "*": 0.9}
TWO = {"a": 0.3, "b": 0.2, "b[]": 0.0, "b[].y": 0.0, "d": 0.0, "*": 0.8}


@pytest.fixture(name="made")
def some_costs(tmp_path: Path) -> Why:
    return why(tmp_path, {"x/one": ONE, "x/two": TWO})


def test_costs_are_per_message_and_null_where_nothing_is_told(made: Why) -> None:
    records = {(cost.codec, cost.path): cost for codec in made.codecs for cost in made.costs(codec)}
    assert [path for codec, path in records if codec == "x/one"] == [
        "", "a", "b", "b[]", "b[].x", "b[].y", "c", "d", "*",
    ]  # fmt: skip
    told = records["x/one", "b[].y"].to_json(MESSAGES)
    expected = {"path": "b[].y", "codec": "x/one", "messages": 10, "bytes": 37.0, "bytes_compressed": 18.5}
    assert told.items() >= expected.items() and told["by"] == "empty"
    assert told["write_ns"] == pytest.approx(400, rel=0.05)
    assert told["read_ns_low"] < told["read_ns"] < told["read_ns_high"]
    nothing = records["x/one", "a"].to_json(MESSAGES)
    assert nothing["timed"] and {nothing[f"write_ns{each}"] for each in ("", "_low", "_high")} == {None}
    untimed = records["x/one", "b[].x"].to_json(MESSAGES)
    assert not untimed["timed"] and untimed["bytes"] == 3.0 and untimed["read_ns"] is None
    assert records["x/one", "c"].bytes is None and records["x/one", "c"].filled == 0
    whole, left = (records["x/two", path].to_json(MESSAGES) for path in ("", "*"))
    assert whole["bytes"] == 100 and whole["write_ns"] == pytest.approx(1000, rel=0.02)
    assert left["bytes"] == 2 and left["write_share"] == pytest.approx(0.2, abs=0.02)


def test_what_has_more_than_a_twentieth_is_gone_into(made: Why, tmp_path: Path) -> None:
    before = replace(made, runs=[])
    first = [part.path for part in before.to_time()]
    assert first == ["a", "b", "b[]", "b[].y", "b[].x", "d"], "those with most bytes first, and not c"
    assert [part.path for part in made.to_time()] == ["b[].x"], "which is in a part that takes time"
    narrow = replace(made, parts=inside(made.parts, TREE, ["d"]), runs=[])
    assert [part.path for part in narrow.to_time()] == ["d"] and before.greatest(narrow.parts[0]) < LEAST
    slow = why(tmp_path / "slow", {"x/one": {"b": 0.0, "d": 0.0}, "x/two": {"b": 0.0, "d": 0.0}})
    assert [part.path for part in slow.to_time()] == ["b[]", "b[].y", "b[].x"]


def test_fields_that_matter_most_are_dropped_where_none_inside_says_the_same(made: Why) -> None:
    assert [part.path for part in made.to_drop(8)] == ["a", "b[].y"], "of b, a part inside has most"
    assert [part.path for part in made.to_drop(1)] == ["a"]
    sizes = {"": {"x/one": Size(1000, 500)}, "a": {"x/one": Size(880, 450)}}
    found = replace(made, dropped=sizes)
    told = {cost["codec"]: cost for cost in found.records if cost["by"] == DROP}
    assert told["x/one"].items() >= {"path": "a", "bytes": 12.0, "bytes_compressed": 5.0}.items()
    assert told["x/two"]["bytes"] is None, "whose program did not build"
    nothing = replace(made, dropped={"": {"x/one": Size(0, 90)}, "a": {"x/one": Size(0, 80)}})
    assert [cost["bytes_share"] for cost in nothing.records if cost["by"] == DROP] == [None, None]
    kept = replace(made, undropped={"b": "it is the only field"})
    assert "No program lacks b: it is the only field." in notes_of(why_tables(kept, 120))
    assert [table.title for table in why_tables(found, 120)] == ["w", "w: programs without a field"]


def test_other_forms_of_values_have_a_table_and_records_of_their_own(tmp_path: Path) -> None:
    taken = {"x/one": {"a": 0.0}, "x/two": {"a": 0.0}}
    forms = {"hint=*:fixed32": -0.5, "retype=*:utf8": 0.2}
    made = why(tmp_path, {codec: {**own, **forms} for codec, own in taken.items()})
    sizes = {"x/one": Size(1000, 500)}
    chosen = {"hint=*:fixed32": {"x/one": Size(1200, 510)}, "retype=*:utf8": sizes}
    found = replace(made, dropped={"": sizes}, chosen=chosen)
    keep_why(found, found.runs)
    again = why_of(found.runs[0])
    assert again and again.records == found.records
    told = {(each["codec"], each["path"]): each for each in found.records if each["by"] == CHOICE}
    fixed, octets = (told["x/one", change] for change in chosen)
    assert fixed.items() >= {"bytes": -20.0, "bytes_compressed": -1.0, "messages": None}.items()
    assert fixed["write_ns"] == pytest.approx(-500, rel=0.05)
    assert octets["bytes"] is None and octets["read_ns"] == pytest.approx(200, rel=0.1)
    assert told["x/two", "hint=*:fixed32"]["bytes"] is None, "whose program did not build"
    (table,) = [each for each in why_tables(found, 120) if each.title == "w: by choice of form"]
    assert [row[:3] for row in table.rows] == [["hint=*:fixed32", "", "−20"], ["retype=*:utf8", "", "–"]]
    assert "below zero it takes more" in notes_of([table])


def test_kinds_that_stand_at_two_places_are_emptied_together() -> None:
    kinds = [kind.change for kind in kinds_to_empty(SCHEMA)]
    assert kinds == [f"empty=*:{kind}" for kind in ("records", "lists", "texts")]
    assert [kind.change for kind in kinds_to_empty(TREE)] == ["empty=*:texts", "empty=*:integers"]
    made = parse("empty=*:integers", TREE)
    assert made.new == TREE and made.forward(("a", [(1, 2)], "c", 4)) == ("a", [(0, 0)], "c", 0)


def of_kinds(made: Why) -> Why:
    """The same costs with those of four kinds, of which the messages have no floats."""
    sizes = {"integers": 600, "texts": 300, "floats": 1000, "lists": 10}
    kinds = {
        f"empty=*:{kind}": Emptied(
            0 if kind == "floats" else MESSAGES, dict.fromkeys(made.codecs, Size(b, b // 2))
        )
        for kind, b in sizes.items()
    }
    return replace(made, weighed=replace(made.weighed, parts={**made.weighed.parts, **kinds}))


def test_as_many_kinds_are_timed_as_fit_beside_the_parts(made: Why, monkeypatch: pytest.MonkeyPatch) -> None:
    found, nothing = of_kinds(made), cast(Any, None)
    both = ["empty=*:texts", "empty=*:integers"]  # lists are nearly all
    assert Timing(nothing, [], Effort(), None).kinds(found, 40) == both
    monkeypatch.setattr(Timing, "fitting", lambda _, changes: changes[:3])
    bounded = Timing(nothing, [], Effort(max_time=60.0), None)
    assert [len(bounded.kinds(found, parts)) for parts in (1, 2, 3, 9)] == [2, 1, 0, 0]
    monkeypatch.setattr("serbench.cli.parts_timed.MOST_KINDS", 1)
    assert Timing(nothing, [], Effort(), None).kinds(found, 1) == both[:1]


@pytest.mark.parametrize("width", [80, 120])
def test_kinds_have_a_table_and_records_of_their_own(tmp_path: Path, width: int) -> None:
    made = why(tmp_path, {"x/one": {**ONE, "*:texts": 0.2, "*:integers": 0.5}, "x/two": TWO})
    found = of_kinds(made)
    keep_why(found, found.runs)
    again = why_of(found.runs[0])
    assert again and again.records == found.records
    told = {(each["codec"], each["path"]): each for each in found.records if each["by"] == KIND}
    assert [path for codec, path in told if codec == "x/one"] == ["lists", "texts", "integers"]
    integers = told["x/one", "integers"]
    assert integers.items() >= {"bytes": 40.0, "bytes_compressed": 20.0, "bytes_share": 0.4}.items()
    assert integers["write_ns"] == pytest.approx(500, rel=0.05) and integers["timed"]
    assert told["x/two", "integers"]["write_ns"] is None, "not told apart from nothing"
    assert [each["path"] for each in made.records] == [e["path"] for e in found.records if e["by"] != KIND]
    (table,) = [each for each in why_tables(found, width) if each.title == "w: by kind of value"]
    assert table.width <= width and table.headings[0] == "kind"
    assert [row[0] for row in table.rows] == ["lists", "texts", "integers"]
    assert any(cell.startswith("50 %") for cell in table.rows[2])
    assert "do not add up" in notes_of([table])
    assert "<h3>w: by kind of value" in "".join(finding_html(found.runs[0]))


def test_what_has_few_bytes_is_gone_into_where_it_takes_time(made: Why, tmp_path: Path) -> None:
    before = why(tmp_path, {"x/one": {}, "x/two": {}}, rounds=0)
    parts = {**before.weighed.parts, "empty=b": before.weighed.parts["empty=d"]}
    light = replace(before, weighed=replace(before.weighed, parts=parts))
    assert [part.path for part in light.to_time()] == ["a", "b", "d"]
    timed = replace(light, runs=made.runs)
    assert [part.path for part in timed.to_time()] == ["b[].x"]
    assert [part.path for part in replace(timed, runs=[]).to_time(all_of_them=True)] == ["a", "b", "d"]


@pytest.mark.parametrize("width", [80, 120])
def test_the_tree_has_columns_for_each_codec(made: Why, width: int) -> None:
    tables = why_tables(made, width)
    assert all(table.width <= width for table in tables)
    assert len(tables) == (2 if width == 80 else 1)
    (row,) = [row for row in tables[0].rows if row[0].strip() == "y"]
    assert row[0] == "    y" and row[1] == "100 %" and row[2] == "37"
    assert any(cell.startswith("40 % (3") for cell in row)
    assert NOTHING in next(row for row in tables[0].rows if row[0] == "a")
    labels = [tables[0].rows[n][0] for n in (0, -1)]
    assert labels == ["whole message", "left without all parts"]


def test_what_takes_most_and_where_codecs_differ_is_said(made: Why) -> None:
    said = {each.label: each.text for each in why_tables(made, 120)[0].verdict}
    assert said["x/one"].startswith("most bytes in a (70 %), time to write in b[].y (")
    assert "time to write in a (" in said["x/two"]
    differ = said["differ most"]
    assert differ.startswith(
        "in bytes of a (10 B with x/two, 70 B with x/one), in time to write of b[].y (~0 w"
    )


def test_notes_tell_what_is_not_seen(made: Why) -> None:
    notes = notes_of(why_tables(made, 120))
    assert "Already empty in all messages, so nothing is known of it: c." in notes
    assert "1 part was not timed, with at most 5.0 % of the bytes: b[].x." in notes
    assert NOTHING in notes and "one message alone" not in notes
    assert "one message alone" in notes_of(why_tables(replace(made, messages=1), 120))
    sampled = notes_of(why_tables(replace(made, messages=5000), 120))
    assert "Bytes are of 10 of 5,000 messages, evenly spread." in sampled
    more = [*made.parts, replace(made.parts[0], path="e")]
    assert "1 further part was not looked at" in notes_of(why_tables(replace(made, parts=more), 120))


def test_what_could_not_be_timed_is_told_with_the_reason(made: Why) -> None:
    (run,) = made.runs
    with Journal(run) as journal:
        unit = {"codec": "x/one", "workload": "w/empty=d", "compiler": "", "messages": MESSAGES}
        journal.append({"event": "unit", **unit, "status": "failed", "reason": "not verified: it is odd"})
    again = replace(made, runs=[Run(run.directory)])
    assert again.failures == {"x/one × w/empty=d": "not verified: it is odd"}
    assert "x/one × w/empty=d: not verified: it is odd" in notes_of(why_tables(again, 120))


def test_what_emptying_does_not_show_is_told_once_for_codecs_that_are_alike(made: Why) -> None:
    both = dict.fromkeys(made.codecs, Size(1000, 500))
    sizes = {"empty=d": Emptied(MESSAGES, both), "empty=b[].x": Emptied(MESSAGES, both)}
    alike = replace(made, weighed=replace(made.weighed, parts={**made.weighed.parts, **sizes}))
    said = "as many bytes for an empty value, so that emptying shows none of them"
    assert f"x/one, x/two write {said}: b[].x, d." in notes_of(why_tables(alike, 120))
    sizes["empty=d"] = Emptied(MESSAGES, {**both, "x/two": Size(990, 490)})
    other = replace(made, weighed=replace(made.weighed, parts={**made.weighed.parts, **sizes}))
    notes = notes_of(why_tables(other, 120))
    assert f"x/one writes {said}: b[].x, d." in notes and f"x/two writes {said}: b[].x." in notes


def test_a_terminal_shows_the_greatest_parts_and_where_they_are(made: Why) -> None:
    assert [part.path for part in made.shown(2)] == ["a", "b"]
    assert [part.path for part in made.shown(4)] == ["a", "b", "b[]", "b[].y"]
    by_path = {part.path: part for part in made.parts}
    deep = replace(made, parts=[by_path[path] for path in ("b", "b[]", "b[].y", "d")])
    assert made.greatest(by_path["b[].y"]) < made.greatest(by_path["b[]"]) < made.greatest(by_path["b"])
    assert [part.path for part in deep.shown(3)] == ["b", "b[]", "b[].y"]
    sizes = {**made.weighed.parts, "empty=b": made.weighed.parts["empty=d"]}
    light = replace(deep, weighed=replace(made.weighed, parts=sizes), runs=[])
    assert [part.path for part in light.shown(1)] == ["b", "b[]"], "with the part that it is in"


def notes_of(tables: list[Table]) -> str:
    return "\n".join(note for table in tables for note in table.notes)


def test_costs_without_times_are_shown_by_bytes_alone(tmp_path: Path) -> None:
    (table,) = why_tables(why(tmp_path, {"x/one": {}, "x/two": {}}, rounds=0), 120)
    assert [row[2] for row in table.rows] == ["100", "70", "50", "40", "3", "37", "–", "1", "2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "found no codec; expected -c"),
        (["-c", "nowhere/none"], "unknown codec 'nowhere/none'"),
        (["-c", "*"], "codecs; expected at most"),
        (["-c", "popular", "-w", "m*"], "workloads (mesh, "),
    ],
)
def test_what_cannot_be_looked_at_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    done = started("why", *words, home=tmp_path)
    assert done.returncode == 2 and said in done.stderr.replace("\n", " ")
