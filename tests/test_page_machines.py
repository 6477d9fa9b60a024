"""Tests of the page of a run of several machines: its heat maps, which show how far behind the best each
codec is on each machine, and its verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.fleets import Times, fleet
from tests.pages import MadeUp, write_page
from tests.test_page_browser import NARROW, WIDE, Watched, graves

from serbench.measure.parts import parts_of
from serbench.measure.store import Run
from serbench.page.building import SOURCES, get_packages
from serbench.page.contents import Installation, contents
from serbench.report.charts.heat import Heat, colour_of, heats_of, ink_on
from serbench.report.kinds_lines import kinds_tables
from serbench.report.machines_table import parts_with_rows

in_a_browser = pytest.mark.slow("look at pages in a browser")

ALL: Times = {
    "cpp/floor": (5, 6), "cpp/a": (100, 300), "cpp/b": (210, 200), "cpp/c": (900, 400), "jvm/d": (9000, 9000),
}  # fmt: skip
OTHER: Times = {**{name: ALL[name] for name in ("cpp/floor", "cpp/b", "cpp/c")}, "cpp/a": (300, 310)}


def made(folder: Path, machines: int = 3) -> Run:
    """Makes a run of machines of two kinds, one of which lacks a codec."""
    kinds = {f"m{n:02}": ("old <i>", OTHER) if n % 3 == 0 else ("zen4", ALL) for n in range(machines)}
    return fleet(folder, kinds, floors=["cpp/floor"])


def heats(run: Run) -> Mapping[str, Heat]:
    return {heat.name: heat for heat in heats_of(run, parts_with_rows(run), None)}


def test_the_page_has_of_whom_each_run_is_and_what_their_verdicts_share(tmp_path: Path) -> None:
    run, alone = made(tmp_path), MadeUp(["cpp/a", "cpp/b"]).write(tmp_path)
    told = contents([*parts_of(run), alone], Installation(), "a page")
    assert [each["part"] for each in told["runs"]] == [
        {"of": run.id, "machine": "m00", "kind": "old <i>"},
        {"of": run.id, "machine": "m01", "kind": "zen4"},
        {"of": run.id, "machine": "m02", "kind": "zen4"},
        None,
    ]
    (table,) = kinds_tables(parts_with_rows(run))
    said = [{"label": each.label, "text": each.text} for each in table.verdict]
    assert told["fleets"] == [{"run": run.id, "verdicts": {"w": said}}]
    assert contents([parts_of(run)[0], alone], Installation(), "a page")["fleets"] == []


def style(square: Locator) -> tuple[str, str]:
    """The colours of a square of the heat map, as ``#rrggbb``: of its background, and of its text."""
    found = square.evaluate("(e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]")
    background, ink = ("#" + "".join(f"{int(n):02x}" for n in re.findall(r"\d+", each)[:3]) for each in found)
    return background, ink


@in_a_browser
@pytest.mark.parametrize("machines", [3, 13])
def test_squares_are_those_of_plot(browser: Browser, tmp_path: Path, machines: int) -> None:
    """The rows, columns, colours and bold figures of the page's heat map are compared with those of ``plot``
    for each operation, since the page's script computes them by itself."""
    run = made(tmp_path, machines)
    watched = Watched(browser, write_page(parts_of(run), tmp_path / "page.html"))
    for operation in ("serialize:reuse", "deserialize:reuse"):
        watched.page.get_by_role("combobox", name="operation", exact=True).select_option(operation)
        heat = heats(run)[f"w-{operation.replace(':', '-')}-on-machines"]
        table = watched.page.locator("#machines table")
        assert table.locator("thead tr").last.locator("th").all_inner_texts() == [
            "codec", *(column.name for column in heat.columns)
        ]  # fmt: skip
        kinds = list(dict.fromkeys(column.kind for column in heat.columns))
        assert table.locator("th.group").all_inner_texts() == kinds
        rows = table.locator("tbody tr").all()
        assert [row.locator("th").inner_text() for row in rows] == [line.label for line in heat.lines]
        for row, line in zip(rows, heat.lines, strict=True):
            squares = row.locator(".square").all()
            for drawn, square in zip(squares, line.squares, strict=True):
                classes = (drawn.get_attribute("class") or "").split()[1:]
                if square is None:
                    assert classes == ["none"] and drawn.inner_text() == "–"
                elif line.apart:
                    assert classes == ["floor"]
                else:
                    assert classes == (["first"] if square.first else [])
                    colour = colour_of(square.ratio, heat.top)
                    # six digits of a ratio are less than a step of a colour apart
                    for a, b in zip(style(drawn), (colour, ink_on(colour)), strict=True):
                        pairs = [(int(a[n : n + 2], 16), int(b[n : n + 2], 16)) for n in (1, 3, 5)]
                        assert all(abs(x - y) <= 1 for x, y in pairs), (a, b)
    many = watched.page.locator("#machines").get_by_text("so a column is a kind of machine")
    expect(many).to_have_count(1 if machines > 12 else 0)
    assert not watched.faults
    watched.page.context.close()


@in_a_browser
def test_the_verdict_for_kinds_stands_above_them(browser: Browser, tmp_path: Path) -> None:
    watched = Watched(browser, write_page(parts_of(made(tmp_path)), tmp_path / "page.html"))
    expect(watched.page.locator("#machines dl")).to_contain_text("old <i>: cpp/b; zen4: cpp/a")
    expect(watched.page.locator("#machines .shades")).to_contain_text("Times as long as the fastest on the")
    watched.page.get_by_role("button", name=re.compile("^jvm")).click()
    assert watched.page.locator("#machines tbody th").all_inner_texts() == ["jvm/d"]
    assert not watched.faults
    watched.page.context.close()


@in_a_browser
def test_a_run_of_one_machine_has_no_such_part(browser: Browser, tmp_path: Path) -> None:
    alone = MadeUp(["cpp/a", "cpp/b"], missing=0).write(tmp_path)
    run = made(tmp_path)
    watched = Watched(browser, write_page([alone, *parts_of(run)], tmp_path / "page.html"))
    expect(watched.page.locator("#machines")).to_be_hidden()
    watched.page.get_by_role("combobox", name="run", exact=True).select_option(f"{run.id}/m01")
    expect(watched.page.locator("#machines")).to_be_visible()
    watched.page.context.close()


@in_a_browser
@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (NARROW, "dark")], ids=["1280", "400"])
def test_it_is_accessible_and_as_wide_as_its_screen(
    browser: Browser, tmp_path: Path, size: tuple[int, int], theme: str
) -> None:
    get_packages(lambda _: None, to_check=True)
    file = write_page(parts_of(made(tmp_path, 12)), tmp_path / "page.html")
    watched = Watched(browser, file, size, color_scheme=theme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    watched.page.evaluate((SOURCES / "node_modules" / "axe-core" / "axe.min.js").read_text() + "; 0")
    assert not graves(watched.page)
    assert not watched.faults
    watched.page.context.close()
