"""Tests of the look of the page with few rows and on a narrow screen, and that its chart equals that of
``plot``."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.pages import OPERATIONS, MadeUp, variants, write_page
from tests.test_page_browser import NARROW, WIDE, Watched

from serbench.measure.store import Run
from serbench.report.charts.scatter import Scatter, scatters_of
from serbench.report.rows import rows_of

pytestmark = pytest.mark.slow("look at pages in a browser")


def lines_of(page: Page, cells: str) -> list[int]:
    """The number of lines over which the text of each element is broken; ``cells`` is the CSS selector of the
    elements."""
    found: list[int] = page.evaluate(
        """(cells) => [...document.querySelectorAll(cells)].map((each) => {
            const range = document.createRange();
            range.selectNodeContents(each);
            return new Set([...range.getClientRects()].map((box) => Math.round(box.top / 8))).size;
        })""",
        cells,
    )
    return found


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_a_table_of_few_rows_is_as_high_as_they_are(
    browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    watched = Watched(browser, write_page([MadeUp(variants(5)).write(tmp_path)], tmp_path / "p.html"), size)
    grid, last = (
        watched.page.locator(each).last.bounding_box() for each in ("#grid", "#grid .tabulator-row")
    )
    assert grid and last
    assert 0 <= grid["y"] + grid["height"] - (last["y"] + last["height"]) < 20
    assert not watched.faults
    watched.page.context.close()


def test_a_narrow_screen_shows_rank_name_and_time_at_once_and_breaks_no_figure(
    browser: Browser, tmp_path: Path
) -> None:
    run = MadeUp(variants(60), ("records", "others")).write(tmp_path)
    watched = Watched(browser, write_page([run], tmp_path / "p.html"), NARROW)
    page = watched.page
    row = page.locator("#grid .tabulator-row").first
    for part in (".codec", ".figure", ".bar"):
        box = row.locator(part).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= NARROW[0], part
    heights = page.locator("#grid .tabulator-row .codec").evaluate_all(
        "(all) => all.map((e) => e.clientHeight)"
    )
    assert max(heights) < 30, "a long name is cut, with three dots, and not set over lines"
    for table in ("load", "sizes"):
        lines = lines_of(page, f"#{table} .scrolls td")
        assert lines and set(lines) == {1}, table
    pieces = page.locator("#load .scrolls tbody th").evaluate_all(
        "(all) => all.flatMap((e) => [...e.childNodes].map((n) => n.textContent).filter(Boolean))"
    )
    assert "nlohmann_" in pieces and "cpp/" in pieces
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    assert not watched.faults
    page.context.close()


def with_ties_and_views(run: Run, seed: int) -> Run:
    """A copy of the run in which several codecs share a size, some units' serialize is a constant-time view,
    and some codecs' times vary too much for their order to be known."""
    draw, lines = random.Random(seed), []
    restless = {*run.manifest.codecs[seed::4]}
    for line in run.journal.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "sample" and event["codec"] in restless:
            event["elapsed_ns"] = round(event["elapsed_ns"] * draw.uniform(0.4, 1.6))
        if event["event"] == "unit" and event["status"] == "ok":
            event["size_bytes"] = 1000 * draw.randrange(1, 9)
            event["views"] = ["serialize"] if draw.random() < 0.2 else []
        lines.append(json.dumps(event))
    run.journal.write_text("\n".join(lines) + "\n")
    return Run(run.directory)


@pytest.mark.parametrize("seed", range(4))
def test_the_chart_of_the_page_is_that_of_plot(browser: Browser, seed: int, tmp_path: Path) -> None:
    """Python and the page's script each compute the Pareto front, since only the script knows which codecs a
    reader left out; both charts of one run must be equal."""
    made = MadeUp(variants(25), rounds=7, missing=6, seed=seed, wire=False)
    run = with_ties_and_views(made.write(tmp_path), seed)
    rows = rows_of(run)
    assert any(row.not_known for row in rows)
    expected: dict[str, Scatter] = {each.name: each for each in scatters_of(run, rows, None)}
    watched = Watched(browser, write_page([run], tmp_path / "page.html"))
    fronts = 0
    for operation in OPERATIONS:
        watched.page.get_by_role("combobox", name="operation", exact=True).select_option(operation)
        chart = expected[f"w-{operation.replace(':', '-')}-against-size"]
        told = watched.page.locator("#scatter .chart").get_attribute("aria-label") or ""
        assert told.startswith(f"Size against time of {len(chart.points)} codecs.")
        said = watched.page.locator("#scatter p.quiet").first.inner_text()
        front = re.search(r"in both size and time: (.*?)\. Vertical", said)
        assert {*(front[1].split(", ") if front else [])} == {p.label for p in chart.points if p.front}
        fronts += sum(point.front for point in chart.points)
    assert fronts > len(OPERATIONS)
    assert not watched.faults
    watched.page.context.close()


def test_a_narrow_chart_names_every_language(browser: Browser, tmp_path: Path) -> None:
    codecs = variants(200)
    watched = Watched(browser, write_page([MadeUp(codecs).write(tmp_path)], tmp_path / "p.html"), NARROW)
    labels = watched.page.locator("#chart .role-legend-label text")
    assert set(labels.all_text_contents()) == {codec.partition("/")[0] for codec in codecs}
    for label in labels.all():
        box = label.bounding_box()
        assert box and box["x"] + box["width"] <= NARROW[0], label.text_content()
    watched.page.context.close()
