"""Tests of the page in a browser: what a reader clicks, types and prints, at the width of a desktop and of a
telephone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect
from tests.pages import MadeUp, held, variants, write_page
from tests.test_export import HOSTILE

from serbench.page.building import SOURCES, get_packages
from serbench.page.contents import Installation
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.suite import load_suites

WIDE, NARROW = (1280, 900), (400, 800)

pytestmark = pytest.mark.slow("look at pages in a browser")


@pytest.fixture(scope="session", name="page_file")
def a_page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a page about 40 codecs, three workloads, two runs and a published table."""
    folder = tmp_path_factory.mktemp("a page")
    names = ("monsters", "record", "telemetry")
    more, seen = held(variants(40))
    more["suite"] = "monsters"
    runs = [MadeUp(variants(40), names, seed=seed, more=more).write(folder) for seed in (1, 2)]
    known = Installation(load_variants(Paths.default().codecs), load_suites(Paths.default().suites), seen)
    return write_page(runs, folder / "report.html", known)


class Watched:
    """An open page that collects its errors, messages on the console and requests to a network."""

    def __init__(
        self,
        browser: Browser,
        file: Path,
        size: tuple[int, int] = WIDE,
        hash: str = "",
        script: str = "",
        **how: str,
    ):
        """Opens the page; ``script`` runs before those of the page."""
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            accept_downloads=True,
            **how,  # type: ignore[arg-type]
        )
        self.page = context.new_page()
        if script:
            self.page.add_init_script(script)
        self.faults: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._see)
        self.page.goto(file.as_uri() + hash)
        self.page.wait_for_selector("html[data-ready=yes]")
        self.page.wait_for_selector("#grid .tabulator-row, #grid .tabulator-placeholder")

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self.faults.append(said.text)

    def _see(self, asked: Request) -> None:
        if not asked.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"it asks for {asked.url}")


@pytest.fixture(name="opened")
def opens(browser: Browser, page_file: Path) -> Iterator[Page]:
    """Opens the page at the width of a desktop; at the end asserts that it wrote nothing to the console and
    requested nothing from a network."""
    watched = Watched(browser, page_file)
    yield watched.page
    faults = watched.faults
    watched.page.context.close()
    assert not faults


def names(page: Page) -> list[str]:
    """The names of codecs in the visible rows of the table, from top to bottom."""
    return page.locator("#grid .tabulator-row .codec").all_inner_texts()


def rows(page: Page) -> int:
    return int(re.match(r"[\d,]+", page.locator("#count").inner_text()).group().replace(",", ""))  # type: ignore[union-attr]


DRAWN_AFTER = """
window.drawnAfter = [];
new MutationObserver((all) => {
  if (document.documentElement.dataset.ready !== "yes") return;
  for (const { target } of all) window.drawnAfter.push(target.outerHTML.slice(0, 99));
}).observe(document, { childList: true, subtree: true });
"""
"""Lists the elements whose children are replaced once the page says that it is ready."""

HURRIED = """
new MutationObserver((_all, observer) => {
  if (!document.querySelector("#grid")) return;
  observer.disconnect();
  location.hash = "search=bitsery+compression";
}).observe(document, { childList: true, subtree: true });
"""
"""Changes what is chosen as soon as the place of the table is there, before its rows are."""


def test_nothing_is_drawn_anew_once_the_page_is_ready(browser: Browser, page_file: Path) -> None:
    watched = Watched(browser, page_file, script=DRAWN_AFTER)
    watched.page.wait_for_timeout(1000)  # for what should not come
    assert watched.page.evaluate("window.drawnAfter") == []
    watched.page.context.close()


def test_the_table_shows_what_was_chosen_before_it_was_there(browser: Browser, page_file: Path) -> None:
    watched = Watched(browser, page_file, script=HURRIED)
    expect(watched.page.locator("#count")).to_contain_text("1 rows")
    expect(watched.page.locator("#grid .codec")).to_have_text(["cpp/bitsery:compression"])
    watched.page.context.close()


