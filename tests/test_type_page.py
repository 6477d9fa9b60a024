"""Tests that the page on the type model shows what the generators write.

After a wanted change: ``SERBENCH_UPDATE_GOLDEN=1 ./serbench test tests/test_type_page.py``, and read the
difference.
"""

from __future__ import annotations

import os

from tests.type_page import page

from serbench.paths import PROJECT

PAGE = PROJECT / "docs" / "type-model.md"


def test_the_page_is_what_the_generators_write() -> None:
    text = page()
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text
