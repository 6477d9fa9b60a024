"""Tests of the page of a run that reads parts of messages, in a browser: ways, their marks and meaning, the
chart of curves, and filters."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser
from tests.curves import CODECS, curved_run, workload_of
from tests.pages import MadeUp, write_page
from tests.sweeps import NUMBERS, TIMES, swept_run
from tests.test_calls import known as called_run
from tests.test_filters import made as filtering_run
from tests.test_page_browser import NARROW, WIDE, Watched

from serbench.report.charts.curve import drawn, lines_of
from serbench.report.rows import rows_of

pytestmark = pytest.mark.slow("look at pages in a browser")

PART = f"#{urlencode({'workload': workload_of(30), 'operation': 'read:reuse'})}"
WAYS = {"cpp/a": "view", "rust/e": "scan?", "python/f": "whole", "python/b:c": "skip‡?", "go/d": "skip‡?"}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_a_part_is_shown_with_ways_and_their_meaning(
    browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    watched = Watched(browser, write_page([curved_run(tmp_path)], tmp_path / "p.html"), size, PART)
    page = watched.page
    shown = dict(
        zip(
            page.locator("#grid .tabulator-row .codec").all_inner_texts(),
            page.locator("#grid .tabulator-cell[tabulator-field=way]").all_inner_texts(),
            strict=True,
        )
    )
    assert shown == WAYS
    everything = page.locator("#grid .tabulator-cell[tabulator-field=everything]").all_inner_texts()
    assert everything[0] == "22.5 %" and everything.count("all") == 1
    legend = page.locator("#ways").inner_text()
    for told in ("skip: decodes the fields", "A question mark: 90%", "‡ Text that is no UTF-8"):
        assert told in legend
    speed = page.locator("#grid .tabulator-col[tabulator-field='cell.mb_per_s']")
    assert not speed.is_visible(), "it would be of what is passed over, too"
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert not watched.faults
    page.context.close()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_the_curves_of_the_page_are_those_of_plot(
    browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    run = curved_run(tmp_path)
    (expected,) = lines_of(run, rows_of(run))
    watched = Watched(browser, write_page([run], tmp_path / "p.html"), size)
    page = watched.page
    labels = page.locator("#curves .role-legend-label text").all_text_contents()
    assert labels == [line.label for line in expected.lines]
    said = page.locator("#curves li").all_inner_texts()
    assert said == drawn(expected)["title"]["subtitle"][: len(said)] and len(said) == len(CODECS)
    dots = page.locator("#curves .dots path")
    assert dots.count() == 5 * len(CODECS)
    filled = [dot.get_attribute("fill") != "#ffffff" for dot in dots.all()]
    assert sum(filled) == sum(point.below for line in expected.lines for point in line.points)
    for text in page.locator("#curves .role-axis-label text, #curves .role-legend-label text").all():
        box = text.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= size[0], text.text_content()
    page.locator("[data-chip=rust]").click()
    assert page.locator("#curves .role-legend-label text").all_text_contents() == ["rust/e (scan)"]
    assert not watched.faults
    page.context.close()


def test_choosing_a_part_chooses_that_it_is_read(browser: Browser, tmp_path: Path) -> None:
    watched = Watched(browser, write_page([curved_run(tmp_path)], tmp_path / "p.html"))
    page = watched.page
    assert page.locator("#grid .tabulator-row").count() == len(CODECS)
    assert not page.locator("#grid .tabulator-col[tabulator-field=way]").is_visible()
    page.get_by_role("combobox", name="workload", exact=True).select_option(
        label="w: 100 messages, of which f0, f1, f2 is read"
    )
    page.wait_for_url(re.compile("operation=read"))
    page.wait_for_selector("#grid .tabulator-col[tabulator-field=way]")
    assert page.locator("#grid .tabulator-row").count() == len(CODECS)
    assert not watched.faults
    page.context.close()


def test_the_page_draws_a_sweep_and_says_who_changes_places(browser: Browser, tmp_path: Path) -> None:
    run = swept_run(tmp_path)
    (expected,) = lines_of(run, rows_of(run))
    watched = Watched(browser, write_page([run], tmp_path / "p.html"))
    page = watched.page
    assert page.locator("#curve h2").inner_text() == "Time over the number of messages"
    assert page.locator("#curves li").all_inner_texts() == [*expected.said]
    assert page.locator("#curves .dots path").count() == len(TIMES) * len(NUMBERS)
    assert page.locator("#curves .cacheNames text").all_text_contents() == ["L1", "L2", "L3"]
    assert page.locator("#curves .bands path").count() >= len(TIMES)
    assert not watched.faults
    page.context.close()


def test_a_page_without_parts_has_no_curves(browser: Browser, tmp_path: Path) -> None:
    run = MadeUp(["cpp/a", "cpp/b"], wire=False).write(tmp_path)
    watched = Watched(browser, write_page([run], tmp_path / "p.html"))
    assert not watched.page.locator("#curve").is_visible()
    assert not watched.page.locator("#ways li").count()
    assert not watched.faults
    watched.page.context.close()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_what_a_filter_takes_stands_beside_the_parts_it_is_computed_of(
    browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    watched = Watched(browser, write_page([filtering_run(tmp_path, 100)], tmp_path / "p.html"), size)
    page = watched.page
    shown = page.locator("#filters")
    assert "w, where status = …: 100 of 1,000 messages match" in shown.locator("caption").inner_text()
    assert "Fastest to filter, computed" in shown.inner_text()
    names = shown.locator("tbody th").all_inner_texts()
    assert names == ["python/skips", "python/wholes", "python/slows"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert not watched.faults
    page.context.close()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_the_slowest_of_many_calls_have_a_chart_of_their_own(
    browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    figures = {f"c{n}": {"mean": 1000 + 90 * n, "p90": 1500, "p99": 9000 - 700 * n} for n in range(3)}
    watched = Watched(browser, write_page([called_run(tmp_path, **figures)], tmp_path / "p.html"), size)
    page = watched.page
    assert page.locator("#called h2").inner_text() == "The slowest of many calls: serialize:fresh"
    assert not page.locator("#curve").is_visible()
    assert page.locator("#calls .role-axis-label text").all_text_contents()[:4] == [
        "p50",
        "p90",
        "p99",
        "worst",
    ]
    labels = page.locator("#calls .role-legend-label text").all_text_contents()
    assert labels == ["cpp/c2", "cpp/c1", "cpp/c0"], "the least p99 comes first"
    assert page.locator("#calls .dots path").count() == 3 * 4
    assert "p99.9: one call in a thousand" in page.locator("#calls p").first.inner_text()
    for text in page.locator("#calls .role-axis-label text, #calls .role-legend-label text").all():
        box = text.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= size[0], text.text_content()
    assert not watched.faults
    page.context.close()