def test_the_verdict_is_on_top_and_its_badge_opens_into_why(opened: Page) -> None:
    expect(opened.locator("#verdict dt").first).to_be_visible()
    badge = opened.locator("#verdict .badge")
    expect(badge.locator("li").last).not_to_be_visible()
    badge.locator("summary").click()
    expect(badge.locator("li").last).to_contain_text("a made-up processor")


def test_a_chip_leaves_out_what_does_not_have_it(opened: Page) -> None:
    before = rows(opened)
    opened.get_by_role("button", name="evolution", exact=True).click()
    expect(opened.get_by_role("button", name="evolution", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert 0 < rows(opened) < before
    told = opened.locator("#needs [role=status]").inner_text()
    assert re.match(r"\d+ of 39 codec variants have what you need", told)
    assert "need=evolution" in opened.url
    opened.go_back()
    expect(opened.get_by_role("button", name="evolution", exact=True)).to_have_attribute(
        "aria-pressed", "false"
    )
    assert rows(opened) == before


def test_search_finds_rows_by_each_word(opened: Page) -> None:
    opened.locator("input[type=search]").fill("bitsery compression")
    expect(opened.locator("#count")).to_contain_text("1 rows")
    assert names(opened) == ["cpp/bitsery:compression"]
    opened.locator("input[type=search]").fill("nobody is called this")
    expect(opened.locator("#grid .tabulator-placeholder")).to_be_visible()


def test_a_heading_sorts_and_the_address_tells(opened: Page) -> None:
    first = names(opened)
    opened.locator("#grid .heading", has_text=re.compile(r"^size$")).click()
    opened.wait_for_url(re.compile("sort=size"))
    assert names(opened) != first
    sizes = opened.locator("#grid .tabulator-row .tabulator-cell[tabulator-field=size]").all_inner_texts()
    assert len(sizes) > 5


def test_rows_are_grouped(opened: Page) -> None:
    opened.get_by_role("combobox", name="group", exact=True).select_option("language")
    expect(opened.locator("#grid .tabulator-group").first).to_contain_text(re.compile(r"^\w+ \(\d+\)"))


def test_ratios_are_to_a_chosen_codec(opened: Page) -> None:
    base = names(opened)[3]
    opened.get_by_role("combobox", name="ratios to", exact=True).select_option(base)
    row = opened.locator("#grid .tabulator-row", has=opened.get_by_role("button", name=base, exact=True))
    expect(row.locator("[tabulator-field=ratio]")).to_have_text("×1.00")


def test_a_row_without_a_figure_has_its_reason(opened: Page) -> None:
    opened.locator("input[type=search]").fill("segmentation")
    expect(opened.locator("#grid .why").first).to_have_text("its library crashed: segmentation fault")


def test_at_my_load_is_arithmetic_of_what_was_measured(opened: Page) -> None:
    answer = opened.locator("#load-answer")
    before = answer.locator(".said").inner_text()
    expect(answer).to_contain_text("To begin with: ")
    opened.locator("input[name=rate]").fill("1000000000")
    expect(answer.locator(".said")).to_contain_text("No codec can handle this load")
    assert "rate=1000000000" in opened.url and before
    expect(answer).not_to_contain_text("To begin with: ")
    opened.locator("input[name=rate]").fill("1000")
    opened.locator("input[name=reads]").fill("100")
    expect(answer.locator(".said")).to_contain_text(re.compile(r"^\d+ of \d+ codecs can handle this load"))
    expect(opened.locator("input[name=reads]")).to_be_focused()
    answer.locator("summary").click()
    expect(answer.locator("details p").first).to_contain_text("messages a second × (100 %")
    opened.get_by_role("combobox", name="compression", exact=True).select_option("zstd-3/message")
    expect(opened.locator("#load-answer details p").first).to_contain_text("to decompress")


@pytest.mark.parametrize("slower", [0.01, 1, 1e4, 5e6])
def test_at_my_load_begins_with_what_half_of_the_codecs_can_handle(
    browser: Browser, slower: float, tmp_path: Path
) -> None:
    run = MadeUp(variants(30), slower=slower, missing=0).write(tmp_path)
    watched = Watched(browser, write_page([run], tmp_path / "page.html"))
    said = watched.page.locator("#load-answer .said").inner_text()
    fit, all_ = map(int, re.findall(r"^(\d+) of (\d+) codecs can handle this load", said)[0])
    assert all_ / 2 <= fit < all_
    rate = watched.page.locator("input[name=rate]").input_value()
    assert re.fullmatch(r"[125]0*|0\.0*[125]", rate)
    expect(watched.page.locator("input[name=cores]")).to_have_value("1")
    assert "rate=" not in watched.page.url and not watched.faults
    watched.page.context.close()


def test_without_scripts_the_verdict_and_the_table_are_there(browser: Browser, page_file: Path) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": NARROW[0], "height": NARROW[1]}
    )
    page = context.new_page()
    page.goto(page_file.as_uri())
    expect(page.locator("#page b", has_text="Smallest").first).to_be_visible()
    expect(page.locator("table.plain tr").first).to_contain_text("serialize")
    assert page.locator("table.plain tr").count() > 100
    context.close()
    watched = Watched(browser, page_file)
    assert watched.page.locator(".plain, #starting").count() == 0
    watched.page.context.close()


def test_a_link_restores_the_view(browser: Browser, page_file: Path) -> None:
    hash = "#workload=record&operation=deserialize%3Afresh&group=format&search=json&reads=80&need=evolution"
    watched = Watched(browser, page_file, hash=hash)
    page = watched.page
    expect(page.locator("#choices select").nth(1)).to_have_value("record")
    expect(page.locator("#choices select").nth(2)).to_have_value("deserialize:fresh")
    expect(page.locator("input[type=search]")).to_have_value("json")
    expect(page.locator("input[name=reads]")).to_have_value("80")
    assert all("json" in name for name in names(page))
    assert not watched.faults
    page.context.close()


NONSENSE = (
    "#run=none",
    "#workload=none",
    "#rate=x&reads=-3",
    "#codec=none",
    "#sort=none-up",
    "#need=none",
    "#%%%",
)


@pytest.mark.parametrize("hash", NONSENSE)
def test_an_address_that_tells_nonsense_shows_a_page(browser: Browser, page_file: Path, hash: str) -> None:
    watched = Watched(browser, page_file, hash=hash)
    expect(watched.page.locator("h1")).to_be_visible()
    assert not watched.faults
    watched.page.context.close()


def test_a_codec_opens_by_its_name_and_closes_by_escape(opened: Page) -> None:
    name = names(opened)[0]
    opened.get_by_role("button", name=name, exact=True).click()
    dialog = opened.locator("dialog")
    expect(dialog.locator("h2")).to_have_text(name)
    expect(dialog.locator("table").first).to_contain_text("serialize:reuse")
    opened.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert "codec=" not in opened.url


def test_the_keyboard_alone_is_enough(opened: Page) -> None:
    opened.keyboard.press("/")
    expect(opened.locator("input[type=search]")).to_be_focused()
    opened.keyboard.type("cpp")
    opened.locator("#grid .heading").nth(1).focus()
    opened.keyboard.press("Enter")
    opened.wait_for_url(re.compile("sort=name"))
    opened.locator("#grid .codec").first.focus()
    opened.keyboard.press("Enter")
    expect(opened.locator("dialog")).to_be_visible()
    opened.keyboard.press("Escape")
    chip = opened.get_by_role("button", name="schema", exact=True)
    chip.focus()
    opened.keyboard.press("Space")
    expect(opened.get_by_role("button", name="schema", exact=True)).to_be_focused()
    expect(opened.get_by_role("button", name="schema", exact=True)).to_have_attribute("aria-pressed", "true")


def test_the_theme_is_the_systems_until_it_is_chosen(browser: Browser, page_file: Path) -> None:
    watched = Watched(browser, page_file, color_scheme="dark")
    root = watched.page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    watched.page.locator("#theme").click()
    expect(root).to_have_attribute("data-theme", "light")
    watched.page.reload()
    expect(root).to_have_attribute("data-theme", "light")
    assert not watched.faults
    watched.page.context.close()


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_the_chart_is_saved_as_an_image(opened: Page, kind: str, begins: bytes) -> None:
    with opened.expect_download() as saved:
        opened.locator(f"[data-save={kind}]").click()
    assert saved.value.path().read_bytes().startswith(begins)
    assert saved.value.suggested_filename.endswith(f".{kind}")


def test_labels_of_the_chart_never_overlap(opened: Page) -> None:
    boxes = opened.evaluate(
        """() => [...document.querySelectorAll('#scatter .mark-text.role-mark text')]
            .filter((each) => each.textContent && Number(getComputedStyle(each).opacity) > 0)
            .map((each) => each.getBoundingClientRect())
            .map((b) => [b.left, b.top + 2, b.right, b.bottom - 2])"""
    )
    assert len(boxes) > 8
    for n, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[n + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_a_map_has_the_sections_of_a_specification_in_words(opened: Page) -> None:
    shown = opened.get_by_role("table", name="words: cases that come out as RFC 0 says")
    expect(shown.get_by_role("columnheader")).to_have_text(["codec", "1 Words", "2 Numbers", "3 Ends"])
    lines = shown.locator("tbody tr")
    expect(lines).to_have_count(36)
    expect(lines.nth(1).get_by_role("cell")).to_have_text(["1/3", "✓", "–"])
    expect(opened.locator("#conformance li").last).to_contain_text("not known of ")
    opened.get_by_role("button", name="conforms to RFC 0").click()
    expect(lines).to_have_count(14)
    assert {*shown.locator("tbody td").all_inner_texts()} == {"✓"}


def test_the_chart_is_drawn_where_no_codec_is_ranked(browser: Browser, tmp_path: Path) -> None:
    run = MadeUp(variants(8), rounds=1, missing=0).write(tmp_path)
    known = Installation(load_variants(Paths.default().codecs), {})
    watched = Watched(browser, write_page([run], tmp_path / "report.html", known))
    expect(watched.page.locator("#scatter .role-mark.dots path")).to_have_count(7)  # the floor is none
    assert not watched.faults
    watched.page.context.close()


def test_it_prints_all_rows(opened: Page) -> None:
    opened.get_by_role("combobox", name="operation", exact=True).select_option("")
    shown = rows(opened)
    opened.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    printed = opened.locator(".tabulator-print-table tbody tr").count()
    assert printed == shown > 100
    opened.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert len(opened.pdf()) > 10_000


def graves(page: Page) -> list[str]:
    """The accessibility violations that axe-core rates serious or critical."""
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_it_is_accessible_and_as_wide_as_its_screen(
    browser: Browser, page_file: Path, size: tuple[int, int], theme: str
) -> None:
    get_packages(lambda _: None, to_check=True)
    watched = Watched(browser, page_file, size, color_scheme=theme)
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    # The page's own policy allows no other script, so it comes by the browser's side door.
    page.evaluate((SOURCES / "node_modules" / "axe-core" / "axe.min.js").read_text() + "; 0")
    assert not graves(page)
    page.locator("#grid .codec").first.click()
    assert not graves(page)
    assert not watched.faults
    page.context.close()


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_texts(browser: Browser, text: str, tmp_path: Path) -> None:
    run = MadeUp(["cpp/a", "cpp/b", "cpp/c"], missing=2, reason=text, more={"lossy": {"cpp/a": text}}).write(
        tmp_path
    )
    watched = Watched(browser, write_page([run], tmp_path / "page.html", title=text))
    page = watched.page
    assert page.locator("#page b, #page i").count() == 0
    inside = page.locator("body").inner_text()
    assert "\x1b" not in inside and "\u202e" not in inside
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE[0]
    assert not watched.faults
    page.context.close()
