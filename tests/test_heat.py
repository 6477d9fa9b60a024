"""Tests of heat maps of codecs by machines: their contents, and whether they can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pytest
from tests.fleets import Times, fleet
from tests.svg import boxes, marks, placed
from tests.test_cli import serbench

from serbench.measure.store import Run
from serbench.report.charts.heat import (
    Heat,
    HeatColumn,
    HeatLine,
    Square,
    colour_of,
    heats_of,
    ink_on,
    settings,
)
from serbench.report.charts.heat_drawing import heat_chart
from serbench.report.charts.pixels import png_of, svg_of
from serbench.report.machines_table import parts_with_rows
from serbench.report.numbers import ratio

FAST: Times = {"floor": (5, 6), "a": (100, 300), "b": (200, 200), "c": (400, 400)}
OTHER: Times = {"floor": (5, 6), "a": (300, 300), "b": (200, 200)}


def heats(run: Run) -> Mapping[str, Heat]:
    return {heat.name: heat for heat in heats_of(run, parts_with_rows(run), None)}


def lines(heat: Heat) -> Mapping[str, list[str | None]]:
    return {line.label: [each.text if each else None for each in line.squares] for line in heat.lines}


# --- content ---


def test_each_operation_has_one_with_the_ratios_of_each_machine_s_rows(tmp_path: Path) -> None:
    run = fleet(tmp_path, {"z": ("zen4", FAST), "m": ("old", OTHER), "k": ("zen4", FAST)}, floors=["floor"])
    drawn = heats(run)
    assert list(drawn) == ["w-serialize-reuse-on-machines", "w-deserialize-reuse-on-machines"]
    heat = drawn["w-serialize-reuse-on-machines"]
    assert heat.columns == [HeatColumn("old", "m"), HeatColumn("zen4", "k"), HeatColumn("zen4", "z")]
    assert [line.label for line in heat.lines] == ["floor", "a", "b", "c"]
    assert [line.apart for line in heat.lines] == [True, False, False, False]
    for n, part in enumerate(parts_with_rows(run)):
        own = {row.name: row for row in part.rows if row.operation == "serialize"}
        for line in heat.lines:
            row, square = own.get(line.label), line.squares[n]
            if row is None:
                assert square is None
            else:
                assert row.ratio and square and square.text == ratio(row.ratio)
                assert square.first == (row.rank == 1)
    assert lines(heat)["c"][0] is None and "Hatched: no figure there" in " ".join(heat.notes)
    assert "floor (grey)" in " ".join(heat.notes)
    assert (
        "3 machines of 2 kinds" in heat.subtitle[-1] and heat.title == "w · serialize:reuse on each machine"
    )


def test_of_many_machines_a_column_is_the_median_of_a_kind(tmp_path: Path) -> None:
    most = settings().most_machines
    machines = {f"m{n:02}": ("old" if n % 2 else "zen4", OTHER if n % 2 else FAST) for n in range(most + 1)}
    run = fleet(tmp_path / "many", machines, floors=["floor"], noise=0.05)
    heat = heats(run)["w-serialize-reuse-on-machines"]
    assert heat.columns == [HeatColumn("old", "median of 6"), HeatColumn("zen4", "median of 7")]
    ratios = [
        row.ratio.estimate
        for part in parts_with_rows(run)
        for row in part.rows
        if part.kind == "zen4" and (row.name, row.operation) == ("c", "serialize") and row.ratio
    ]
    (line,) = (each for each in heat.lines if each.label == "c")
    assert len(ratios) == 7 and line.squares[0] is None
    assert line.squares[1] and line.squares[1].ratio == pytest.approx(median(ratios))
    assert heat.notes[0].startswith("There are 13 machines, so a column is a kind of machine: the median")
    assert heat.title.endswith("on each kind of machine")
    few = heats(fleet(tmp_path / "few", dict(list(machines.items())[:most]), floors=["floor"]))
    assert len(few["w-serialize-reuse-on-machines"].columns) == most
    assert "so a column is a kind" not in " ".join(few["w-serialize-reuse-on-machines"].notes)


def test_it_is_bold_on_a_kind_only_if_first_on_all_its_machines(tmp_path: Path) -> None:
    machines = {f"m{n:02}": ("zen4", FAST if n else OTHER) for n in range(13)}
    heat = heats(fleet(tmp_path, machines, floors=["floor"]))["w-serialize-reuse-on-machines"]
    firsts = {line.label: line.squares[0].first for line in heat.lines if line.squares[0]}
    assert firsts == {"floor": False, "a": False, "b": False, "c": False}


def test_too_few_rounds_and_parts_that_stopped_are_told(tmp_path: Path) -> None:
    machines = {"m": ("zen4", FAST), "n": ("old", FAST)}
    run = fleet(tmp_path, machines, rounds=3, ended={"m": True, "n": False})
    told = " ".join(heats(run)["w-serialize-reuse-on-machines"].notes)
    assert "Fewer than 6 rounds cannot separate any codecs" in told
    assert "Not measured to the end: n." in told


def test_a_constant_time_view_is_marked(tmp_path: Path) -> None:
    times = {"v": (1, 300), "a": (100, 200)}
    run = fleet(tmp_path, {"m": ("zen4", times), "n": ("old", times)}, views=["serialize"])
    heat = heats(run)["w-serialize-reuse-on-machines"]
    assert lines(heat)["v"] == ["×1.00°", "×1.00°"]
    assert "°: a constant-time view, compared only with others of its kind." in heat.notes


# --- colours ---


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_darken_all_the_way_so_that_no_one_needs_their_hue() -> None:
    scale = [luminance(colour_of(64 ** (n / 200), 64)) for n in range(201)]
    assert all(before > after for before, after in pairwise(scale))
    assert scale[0] > 0.9 and scale[-1] < 0.03


def test_the_scale_is_logarithmic_and_ends_where_it_says() -> None:
    colours = settings().colours
    assert [colour_of(each, 16) for each in (0.5, 1, 4, 16, 99)] == [
        colours[0], colours[0], colours[4], colours[-1], colours[-1]
    ]  # fmt: skip


@pytest.mark.parametrize(("greatest", "top"), [(1.1, 2.0), (9.0, 9.0), (5000.0, 64.0)])
def test_its_end_is_the_greatest_ratio_within_bounds(greatest: float, top: float) -> None:
    assert made([[1.0], [greatest]]).top == top


def test_every_figure_can_be_read_on_its_colour() -> None:
    for n in range(201):
        colour = colour_of(64 ** (n / 200), 64)
        both = sorted((luminance(colour), luminance(ink_on(colour))))
        assert (both[1] + 0.05) / (both[0] + 0.05) >= 4.5, colour


# --- drawing ---


def made(ratios: list[list[float | None]], floor: bool = False, kinds: int = 3) -> Heat:
    """A heat map of these ratios with long names; each inner list is a line."""
    count = len(ratios[0])
    named = [f"sapphirerapids (model {n * kinds // count}, c library glibc 2.36)" for n in range(count)]
    columns = [HeatColumn(kind, f"ip-10-0-3-{n}-core0") for n, kind in enumerate(named)]
    return Heat(
        "h",
        "w · serialize:reuse on each machine",
        ["domain → bytes", "8 machines of 3 kinds · " + "more of this · " * 20],
        "times as long as the fastest",
        columns,
        [
            HeatLine(
                f"cpp/library:with_a_variant_{n}",
                floor and n == 0,
                [Square(each, f"×{each:,.2f}", each == 1) if each else None for each in line],
            )
            for n, line in enumerate(ratios)
        ],
        [f"Without a figure on any machine: {', '.join(f'cpp/another_{n}' for n in range(40))}.", "End."],
    )


HEATS = {
    "1 × 1": made([[1.0]]),
    "2 × 2, nearly alike": made([[1.0, 1.02], [1.05, 1.0]], kinds=2),
    "30 × 8": made([[1.21**n * (1 + m / 20) for m in range(8)] for n in range(30)], floor=True),
    "30 × 12 with holes": made(
        [[None if (n + m) % 5 == 0 else 1.3**n for m in range(12)] for n in range(30)]
    ),
    "a machine without any": made([[1.0, None, 2.0], [3.0, None, 1.0]]),
}


@cache
def svg_named(name: str) -> str:
    return svg_of(heat_chart(HEATS[name]))


@pytest.mark.parametrize("name", HEATS)
def test_every_text_is_there_in_full_and_none_is_hidden_or_cut(name: str) -> None:
    heat, svg = HEATS[name], svg_named(name)
    found = boxes(svg)
    texts = [box.text for box in found]
    assert {heat.title, heat.scale, "no figure", "×1", *(line.label for line in heat.lines)} <= set(texts)
    assert " ".join(heat.notes) in " ".join(texts)
    for column in heat.columns:
        words = [*column.kind.split(), *re.findall("[^-]+", column.name)]
        assert all(any(word in text for text in texts) for word in words)
    for line in heat.lines:
        for square in line.squares:
            assert square is None or square.text in texts
    assert [f"{a.text} | {b.text}" for a, b in combinations(found, 2) if a.overlaps(b)] == []
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box
    width, height = float(box[1]), float(box[2])
    assert [b.text for b in found if b.left < 0 or b.top < 0 or b.right > width or b.bottom > height] == []


@pytest.mark.parametrize("name", HEATS)
def test_a_codec_without_a_figure_has_a_hatch_and_no_colour(name: str) -> None:
    heat, svg = HEATS[name], svg_named(name)
    squares = [square for line in heat.lines for square in line.squares]
    legend = marks(svg_of(heat_chart(made([[1.0]]))), "rect")
    assert len(marks(svg, "rect")) - (len(legend) - 1) == sum(square is not None for square in squares)
    hatched = [e for e, *_ in placed(ElementTree.fromstring(svg)) if e.get("stroke") == "#b5b5b5"]
    of_legend = [
        e for e, *_ in placed(ElementTree.fromstring(svg_named("1 × 1"))) if e.get("stroke") == "#b5b5b5"
    ]
    assert (len(hatched) > len(of_legend)) == (None in squares) and of_legend


def test_squares_have_the_colours_of_their_ratios_and_floors_are_grey() -> None:
    heat = HEATS["30 × 8"]
    root = ElementTree.fromstring(svg_named("30 × 8"))
    (group, _) = (e for e, *_ in placed(root) if "mark-rect role-mark" in e.get("class", ""))
    drawn = [shape.get("fill") for shape in group]
    wanted = [
        "#a8a8a8" if line.apart else colour_of(square.ratio, heat.top)
        for line in heat.lines
        for square in line.squares
        if square
    ]
    assert drawn == wanted and len(set(drawn[:8])) == 1


# --- the command ---


def test_plot_draws_heat_maps_of_a_fleet_and_the_usual_of_one_machine(tmp_path: Path) -> None:
    run = fleet(tmp_path, {"m": ("zen4", FAST), "n": ("old", OTHER)})
    done = serbench(tmp_path, "plot", run.id, "-O", str(tmp_path / "pictures"))
    assert done.returncode == 0, done.stderr
    names = [Path(line).name for line in done.stdout.splitlines()]
    assert names == [
        f"w-{operation}-reuse-on-machines.{ending}"
        for operation in ("serialize", "deserialize")
        for ending in ("svg", "png")
    ]
    png = (tmp_path / "pictures" / names[1]).read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    assert f"to draw one of them: ./serbench plot {run.id}/m" in done.stderr
    alone = serbench(tmp_path, "plot", f"{run.id}/n", "-O", str(tmp_path / "n"))
    assert alone.returncode == 0 and "w-time-serialize-reuse.png" in alone.stdout


def test_a_heat_map_becomes_a_png() -> None:
    assert png_of(heat_chart(HEATS["1 × 1"])).startswith(b"\x89PNG\r\n")
