"""Tests of the verdict above a table: it agrees with the ranks, names who is faster than whom and by how
much, and says whether to trust the figures."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.judged import THREE, made, names, said, verdict
from tests.support import examples
from tests.test_suites import heron_run

from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.report.show import NOTES_SHOWN, _wrapped, foremost, markdown, show_run
from serbench.report.table import Table
from serbench.report.tables import tables_of
from serbench.report.verdict import RankPlace, place_of
from serbench.report.verdict_lines import next_step
from serbench.stats.summary import Interval

# --- who is first ---


def test_the_first_is_told_with_what_it_beats_and_by_how_much(tmp_path: Path) -> None:
    run = made(tmp_path, THREE, {"a": 300, "b": 200, "c": 200})
    write, read = verdict(run).fastest
    assert (names(write.first), write.next and write.next.name) == (["a"], "b")
    assert (names(read.first), read.next and read.next.name) == (["b"], "a")
    (row,) = (row for row in rows_of(run) if (row.name, row.operation) == ("b", "serialize"))
    assert write.next and write.next.ratio == row.ratio  # no figure but the ranks' own
    lines = said(run)
    assert lines["Fastest to write"].startswith("a (100 ns); ahead of b: ×2.0 (1.9")
    assert lines["Smallest"] == "b, c (200 bytes); ahead of a: ×1.50"
    assert "Best in both" not in lines
    assert lines["Size against time"] == "b, a; none is beaten in size and all times"


def test_equal_ranks_are_too_close_to_call(tmp_path: Path) -> None:
    run = made(tmp_path, {"a": (100, 100), "b": (100.2, 100.1), "c": (300, 300)}, noise=0.05)
    (first, _) = verdict(run).fastest
    assert sorted(names(first.first)) == ["a", "b"] and first.next and first.next.name == "c"
    lines = said(run)
    assert lines["Fastest to write"].startswith("too close to call: ")
    assert "; ahead of c: ×3" in lines["Fastest to write"]
    assert lines["Best in both"].startswith("too close to call: ")
    assert first.to_json()["too_close_to_call"] is True


def test_of_many_that_are_too_close_to_call_some_are_named(tmp_path: Path) -> None:
    lines = said(made(tmp_path, dict.fromkeys("abcdefgh", (100, 100)), noise=0.02))
    assert lines["Fastest to write"].startswith("too close to call: ")
    assert lines["Fastest to write"].endswith(" and 4 more") and lines["Fastest to write"].count(",") == 3


def test_a_floor_never_wins(tmp_path: Path) -> None:
    run = made(tmp_path, {"floor": (1, 1), **THREE}, {"floor": 1, "a": 50}, floors=["floor"])
    told = verdict(run)
    everybody = [
        *told.fastest[0].first,
        *told.fastest[1].first,
        *told.front,
        *(told.smallest.first if told.smallest else ()),
    ]
    assert [each.next and each.next.name for each in told.fastest] == ["b", "a"]
    assert told.smallest and told.smallest.size_bytes == 50
    assert "floor" not in names(everybody)
    assert not any("floor" in text for text in said(run).values())


def test_a_constant_time_view_does_not_beat_who_reads_the_message(tmp_path: Path) -> None:
    run = made(tmp_path, {"v": (100, 1), **THREE}, views=["deserialize"])
    _, read = verdict(run).fastest
    assert names(read.first) == ["b"]
    assert "v" not in names(verdict(run).front)


def test_who_was_disturbed_counts_less_the_lost_time_and_the_run_is_to_be_taken_with_care(
    tmp_path: Path,
) -> None:
    run = made(tmp_path, THREE, disturbed=lambda codec, cell: codec == "a")
    write, _ = verdict(run).fastest
    assert names(write.first) == ["a"] and write.first[0].time
    assert write.first[0].time.estimate == pytest.approx(90, rel=0.02)  # a tenth was others'
    assert write.first[0].time.low < 90 / 1.02 and write.first[0].time.high > 90 * 1.02
    assert "a" in names(verdict(run).front)
    assert said(run)["Trust"] == (
        "with care: other processes or guests used the core while 2 of 6 figures were measured; what they "
        "took is deducted where it is known, and intervals are wider"
    )


def test_who_may_be_the_fastest_is_named_though_it_seems_slower(tmp_path: Path) -> None:
    """Codec c seems slower than a, but its times vary so much that it may be faster. Then both are named, and
    neither is called the winner."""
    run = made(tmp_path, {"a": (100, 100), "b": (110, 110), "c": (115, 115), "d": (300, 300)}, noise=0.005)
    restless = made(tmp_path, {"a": (100, 100), "b": (110, 110), "c": (115, 115), "d": (300, 300)})
    lines = restless.journal.read_text().splitlines()
    draw = random.Random(2)
    for n, line in enumerate(lines):
        event = json.loads(line)
        if event["event"] == "sample" and event["codec"] == "c":
            lines[n] = json.dumps(event | {"elapsed_ns": round(115_000 * (1 + draw.uniform(-0.4, 0.4)))})
    restless.journal.write_text("\n".join(lines) + "\n")
    assert said(run)["Fastest to write"].startswith("a (100 ns); ahead of b: ")
    write, _ = verdict(restless).fastest
    assert sorted(names(write.first)) == ["a", "c"] and not write.is_known
    told = said(Run(restless.directory))["Fastest to write"]
    assert re.fullmatch(
        r"not known: (a or c ~|c ~ or a); times vary, or are in doubt, too much to tell which", told
    )
    assert write.to_json()["not_known"] and not write.to_json()["too_close_to_call"]
    assert "Best in both" not in said(restless)


def test_a_reference_is_shown_beside_libraries_and_does_not_win(tmp_path: Path) -> None:
    times = {"hand:fast": (40, 100), "hand:safe": (50, 110), **THREE}
    sizes = {"hand:fast": 10, "hand:safe": 10, "a": 50}
    what = {"hand:fast": "hand-written code", "hand:safe": "hand-written code"}
    run = made(tmp_path, times, sizes, references=what)
    told = verdict(run)
    assert [names(each.first) for each in told.fastest] == [["a"], ["b"]]
    assert told.smallest and names(told.smallest.first) == ["a"]
    assert not {"hand:fast", "hand:safe"} & {*names(told.front), *names(told.best_in_both)}
    assert said(run)["Reference"] == (
        "hand:fast (hand-written code): ×2.5 faster than the fastest library to write, ×2.0 to read"
    )
    rows = {(row.name, row.operation): row for row in rows_of(run)}
    assert rows["hand:fast", "serialize"].rank_shown == "ref"
    assert rows["hand:fast", "serialize"].ratio and rows["a", "serialize"].ratio
    assert rows["hand:fast", "serialize"].ratio.estimate == pytest.approx(0.4, rel=0.02)
    assert rows["a", "serialize"].ratio.estimate == 1


def test_a_reference_is_compared_only_where_a_library_is_ranked_and_only_as_far_as_is_known(
    tmp_path: Path,
) -> None:
    what = {"hand": "hand-written code"}
    unknown = {"waited_ns": -1, "involuntary_switches": 1000, "own_ns": 1}
    hidden = made(tmp_path, {"hand": (40, 100), **THREE}, references=what, sample=unknown)
    told = said(hidden)
    assert told["Trust"].startswith("no: ") and {row.rank for row in rows_of(hidden)} == {None, 0}
    assert "Reference" not in told
    restless = made(tmp_path, {"hand": (100, 100), "a": (105, 300)}, references=what, noise=0.4)
    assert said(restless)["Reference"].startswith(
        "hand (hand-written code): not known to be faster or slower than the fastest library to write, "
    )
    near = said(made(tmp_path, {"hand": (100, 100), "a": (100.1, 300)}, references=what))
    assert "as fast as the fastest library, as far as can be told, to write" in near["Reference"]


def test_where_a_library_may_be_the_fastest_of_all_nobody_is_sure_to_beat_it(tmp_path: Path) -> None:
    run = made(tmp_path, {"a": (100, 100)})
    (row, _) = rows_of(run)
    ratio = Interval(1.2, 0.9, 1.6, 0.95)
    first = replace(row, codec="b", rank=1, may_lead=True)
    restless = replace(row, codec="c", rank=3, may_lead=True, ratio=ratio)
    assert place_of(restless, [first, restless]) == RankPlace(1, 2)
    assert place_of(replace(restless, may_lead=False), [first, restless]) == RankPlace(3, 3)
    assert place_of(first, [first, restless]) == RankPlace(1, 1)


def test_the_runner_up_is_another_library(tmp_path: Path) -> None:
    times = {"a:one": (100, 100), "a:two": (150, 150), "b": (200, 200)}
    lines = said(made(tmp_path, times, {"a:one": 50, "a:two": 51, "b": 60}))
    assert lines["Fastest to write"].startswith("a:one (100 ns); ahead of b: ×2.0")
    assert lines["Smallest"] == "a:one (50 bytes); ahead of b: ×1.20"


def test_too_few_rounds_call_nothing(tmp_path: Path) -> None:
    run = made(tmp_path, THREE, rounds=3)
    lines = said(run)
    assert (
        lines["Fastest to write"]
        == lines["Fastest to read"]
        == "too early to call after 3 rounds; ranking takes 6"
    )
    assert lines["Trust"] == "no: 3 rounds, but ranking codecs takes 6"
    assert {row.rank for row in rows_of(run)} == {None}
    assert not {"Best in both", "Size against time"} & lines.keys()


def test_one_codec_beats_nobody(tmp_path: Path) -> None:
    lines = said(made(tmp_path, {"a": (100, 200)}))
    assert lines["Fastest to write"] == "a (100 ns); no other library is ranked"
    assert lines["Smallest"] == "a (100 bytes)"
    assert "Size against time" not in lines


def test_memory_policies_are_told_apart_where_both_were_measured(tmp_path: Path) -> None:
    cells = ("serialize:reuse", "deserialize:reuse", "deserialize:fresh")
    run = made(tmp_path, {"a": (100, 100, 300), "b": (200, 200, 200)}, operations=cells)
    lines = said(run)
    assert [label for label in lines if label.startswith("Fastest")] == [
        "Fastest to write", "Fastest to read, reuse", "Fastest to read, fresh"
    ]  # fmt: skip
    assert lines["Fastest to read, fresh"].startswith("b (")
    assert "Best in both" not in lines  # a is not the first in all of reading


def test_a_run_of_other_operations_has_a_line_for_each(tmp_path: Path) -> None:
    run = made(tmp_path, {"a": (100, 100), "b": (200, 200)}, operations=("encode:reuse", "decode:reuse"))
    assert said(run)["Fastest encode"].startswith("a (100 ns); ahead of b")
    assert "Best in both" not in said(run)
    with_headline = made(
        tmp_path, {"a": (100, 100), "b": (200, 200)}, operations=("encode:reuse", "serialize:reuse")
    )
    assert [each.operation for each in verdict(with_headline).fastest] == ["serialize"]


def test_codecs_that_are_lossy_or_not_known_are_marked_where_they_are_named(tmp_path: Path) -> None:
    run = made(tmp_path, {"a": (100, 100), "b": (200, 200)}, lossy={"a": "floats may be off by 0.01"})
    assert said(run)["Fastest to write"].startswith("a ≈ (")


@settings(
    max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.tuples(st.floats(50, 500), st.floats(50, 500), st.integers(1, 5)),
        min_size=2,
    ),
    st.sampled_from([0.01, 0.1, 0.3]),
)
def test_a_verdict_says_what_the_ranks_say(
    tmp_path: Path, codecs: dict[str, tuple[float, float, int]], noise: float
) -> None:
    sizes = {codec: size for codec, (*_, size) in codecs.items()}
    run = made(
        tmp_path, {codec: figures[:2] for codec, figures in codecs.items()}, sizes, rounds=7, noise=noise
    )
    rows, told = rows_of(run), verdict(run)
    for each in told.fastest:
        own = [row for row in rows if row.operation == each.operation]
        assert set(names(each.first)) == {row.name for row in own if row.may_lead}
        assert {row.name for row in own if row.rank == 1} <= set(names(each.first))
        behind = [row.rank or 0 for row in own if not row.may_lead]
        assert (each.next.rank if each.next else None) == min(behind, default=None)
        in_order = sorted(own, key=lambda row: row.time.estimate if row.time else 0)
        assert each.first[0] == in_order[0]
        ranks_in_order = [row.rank or 0 for row in in_order]
        assert ranks_in_order == sorted(ranks_in_order), "ranks fall where times rise"
        for one, other in combinations(own, 2):
            figures = [figures_of(run, row) for row in (one, other)]
            apart = [max(pair) / min(pair) for pair in zip(*figures, strict=True)]
            ahead = [first < second for first, second in zip(*figures, strict=True)]
            if min(apart) > 1.5 and len(set(ahead)) == 1:
                assert one.rank != other.rank
    if not all(each.is_known for each in told.fastest):
        assert not told.best_in_both
        return
    ranks = {codec: [row.rank or 0 for row in rows if row.name == codec] for codec in codecs}
    assert set(names(told.best_in_both)) == {codec for codec in codecs if ranks[codec] == [1, 1]}
    if any(row.not_known for row in rows):
        return
    points = {codec: (sizes[codec], *ranks[codec]) for codec in codecs}
    beaten = {
        codec
        for codec, point in points.items()
        for other in points.values()
        if other != point and all(a <= b for a, b in zip(other, point, strict=True))
    }
    assert set(names(told.front)) == codecs.keys() - beaten


def figures_of(run: Run, row: Row) -> list[float]:
    """The figures of a row, in the order of rounds."""
    cell = run.taken.cells[row.codec, "w", "", f"{row.operation}:{row.memory}"].figures()
    return [cell[number] for number in sorted(cell)]


# --- tables ---


def test_of_many_messages_times_and_sizes_are_of_one(tmp_path: Path) -> None:
    run = made(tmp_path, THREE, {"a": 300, "b": 200, "c": 200}, messages=50)
    (table,) = run_tables(run, rows_of(run), 200)
    assert list(table.headings[:4]) == ["codec", "size\nper message", "serialize\nreuse\nper message", "MB/s"]
    (line,) = (row for row in table.rows if row[0] == "a")
    # 50 kB in 100 ns
    assert line[1:3] == ["300", "2.00 ns"] and float(line[3].replace(",", "")) == pytest.approx(5e5, rel=0.01)
    assert re.match(
        r"a \(2.00 ns per message, [45]\d\d,000 MB/s\); ahead of b: ", said(run)["Fastest to write"]
    )
    assert said(run)["Smallest"].startswith("b, c (200 bytes per message)")
    assert any(note.startswith("MB/s are of the uncompressed reference size") for note in table.notes)
    assert rows_of(run)[0].to_json()["time_ns"] == pytest.approx(100, rel=0.05)  # a pass takes this long
    (single,) = run_tables(made(tmp_path, THREE), rows_of(run), 200)
    assert "MB/s" not in single.headings and list(single.headings[1:3]) == ["size", "serialize\nreuse"]


def test_where_there_is_no_room_times_go_first_and_ratios_stay(tmp_path: Path) -> None:
    cells = ("serialize:reuse", "deserialize:reuse", "deserialize:fresh")
    times = {f"cpp/handwritten:{name}": (100, 200, 300) for name in ("checked", "unsafe")} | {
        "b": (200, 300, 400)
    }
    run = made(tmp_path, times, operations=cells, messages=10)
    (wide,), (narrow,) = (run_tables(run, rows_of(run), width) for width in (160, 80))
    assert "serialize\nreuse\nper message" in wide.headings and "×best" in wide.headings
    assert narrow.width <= 80
    assert [heading.split("\n")[-1] for heading in narrow.headings[2:]] == ["×best", "#"] * 3
    assert "Left out to fit 80 columns: times, MB/s, ±; --format markdown shows all." in narrow.notes


def test_the_rows_of_a_suite_are_not_judged_but_trusted_or_not(tmp_path: Path) -> None:
    (table,), _, _ = tables_of(heron_run(tmp_path), Paths.default().suites)
    assert [each.label for each in table.verdict] == ["Trust"]


def test_codecs_without_figures_are_named_first(tmp_path: Path) -> None:
    run = made(tmp_path, THREE)
    run.manifest.codecs = (*run.manifest.codecs, "d")
    (table,) = run_tables(run, rows_of(run), 120)
    assert table.notes[0] == "Without figures: d (failed)."
    assert table.notes[1].startswith("× to the best. Equal ranks (#): too close to call.")
    assert any(note.startswith("d: failed: ") for note in table.notes)


# --- notes ---


@given(st.lists(st.text(st.sampled_from("word. "), max_size=400), max_size=8), st.integers(30, 150))
def test_the_first_notes_are_shown_in_three_lines_at_most(notes: list[str], room: int) -> None:
    shown, hidden = foremost(notes, room)
    told = [note for note in notes if note]
    if shown and shown[0].endswith("…"):
        assert (len(shown), hidden) == (1, len(told))
    else:
        assert (shown, hidden) == (told[: len(shown)], len(told) - len(shown))
    assert sum(len(_wrapped(note, room)) for note in shown) <= NOTES_SHOWN
    assert bool(shown) == bool(told)


def test_few_notes_are_shown_unless_all_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [
        Table("t", ["codec"], [["a"]], notes=[f"note {n}" for n in range(1, 6)], next_step="serbench doctor")
    ]
    show_run(tables, [], "table", "serbench show RUN --full")
    printed = capsys.readouterr().out
    assert "note 3" in printed and "note 4" not in printed
    assert printed.splitlines()[-2:] == ["2 more notes: serbench show RUN --full", "Next: serbench doctor"]
    show_run(tables, [], "table")
    assert "note 5" in (printed := capsys.readouterr().out) and "more notes" not in printed
    show_run(tables, [], "markdown", "serbench show RUN --full")
    assert "- note 5" in (printed := capsys.readouterr().out) and "Next: serbench doctor" in printed


def test_json_has_the_verdict_and_all_notes_and_csv_has_rows_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables, rows, _ = tables_of(made(tmp_path, THREE, {"a": 300, "b": 200}), Paths.default().suites)
    records = [row.to_json() for row in rows]
    show_run(tables, records, "json", "serbench show RUN --full")
    printed = json.loads(capsys.readouterr().out)
    assert printed[: len(records)] == records
    told = {record["verdict"]: record for record in printed if "verdict" in record}
    assert told["trust"] == {"workload": "w", "verdict": "trust", "trusted": "yes", "reasons": []}
    assert told["smallest"]["codecs"] == ["c"] and told["smallest"]["next_size_bytes"] == 200
    assert told["fastest"]["next"] == "a" and told["fastest"]["next_ratio"] == pytest.approx(1.5, rel=0.02)
    assert told["front_of_size_and_time"]["codecs"] == ["c", "b", "a"]
    assert [record["note"] for record in printed if "note" in record] == tables[0].notes
    assert printed[-1]["next_step"].startswith("./serbench ")
    show_run(tables, records, "csv", "serbench show RUN --full")
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(records)


def test_markdown_has_the_verdict_as_text(tmp_path: Path) -> None:
    (table,), _, _ = tables_of(made(tmp_path, {"<b>": (100, 100), "b": (200, 200)}), Paths.default().suites)
    lines = markdown(table).splitlines()
    assert lines[2] == "- **Trust**: yes"
    assert lines[3].startswith("- **Fastest to write**: \\<b\\> (100 ns); ahead of b: ×")


# --- what to type next ---


@pytest.mark.parametrize(
    ("how", "command"),
    [
        ({"ended": False}, "run --resume "),
        ({"rounds": 3, "selection": []}, "run -w w    ("),
        ({"rounds": 3, "selection": ["-c", "popular", "-o", "de*"]}, "run -w w -c popular -o 'de*'    ("),
        (
            {"rounds": 3, "metrics": ["time", "wire"], "selection": ["--suite", "x"]},
            "run -w w --suite x --metric time --metric wire    (",
        ),
        ({"rounds": 3}, "run -w w -c a -c b -c c    ("),
        ({"sample": {"waited_ns": -1, "own_ns": -1, "involuntary_switches": 9}}, "doctor "),
        ({"sizes": {"a": 300, "b": 200}, "selection": ["-c", "a*"]}, "run -w w -c 'a*' --metric wire "),
        ({"sizes": {"a": 300, "b": 200}, "metrics": ["time", "wire"]}, "plot "),
    ],
)
def test_the_next_command_depends_on_what_was_found(
    tmp_path: Path, how: dict[str, Any], command: str
) -> None:
    run = made(tmp_path, THREE, **how)
    assert next_step(run, [verdict(run)]).startswith(f"./serbench {command}")
