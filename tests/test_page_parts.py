"""Tests of the page of a run of ``why`` in a browser: the boxes of bytes are a tree that keys walk."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.pages import write_page
from tests.test_page_browser import NARROW, WIDE, Watched
from tests.test_why import ONE, TWO, why

from serbench.report.kept import keep_why

pytestmark = pytest.mark.slow("look at pages in a browser")

WALK = [
    ("ArrowRight", "a: 70 bytes"),
    ("ArrowDown", "b: 50 bytes"),
    ("ArrowRight", "b[]: 40 bytes"),
    ("End", "d: 1 bytes"),
    ("ArrowUp", "b[].y: 37 bytes"),
    ("ArrowLeft", "b[]: 40 bytes"),
    ("Home", "whole message: 100 bytes"),
    ("ArrowUp", "whole message: 100 bytes"),
]
"""A key → the beginning of the name of the box that has the focus then."""


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_keys_walk_the_boxes(browser: Browser, size: tuple[int, int], tmp_path: Path) -> None:
    made = why(tmp_path, {"x/one": ONE, "x/two": TWO})
    keep_why(made, made.runs)
    watched = Watched(browser, write_page(made.runs, tmp_path / "p.html"), size)
    page = watched.page
    tree = page.get_by_role("tree", name="bytes of w with x/one, by part")
    assert tree.get_by_role("treeitem").count() == 7 and tree.locator("[tabindex='0']").count() == 1
    tree.locator("[tabindex='0']").focus()
    for key, expected in WALK:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.ariaLabel").startswith(expected), key
        expect(page.locator(".told").first).to_contain_text(expected)
    widths = tree.locator("span").evaluate_all("all => all.map(e => e.getBoundingClientRect().width)")
    assert widths[0] / widths[1] == pytest.approx(100 / 70, rel=0.02), "one scale"
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert not watched.faults
    page.context.close()
