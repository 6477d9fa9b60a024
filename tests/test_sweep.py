"""Tests of sweeps: which numbers of messages are measured, what is told of codecs that change places, and
that copies of messages have other values."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.strategies import schemas_with_values
from tests.support import all_workloads, examples
from tests.sweeps import BYTES, NUMBERS, TIMES, swept_run, workload_of

from serbench.changes.derived import parse_spec
from serbench.changes.drawn import drawn
from serbench.cli.asking import What, with_sweep
from serbench.codecs.traits import Traits, Typical
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.errors import SelectionError
from serbench.measure.machine import Machine
from serbench.measure.plan import Cells, Plan
from serbench.measure.store import Run
from serbench.measure.sweep import BEYOND, MOST_SIZES, base_of, foreseen_bytes, sizes_of, sweeping
from serbench.model import Field, List, Record, Schema, string, u32
from serbench.paths import PROJECT, Paths
from serbench.report.alone import alone_of
from serbench.report.charts.curve import MESSAGES, lines_of
from serbench.report.charts.curve import drawn as picture
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables
from serbench.report.sweep_table import notes_of_sweep, sweep_tables
from serbench.report.sweeps import changes_of_places, changes_to_json, one_sided_leads, sweeps_of
from serbench.report.verdict_lines import next_step
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, Operation, select_workloads

PLAIN = Schema("plain", Record("Plain", [Field("id", u32, 1), Field("tags", List(string), 2)]))
MACHINE = Machine(processor="a made-up processor", caches="L1d 32 KiB, L1i 32 KiB, L2 1 MiB, L3 32 MiB")
QUICK = Traits("Quick", typical=Typical(pass_ns=1, resident=2))


def plain(*values: object) -> list[bytes]:
    return [encode(PLAIN.root, value) for value in values]


def test_fewer_messages_are_a_beginning_of_more() -> None:
    messages = plain(*((n, [f"t{n}"]) for n in range(50)))
    most = [*drawn(PLAIN, messages, 200)]
    for number in (1, 7, 50, 60):
        assert [*drawn(PLAIN, messages, number)] == most[:number]
    assert sorted(most[:50]) == sorted(messages) and most[:50] != messages


def test_copies_take_each_value_from_the_same_field() -> None:
    messages = plain((1, ["a", "bb"]), (300, ["ccc"]))
    copies = [decode(PLAIN.root, each) for each in drawn(PLAIN, messages, 300)]
    assert {copy[0] for copy in copies} == {1, 300}
    assert {tag for copy in copies for tag in copy[1]} == {"a", "bb", "ccc"}
    assert {len(copy[1]) for copy in copies} == {1, 2}
    assert len({str(copy) for copy in copies}) > 12


def test_the_only_value_of_a_field_becomes_another_number_with_as_many_bits() -> None:
    copies = [decode(PLAIN.root, each) for each in drawn(PLAIN, plain((1000, [])), 100)]
    assert len({copy[0] for copy in copies}) > 20
    assert {copy[0].bit_length() for copy in copies} == {10}


@settings(max_examples=examples(60), deadline=None)
@given(schemas_with_values())
def test_copies_are_values_of_the_schema(drawn_schema: tuple[Schema, object]) -> None:
    schema, value = drawn_schema
    message = encode(schema.root, value)
    for copy in drawn(schema, [message], 4):
        assert encode(schema.root, decode(schema.root, copy)) == copy


def test_numbers_of_messages_are_drawn_before_other_changes(tmp_path: Path) -> None:
    paths = Paths(PROJECT, tmp_path)
    for text in ("small_struct:count=20/draw=30", "record/drop=ids/draw=2", "small_struct/take=3/draw=5"):
        spec = parse_spec(text, all_workloads())
        assert dataset_for(spec, paths).messages == int(text.rpartition("=")[2])
        assert base_of(spec) == spec.declared.id + "".join(f"/{each}" for each in spec.changes[:-1])


def test_graphs_are_not_drawn() -> None:
    with pytest.raises(SelectionError, match="draw=2: messages are graphs"):
        parse_spec("graph/draw=2", all_workloads())


def test_a_sweep_goes_from_one_message_to_more_than_any_cache_holds() -> None:
    for bytes in (59, 17_008, 248_060, 500_000_000):
        found = sizes_of(bytes, [QUICK], MACHINE)
        last = found.numbers[-1]
        assert found.numbers[0] == 1 and len(found.numbers) <= MOST_SIZES
        assert all(number & (number - 1) == 0 for number in found.numbers)
        assert last * bytes >= BEYOND * (32 << 20) and (last == 1 or last * bytes < 2 * BEYOND * (32 << 20))
        assert found.why == "4 times the last cache (L3)"


@pytest.mark.parametrize(
    ("typical", "why", "most"),
    [
        (Typical(pass_ns=100, resident=2), "where a pass of Slow is foreseen to take a second", 10_000_000),
        (Typical(pass_ns=1, resident=50), "where Slow is foreseen to take 1 GiB of memory", (1 << 30) / 50),
    ],
)
def test_a_sweep_ends_where_a_language_takes_too_much(typical: Typical, why: str, most: float) -> None:
    found = sizes_of(1000, [QUICK, Traits("Slow", typical=typical)], MACHINE)
    assert found.why == why and most / 2 < found.numbers[-1] * 1000 <= most
    assert sizes_of(1000, [QUICK], replace_caches("")).why == "128 MiB"


def replace_caches(text: str) -> Machine:
    return Machine(processor="x", caches=text)


def test_the_option_adds_workloads_of_the_same_programs(tmp_path: Path) -> None:
    paths, known = Paths(PROJECT, tmp_path), all_workloads()
    variants = [load_variants(*paths.all_codecs)["cpp/memcpy"]]
    chosen = Chosen(variants, select_workloads(["record"], known), [Operation("serialize", "reuse")])
    made, told = sweeping(chosen, "messages=16,1,4", paths, known)
    base = chosen.workloads[0]
    # The workload has one message, and is that size itself.
    assert [spec.id for spec in made.workloads] == [base.id, *(f"{base.id}/draw={n}" for n in (4, 16))]
    assert {id(spec.workload) for spec in made.workloads} == {id(base.workload)} and not told
    bytes = dataset_for(base, paths).canonical_bytes
    assert foreseen_bytes(made.workloads, paths) == {f"{base.id}/draw={n}": n * bytes for n in (4, 16)}
    many, (why,) = sweeping(chosen, "messages", paths, known, MACHINE)
    assert why == f"{base.id}: up to 8,192 messages, 4 times the last cache (L3)"
    assert many.workloads[-1].id == f"{base.id}/draw=8192"
    several = replace(chosen, workloads=select_workloads(["nobid:count=2"], known))
    made, _ = sweeping(several, "messages=1,4", paths, known)
    assert [spec.id for spec in made.workloads][1:] == [f"{several.workloads[0].id}/draw={n}" for n in (1, 4)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sizes", "--sweep: found 'sizes', expected messages, size, or one of them with numbers, such as"),
        ("messages=0", "--sweep: found 'messages=0', expected messages, size, or"),
        ("messages=", "--sweep: found 'messages=', expected messages, size, or"),
    ],
)
def test_other_sweeps_are_refused(tmp_path: Path, text: str, said: str) -> None:
    chosen = Chosen([], select_workloads(["record"], all_workloads()))
    with pytest.raises(SelectionError, match=said):
        sweeping(chosen, text, Paths(PROJECT, tmp_path), all_workloads())


def test_a_sweep_of_a_sweep_or_of_parts_is_refused(tmp_path: Path) -> None:
    paths, known = Paths(PROJECT, tmp_path), all_workloads()
    for text in ("record/draw=4", "record/read=ids"):
        chosen = Chosen([], select_workloads([text], known))
        with pytest.raises(SelectionError, match=r"expected its base|expected no"):
            sweeping(replace(chosen, workloads=chosen.workloads[-1:]), "messages=1,2", paths, known)
    chosen = Chosen([], select_workloads(["record"], known))
    for what in (What(read=["ids"]), What(suite="x"), What(update=["ids"]), What(condition=["ids=1"])):
        with pytest.raises(SelectionError, match="--sweep is of whole messages and of times; expected no --"):
            with_sweep(paths, chosen, replace(what, sweep="messages"), known)


def test_more_messages_than_fit_and_metrics_of_no_pass_are_refused(tmp_path: Path) -> None:
    paths, known = Paths(PROJECT, tmp_path), all_workloads()
    variant = next(
        each for each in load_variants(PROJECT / "codecs").values() if each.codec.language == "cpp"
    )
    chosen = Chosen([variant], select_workloads(["record"], known))
    with pytest.raises(
        SelectionError, match=r"found 999,999,999 messages of record.*; expected at most .* 8 GiB"
    ):
        sweeping(chosen, "messages=1,999999999", paths, known)
    with pytest.raises(SelectionError, match="of times; expected no --metric shipped"):
        with_sweep(paths, replace(chosen, metrics=("time", "shipped")), What(sweep="messages"), known)


def test_long_passes_are_foreseen() -> None:
    plan = Plan([], rounds=3, seed=1)
    cells = Cells("c", "w", (Operation("serialize", "reuse"),))
    short, long = plan.task_s(cells), plan.task_s(replace(cells, pass_bytes=500_000_000))
    assert short < 0.2 and long == pytest.approx(2 * 0.02 + 2 + (plan.samples + 3))
    collecting = replace(cells, traits=Traits("a language", typical=Typical(sample_s=0.2)))
    assert plan.task_s(collecting) - short == pytest.approx(plan.samples * (0.2 - 0.01))
    assert plan.task_s(replace(collecting, pass_bytes=500_000_000)) == pytest.approx(long)


# --- what is told ---


@pytest.fixture(name="run", scope="module")
def run_with_a_sweep(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return swept_run(tmp_path_factory.mktemp("sweep"), peaks=True)


def test_codecs_far_apart_change_places_though_the_order_to_a_third_is_not_known(tmp_path: Path) -> None:
    times = {"cpp/a": (1000,) * 4, "go/b": (1050,) * 4, "rust/c": (30_000, 1000, 50, 50)}
    run = swept_run(tmp_path, times, vary=0.4)
    (sweep,) = sweeps_of(run, rows_of(run))
    pair = [codec for codec in sweep.codecs if codec.name != "rust/c"]
    assert all(any(codec.rows[number].not_known for codec in pair) for number in (1, 4096))
    found = {(each.before.name, each.after.name) for each in changes_of_places(sweep)}
    assert found == {("cpp/a", "rust/c"), ("go/b", "rust/c")}


def test_messages_of_other_lengths_are_told(run: Run) -> None:
    (sweep,) = sweeps_of(run, rows_of(run))
    first, *others = sweep.sizes
    for bytes, said in (
        (15_700, []),
        (10_000, ["10 kB on average with 1 message, 16 kB with 4,096, by which times may differ too."]),
    ):
        shorter = replace(sweep, sizes=[replace(first, bytes=bytes), *others])
        told = [note for note in notes_of_sweep(shorter) if "not equally long" in note]
        assert len(told) == len(said) and all(words in note for words, note in zip(said, told, strict=True))


def test_the_table_has_the_time_of_a_message_and_the_cache(run: Run) -> None:
    (sweep,) = sweeps_of(run, rows_of(run))
    (table,) = sweep_tables(run, sweep, 120)
    assert table.headings[1:] == ["1\n16 kB\nL1", "16\n260 kB\nL2", "256\n4.2 MB\nL3", "4,096\n67 MB\nnone"]
    assert [row[0] for row in table.rows] == ["go/b", "rust/c", "cpp/a"], "the fastest with the most first"
    assert table.rows[2][1:] == ["1.02 µs", "1.5 µs", "1.6 µs", "4.1 µs"]
    assert len(sweep_tables(run, sweep, 36)) > 1
    assert any("Resident memory with 4,096 messages (67 MB)" in note for note in table.notes)
    assert any("go/b 4.1 GB" in note for note in table.notes)


def test_codecs_that_surely_change_places_are_named_with_intervals(run: Run) -> None:
    (sweep,) = sweeps_of(run, rows_of(run))
    changes = changes_of_places(sweep)
    assert {(each.before.name, each.after.name) for each in changes} == {
        ("cpp/a", "go/b"),
        ("cpp/a", "rust/c"),
    }
    told = changes[0].in_words
    assert told.startswith("cpp/a is ahead of rust/c up to 256 messages (4.2 MB), ×0.79 (0.770 to")
    assert "; rust/c is ahead from 4,096 messages (67 MB) on, ×0.5" in told and told.count(" to ") == 3
    record = changes[0].to_json()
    low, high = record["ratio_before_interval"]
    assert record["messages_before"] == 256 and low < record["ratio_before"] < high < 1


def test_nothing_is_claimed_where_intervals_overlap_or_rounds_are_few(tmp_path: Path) -> None:
    times = {**TIMES, "cpp/a": (1000, 1500, 1600, 2010)}
    (sweep,) = sweeps_of(of := swept_run(tmp_path / "near", times, vary=0.05), rows_of(of))
    assert changes_of_places(sweep) == []
    none, kept = notes_of_sweep(sweep)[0].split(". ")
    assert none == "No two codecs surely change places between these numbers of messages"
    assert kept == "Pairs that surely keep their order: 0 of 3."
    (sweep,) = sweeps_of(of := swept_run(tmp_path / "few", rounds=2), rows_of(of))
    assert notes_of_sweep(sweep) == ["After 2 rounds, it is not known which codecs change places."]


def test_a_change_back_is_told_as_two(tmp_path: Path) -> None:
    times = {"cpp/a": (1000, 3000, 1000, 3000), "go/b": (2000, 2000, 2000, 2000)}
    (sweep,) = sweeps_of(of := swept_run(tmp_path, times), rows_of(of))
    found = sorted((each.before.size.number, each.after.size.number, each.after.throughout)
                   for each in changes_of_places(sweep))  # fmt: skip
    assert found == [(1, 16, False), (16, 256, False), (256, 4096, True)]


def test_a_lead_that_is_not_throughout_is_told_of_its_sizes_alone(tmp_path: Path) -> None:
    times = {"cpp/a": (2000, 1000, 2000, 3000), "go/b": (2000, 2000, 2000, 2000)}
    (sweep,) = sweeps_of(of := swept_run(tmp_path, times), rows_of(of))
    (change,) = changes_of_places(sweep)
    assert change.in_words.startswith("cpp/a is ahead of go/b with 16 messages (260 kB), ×0.5")
    assert "; go/b is ahead from 4,096 messages (67 MB) on, ×0.6" in change.in_words


def test_a_lead_that_is_lost_is_told_with_both_ratios(tmp_path: Path) -> None:
    times = {
        "cpp/a": (1000, 1500, 2000, 2000),
        "go/b": (2000, 2000, 2000, 2000),
        "go/c": (9000, 9000, 9000, 9000),
    }
    (sweep,) = sweeps_of(of := swept_run(tmp_path, times), rows_of(of))
    (lost,) = one_sided_leads(sweep, are_lost=True)
    assert (lost.ahead, lost.behind, lost.led.number, lost.from_tie.number) == ("cpp/a", "go/b", 1, 256)
    assert lost.lead.high < 0.6 and lost.tie.low < 1 < lost.tie.high
    none, told = notes_of_sweep(sweep)
    assert none.startswith("No two codecs surely change places") and none.endswith("order: 2 of 3.")
    assert told.startswith("cpp/a is ahead of go/b with 1 message (16 kB), ×0.5")
    assert "; with 4,096 messages (67 MB), ×1.0" in told and "from 256 messages (4.2 MB) on" in told
    record = changes_to_json(sweep)[0]
    assert record["verdict"] == "lost_lead" and record["ratio_before"] < 0.6 < record["ratio_after"]
    assert one_sided_leads(sweep, are_lost=False) == []


def test_a_lead_that_is_won_is_told_as_one_that_is_lost(tmp_path: Path) -> None:
    times = {"cpp/a": (2000, 2000, 1500, 1000), "go/b": (2000, 2000, 2000, 2000)}
    (sweep,) = sweeps_of(of := swept_run(tmp_path, times), rows_of(of))
    assert one_sided_leads(sweep, are_lost=True) == []
    none, told = notes_of_sweep(sweep)
    assert none.startswith("No two codecs surely change places") and none.endswith("order: 0 of 1.")
    assert told.startswith("cpp/a is ahead of go/b with 4,096 messages (67 MB), ×0.5")
    assert "and too close to call up to 16 messages (260 kB); with 1 message (16 kB), ×1.0" in told
    (record,) = changes_to_json(sweep)
    assert record["verdict"] == "won_lead" and record["ratio_after"] < 0.6 < record["ratio_before"]
    ends = [record[f"messages_{when}"] for when in ("before", "until", "after")]
    assert ends == [1, 16, 4096] and (record["ahead_after"], record["behind_after"]) == ("cpp/a", "go/b")


def test_no_lead_is_lost_where_it_is_kept_or_the_order_is_not_known(tmp_path: Path) -> None:
    kept = {"cpp/a": (1000, 1000, 1000, 1000), "go/b": (2000, 2000, 2000, 2000)}
    small = {"cpp/a": (1900, 2000, 2000, 2000), "go/b": (2000, 2000, 2000, 2000)}
    for name, times in (("kept", kept), ("small", small), ("lost", TIMES)):
        (sweep,) = sweeps_of(of := swept_run(tmp_path / name, times, vary=0.05), rows_of(of))
        assert one_sided_leads(sweep, are_lost=True) == [], name


def test_pairs_beyond_the_eight_that_are_named_are_counted(tmp_path: Path) -> None:
    times = {f"cpp/{name}": (1000, 1000, 1000, 4000) for name in "abc"}
    times |= {f"go/{name}": (2000, 2000, 2000, 2000) for name in "def"}
    (sweep,) = sweeps_of(of := swept_run(tmp_path, times), rows_of(of))
    told = notes_of_sweep(sweep)
    assert len(told) == 9 and told[-1] == "Not named: 1 more pair, with smaller leads."


def test_the_verdict_says_that_a_single_message_is_learnt(run: Run, tmp_path: Path) -> None:
    rows = rows_of(run)
    tables = run_tables(run, rows, 120)
    assert [table.title.partition(":")[0] for table in tables] == ["w", "w, serialize"]
    said = {each.label: each.text for each in tables[0].verdict}
    assert said["One message"] == (
        "learnt by the branch predictor; serialize:reuse takes ×1.0 (1.00 to 1.00) for go/b to "
        "×1.5 (1.50 to 1.50) for cpp/a as long among 16 that fit into L2"
    )
    records = [each["verdict"] for each in tables[0].verdict_records]
    assert records.count("one_message") == 1 and records.count("change_of_places") == 2
    (alone,) = alone_of(run, "w", rows)
    assert alone.size.number * BYTES * 2 <= 1 << 20
    assert "--sweep messages" in next_step(run, []) or "plot" in next_step(run, [])


def test_the_picture_has_bands_and_caches(run: Run) -> None:
    (lines,) = lines_of(run, rows_of(run))
    assert lines.name == "w-serialize-reuse-over-messages" and lines.kind == MESSAGES
    assert {name: round(number) for name, number in lines.caches.items()} == {"L1": 2, "L2": 64, "L3": 512}
    spec = picture(lines)
    higher = picture(replace(lines, said=[*lines.said, "more", "and more"]))
    assert higher["height"] == spec["height"] + 2 * 15, "text takes no room from the chart"
    points, caches = (data["values"] for data in spec["data"])
    assert len(points) == len(TIMES) * len(NUMBERS) and len(caches) == 3
    signals = {signal["name"]: signal["value"] for signal in spec["signals"]}
    assert signals["kind"] == "messages" and signals["shares"] == [*NUMBERS]
    assert lines.parts == [workload_of(number) for number in NUMBERS[1:]], "the first is the workload itself"


def test_the_order_is_drawn_and_always_the_same() -> None:
    messages = plain(*((n, []) for n in range(100)))
    first = [*drawn(PLAIN, messages, 100)]
    random.seed(0)
    assert [*drawn(PLAIN, messages, 100)] == first
