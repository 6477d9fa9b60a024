"""Tests of the pictures of runs: their contents, and that nothing in them is cut, hidden or out of
proportion."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.pages import MadeUp, variants
from tests.started import started
from tests.svg import boxes, marks, placed, translation

from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.charts.drawing import chart
from serbench.report.charts.picture import LOGARITHMIC_FROM, Picture, PictureRow, pictures_of
from serbench.report.charts.pixels import PNG_SCALE, png_of, svg_of
from serbench.report.charts.scatter import filled, scatters_of
from serbench.report.numbers import count, duration
from serbench.report.rows import rows_of
from serbench.selecting.suite import load_suites
from serbench.stats.summary import Interval

SUITES = load_suites(Paths.default().suites)


# --- drawing ---


def picture(values: Sequence[float], unit: Any = "ns", spread: float = 0.02, floor: bool = True) -> Picture:
    """A bar chart of these values, whose bars have long names and long notes; with ``floor``, the first bar
    is a floor."""
    bars = []
    for n, value in enumerate(values):
        interval = Interval(value, value * (1 - spread), value * (1 + spread), 0.95)
        name = f"cpp/flatbuffers:structs_verified_long_{n}"
        if unit == "ns":
            is_floor = floor and n == 0
            texts = (duration(interval), f"×{value / values[0]:,.2f}", "" if is_floor else str(n))
            bars.append(
                PictureRow(name, value, interval.low, interval.high, texts, "a copy" if is_floor else "")
            )
        else:
            bars.append(
                PictureRow(name, value, value, value, (count(int(value)), f"×{value / values[0]:.2f}"))
            )
    headings = ("time", "×best", "#") if unit == "ns" else ("bytes", "×best")
    many = ", ".join(f"cpp/bitsery:some_long_variant_{n}" for n in range(30))
    subtitle = [
        "domain → bytes",
        "AMD EPYC 9999 with a long name · " + "g++ (Debian 12.2.0-14+deb12u1) 12.2.0 -O3 · " * 3,
    ]
    return Picture(
        "p",
        "suite s · w · serialize:reuse",
        subtitle,
        unit,
        headings,
        bars,
        [f"Without a figure: {many}.", "End."],
    )


PICTURES = {
    "1 row": picture([12_345.0], floor=False),
    "3 rows": picture([1.0, 2.0, 3.0]),
    "14 rows": picture([100.0 * n for n in range(1, 15)]),
    "40 rows": picture([850.0 + 630 * n for n in range(40)]),
    "40 rows, all the same": picture([999_999.0] * 40),
    "40 rows over 3 decades": picture([100.0 * 1.19**n for n in range(40)], floor=False),
    "40 rows over 7 decades": picture([2.3 * 1.5**n for n in range(40)]),
    "40 rows over 11 decades": picture([0.5 * 1.95**n for n in range(40)]),
    "22 rows of wide intervals": picture([1e9 + 1e8 * n for n in range(22)], spread=0.9),
    "sizes": picture([6_913.0 + 500 * n for n in range(37)], "bytes"),
    "great sizes": picture([37_806_601.0 + 4e6 * n for n in range(37)], "bytes"),
    "sizes below a million": picture([100_000.0 + 24_000 * n for n in range(37)], "bytes"),
}


@cache
def svg_named(name: str) -> str:
    return svg_of(chart(PICTURES[name]))


@pytest.mark.parametrize("name", PICTURES)
def test_every_text_is_there_in_full_and_none_is_hidden_or_cut(name: str) -> None:
    drawn, svg = PICTURES[name], svg_named(name)
    found = boxes(svg)
    texts = [box.text for box in found]
    for bar in drawn.bars:
        assert texts.count(bar.label) == 1
        assert all(text in texts for text in bar.texts if text)
    assert {drawn.title, *drawn.headings} <= set(texts)
    # Paragraphs may be broken over lines, but none of their words is lost.
    assert " ".join(drawn.notes) in " ".join(texts)
    assert " ".join(" ".join(drawn.subtitle).split()) in " ".join(texts)
    assert [f"{a.text} | {b.text}" for a, b in combinations(found, 2) if a.overlaps(b)] == []
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box
    width, height = float(box[1]), float(box[2])
    assert [b.text for b in found if b.left < 0 or b.top < 0 or b.right > width or b.bottom > height] == []


@pytest.mark.parametrize("name", PICTURES)
def test_an_axis_has_some_ticks_with_units(name: str) -> None:
    drawn, root = PICTURES[name], ElementTree.fromstring(svg_named(name))
    labels = [t.text for e, *_ in placed(root) if e.get("class") == "mark-text role-axis-label" for t in e]
    (title,) = [
        t.text or "" for e, *_ in placed(root) if e.get("class") == "mark-text role-axis-title" for t in e
    ]
    assert 3 <= len(labels) == len(set(labels)) <= 12
    if drawn.logarithmic:
        assert title.endswith("logarithmic scale")
        assert all(re.fullmatch(r"[\d.]+ (ns|µs|ms|s)", label or "") for label in labels)
    else:
        assert re.fullmatch(r"time of one pass, (ns|µs|ms|s)|size, (bytes|MB|GB)", title)
        assert labels[0] == "0" and all(re.fullmatch(r"[\d.,]+", label or "") for label in labels)


def test_bars_begin_at_zero_and_are_as_long_as_their_values() -> None:
    drawn = picture([850.0, 1_700.0, 8_500.0])
    bars = marks(svg_of(chart(drawn)), "rect")  # M x, y h width ...
    assert len(bars) == 3
    assert [bar[0] for bar in bars] == [0, 0, 0]
    assert [bar[2] / bars[0][2] for bar in bars] == pytest.approx([1, 2, 10])


def test_an_interval_is_drawn_from_its_low_to_its_high_end() -> None:
    bars = (
        PictureRow("a", 100.0, 90.0, 130.0, ("100 ns",)),
        PictureRow("b", 200.0, 200.0, 200.0, ("200 ns",)),
    )
    svg = svg_of(chart(Picture("p", "t", [], "ns", ("time",), bars, [])))
    per_ns = marks(svg, "rect")[0][2] / 100
    root = ElementTree.fromstring(svg)
    rules = [e for e, *_ in placed(root) if e.get("stroke-width") == "1.2"]
    ends = [(translation(rule)[0], translation(rule)[0] + float(rule.get("x2", "0"))) for rule in rules]
    assert len(ends) == 3  # the line and its two caps; the bar without an interval has none
    line, *caps = sorted((tuple(sorted(end)) for end in ends), key=lambda end: end[0] - end[1])
    assert line == pytest.approx((90 * per_ns, 130 * per_ns))
    assert sorted(cap[0] for cap in caps) == pytest.approx([90 * per_ns, 130 * per_ns])


@pytest.mark.parametrize(
    ("factor", "logarithmic"), [(LOGARITHMIC_FROM, False), (LOGARITHMIC_FROM * 1.01, True)]
)
def test_a_wide_range_gives_dots_on_a_logarithmic_scale(factor: float, logarithmic: bool) -> None:
    drawn = picture([0.001, 10.0, 10.0 * factor])  # the floor does not decide
    assert drawn.logarithmic is logarithmic
    svg = svg_of(chart(drawn))
    assert len(marks(svg, "rect")) == (0 if logarithmic else 3)
    assert len(marks(svg, "symbol")) == (3 if logarithmic else 0)


def test_the_floor_is_set_apart_and_grey() -> None:
    root = ElementTree.fromstring(svg_of(chart(picture([60.0, 900.0, 1_000.0]))))
    (group,) = [e for e, *_ in placed(root) if "mark-rect role-mark" in e.get("class", "")]
    colours = [bar.get("fill") for bar in group]
    assert colours[0] != colours[1] == colours[2]
    tops = [float((bar.get("d") or "").split(",")[1].partition("h")[0]) for bar in group]
    assert tops[1] - tops[0] > tops[2] - tops[1]


def test_a_png_has_the_size_of_the_svg_on_a_dense_screen() -> None:
    drawn = PICTURES["3 rows"]
    png = png_of(chart(drawn))
    found = re.search(r'width="(\d+)" height="(\d+)"', svg_of(chart(drawn)))
    assert found and png.startswith(b"\x89PNG\r\n")
    size = [int.from_bytes(png[n : n + 4], "big") for n in (16, 20)]
    assert size == [PNG_SCALE * int(found[1]), PNG_SCALE * int(found[2])]


def test_an_empty_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="picture p has no bars"):
        chart(picture([]))


# --- content ---

TIMES = {
    "cpp/flatbuffers": 1_500,
    "cpp/capnproto:unpacked": 2_900,
    "cpp/cereal": 1_750,
    "cpp/memcpy": 300,
    "cpp/msgpack": 7_000,
}
SIZES = {
    "cpp/flatbuffers": 17_632,
    "cpp/capnproto:unpacked": 17_784,
    "cpp/cereal": 17_416,
    "cpp/memcpy": 17_008,
}
HELLO = ["roundtrip", "cycle"]


def make_run(
    folder: Path, suite: str | None = None, rounds: int = 6, ended: bool = True, measured: bool = True
) -> Run:
    """Makes a run of two operations, in which one codec fails in the second operation, one is not installed,
    and one does not support the workload."""
    codecs = [*TIMES, "cpp/boost", "cpp/mpi"]
    manifest = {
        "suite": suite, "codecs": codecs, "floors": ["cpp/memcpy"], "workloads": ["record:ids=small"],
        "metrics": ["time"], "operations": ["roundtrip:reuse", "cycle:reuse"], "rounds": rounds,
        "machine": {"processor": "a processor"},
        "toolchains": [{"name": "g++", "language": "cpp", "compiler": "g++ 12.2.0", "flags": "-O3"}],
        "arguments": [],
        "datasets": {"record:ids=small": {"sha256": "", "messages": 1, "canonical_bytes": 17_008}},
        "dynamic": ["cpp/msgpack", "cpp/mpi"],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:

        def say(event: str, codec: str, **more: Any) -> None:
            journal.append(
                {"event": event, "codec": codec, "workload": "record:ids=small", "compiler": "", **more}
            )

        for codec in TIMES:
            size = {"size_bytes": SIZES.get(codec, 11_802), "messages": 1}
            say("unit", codec, status="ok", reason="", operations=HELLO, **size)
        say(
            "unit",
            "cpp/boost",
            status="not_installed",
            reason="no header boost/x; get it: apt-get install boost",
        )
        say("unit", "cpp/mpi", status="unsupported", reason="has no maps")
        for number in range(1, rounds + 1) if measured else ():
            for codec, nanoseconds in TIMES.items():
                for operation in HELLO if codec != "cpp/msgpack" else HELLO[:1]:
                    elapsed = round(10 * nanoseconds * (1 + number / 1000))
                    sample = {
                        "operation": operation,
                        "memory": "reuse",
                        "iterations": 10,
                        "elapsed_ns": elapsed,
                    }
                    say("sample", codec, round=number, **sample)
        say(
            "failure",
            "cpp/msgpack",
            operation="cycle",
            memory="reuse",
            reason="the runner died of signal 11\nits last words",
        )
        if ended:
            journal.append({"event": "end"})
    return run


def pictures(run: Run) -> dict[str, Picture]:
    suite = SUITES.get(run.manifest.suite or "")
    return {picture.name: picture for picture in pictures_of(run, rows_of(run), suite)}


def test_a_run_has_a_picture_of_sizes_and_of_each_operation(tmp_path: Path) -> None:
    drawn = pictures(make_run(tmp_path))
    prefix = "record-ids_small"
    assert list(drawn) == [f"{prefix}-size", f"{prefix}-time-roundtrip-reuse", f"{prefix}-time-cycle-reuse"]
    times = drawn[f"{prefix}-time-roundtrip-reuse"]
    assert [bar.label for bar in times.bars] == [
        "cpp/memcpy", "cpp/flatbuffers", "cpp/cereal", "cpp/capnproto:unpacked", "cpp/msgpack"
    ]  # fmt: skip
    assert [bar.texts for bar in times.bars[:3]] == [
        ("301 ns", "×0.200", ""),
        ("1.51 µs", "×1.00", "1"),
        ("1.76 µs", "×1.17", "2"),
    ]
    assert all(bar.low < bar.value < bar.high for bar in times.bars)
    assert times.title == "record:ids=small · roundtrip:reuse"
    subtitle = " ".join(times.subtitle).replace("\u00a0", " ")
    for part in (
        "serialize + deserialize",
        "17,008 bytes uncompressed reference size",
        "a processor",
        "g++ 12.2.0 -O3",
        "6 rounds",
        "run 20",
    ):
        assert part in subtitle
    sizes = drawn[f"{prefix}-size"]
    assert [(bar.label, bar.texts[0]) for bar in sizes.bars][:3] == [
        ("cpp/memcpy", "17,008"), ("cpp/msgpack", "11,802"), ("cpp/cereal", "17,416")
    ]  # fmt: skip


def test_a_suite_s_rows_have_its_names_and_the_zero_copy_pair_has_a_picture(tmp_path: Path) -> None:
    drawn = pictures(make_run(tmp_path, "cpp_serializers"))
    pair = drawn["record-ids_small-time-zero_copy_pair-cycle-reuse"]
    assert [bar.label for bar in pair.bars] == ["flatbuffers", "capnproto"]
    assert pair.headings == ("time",)
    assert "zero-copy pair" in pair.title and "suite cpp_serializers" in pair.title
    notes = " ".join(drawn["record-ids_small-size"].notes)
    assert (
        "not in this run: thrift-binary, thrift-compact, protobuf, protobuf (packed), msgpack, avro, hpx"
        in notes
    )
    assert not any("zero_copy" in name for name in pictures(make_run(tmp_path / "other")))


def test_every_row_without_a_figure_is_named_with_its_reason(tmp_path: Path) -> None:
    drawn = pictures(make_run(tmp_path))
    cycle = drawn["record-ids_small-time-cycle-reuse"].notes
    assert "Without a figure, failed: the runner died of signal 11: cpp/msgpack." in cycle
    assert "Without a figure, not installed: cpp/boost." in cycle
    assert "Without a figure, unsupported: has no maps: cpp/mpi." in cycle
    assert not any("cpp/msgpack" in note for note in drawn["record-ids_small-size"].notes)
    assert any(
        note.startswith("Linked dynamically") and "cpp/msgpack" in note
        for note in drawn["record-ids_small-time-roundtrip-reuse"].notes
    )


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (
            9,
            (
                "Mean over 9 rounds without the lowest and highest fifth, each in fresh processes; thin "
                "lines: 95 % interval."
            ),
        ),
        (
            3,
            (
                "Mean over 3 rounds without the lowest and highest fifth, each in fresh processes; thin "
                "lines: 95 % interval."
            ),
        ),
        (1, "One round only, so there are no intervals."),
    ],
)
def test_the_notes_say_how_sure_an_interval_is(tmp_path: Path, rounds: int, said: str) -> None:
    notes = pictures(make_run(tmp_path, rounds=rounds))["record-ids_small-time-roundtrip-reuse"].notes
    assert notes[0] == said
    assert any("nothing is ranked" in note for note in notes) is (rounds < 6)


def test_a_run_that_did_not_end_says_so(tmp_path: Path) -> None:
    ended, killed = (pictures(make_run(tmp_path / str(e), ended=e)) for e in (True, False))
    assert not any("not finished" in note for p in ended.values() for note in p.notes)
    assert all("not finished" in p.notes[-1] for p in killed.values())


# --- the command ---


def plot(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return started("plot", *arguments, home=home)


@pytest.mark.slow("draw pictures by the command")
def test_the_command_writes_both_formats_and_names_the_files(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "heron")
    make_run(tmp_path / "runs")
    done = plot(tmp_path, "--suite", "heron")
    assert done.returncode == 0, done.stderr
    files = [Path(line) for line in done.stdout.splitlines()]
    assert {f.parent for f in files} == {tmp_path / "plots" / run.id}
    assert [f.suffix for f in files] == [".svg", ".png"] * 6
    assert sum(f.stem.endswith("-against-size") for f in files) == 4
    assert all(f.stat().st_size > 5_000 for f in files)


@pytest.mark.slow("draw pictures by the command")
def test_what_cannot_be_drawn_is_named_with_what_to_do(tmp_path: Path) -> None:
    def error(*arguments: str) -> str:
        done = plot(tmp_path, *arguments)
        assert done.returncode == 2 and done.stdout == "" and "Traceback" not in done.stderr
        return done.stderr

    assert "there is no run yet; start one with: ./serbench run" in error()
    assert "there is no run of suite graph yet; start one with: ./serbench run --suite graph" in error(
        "--suite", "graph"
    )
    assert "unknown suite 'herron'; did you mean heron" in error("--suite", "herron")
    run = make_run(tmp_path / "runs", measured=False)
    assert f"run {run.id} is of no suite, not of graph; leave out --suite to draw it" in error(
        run.id, "--suite", "graph"
    )
    (run.directory / "samples.jsonl").write_text("")
    assert f"run {run.id} has nothing to draw; to see why: ./serbench show {run.id}" in error()


# --- size against time ---


def test_size_against_time_has_a_point_for_each_contender(tmp_path: Path) -> None:
    run = MadeUp(variants(15), ("w",), missing=7).write(tmp_path)
    (first, *others) = scatters_of(run, rows_of(run), None)
    assert len(others) == 3 and first.name == "w-serialize-reuse-against-size"
    measured = {
        row.name: row
        for row in rows_of(run)
        if row.time and row.operation == "serialize" and row.memory == "reuse"
    }
    assert [point.label for point in first.points] == [name for name, row in measured.items() if row.competes]
    for point in first.points:
        row = measured[point.label]
        better = [
            o
            for o in measured.values()
            if o.rank and (o.size_bytes or 0) <= (row.size_bytes or 0) and o.rank < (row.rank or 0)
        ]
        assert not (point.front and better)


def test_size_against_time_is_drawn(tmp_path: Path) -> None:
    run = MadeUp([*variants(8), "cpp/<b>x</b>\u202e"], ("w",), missing=0).write(tmp_path)
    scatter = next(scatters_of(run, rows_of(run), None))
    svg = svg_of(filled(scatter))
    assert scatter.title in svg and "<b>x" not in svg and "\u202e" not in svg
    # All have room but one or two at most; the renderer would tell on standard error that it cannot place
    # them, and go on.
    placed = [label for label in re.findall(r'opacity="1"[^>]*>([^<]+)</text>', svg) if "/" in label]
    assert len(placed) >= len(scatter.points) - 2
    assert png_of(filled(scatter)).startswith(b"\x89PNG")
    scales = {scale["name"]: scale["type"] for scale in filled(scatter)["scales"]}
    times = [point.time.estimate for point in scatter.points]
    assert scales["y"] == ("log" if max(times) > 10 * min(times) else "linear")
