"""Tests that docstrings and comments open with a noun or a verb, as ``tests/house.py`` counts."""

from __future__ import annotations

from tests.house import class_names, dangling, dangling_by_package, python_files

from serbench.paths import PROJECT

MOST_DANGLING = 20
"""The most dangling openings, since now and then a question or a clause says it best."""

DANGLES = '''"""What came of it."""

LIMIT = 1
"""Of each, so many."""

LIMITS: dict[str, int] = {}
"""By name,
the limits."""


class Kept:
    """The kept values.

    Attributes:
        path: where they are, and
            what they hold.
        size, count: by how much they may grow.
        name: its name.
    """

    path: str
    """Likewise."""

    def told(self) -> str:  # that of the first
        """Whose it is.

        Returns:
            What is told of it, or
            of nothing.

        Raises:
            OSError: where there is none.
        """
        # who asks first
        # what follows is the rest of this comment
        return "# what is no comment"


def _of(whatever: str) -> None:
    """Whatever: by no means a relative clause."""
'''


def test_a_dangling_opening_is_found_in_docstrings_entries_and_comments() -> None:
    lines = DANGLES.splitlines()
    found = dangling(DANGLES)
    assert [text for _, text in found] == [
        "What came of it.",
        "Of each, so many.",
        "By name,",
        "where they are, and",
        "by how much they may grow.",
        "Likewise.",
        "that of the first",
        "What is told of it, or",
        "where there is none.",
        "who asks first",
    ]
    assert all(text in lines[line - 1] for line, text in found)


def test_a_name_of_a_class_is_counted_once_for_each_module() -> None:
    names = class_names(python_files(PROJECT / "src" / "serbench" / "model"))
    assert names["Schema"] == [PROJECT / "src" / "serbench" / "model" / "schema.py"]


def test_few_openings_dangle() -> None:
    found = dangling_by_package()
    assert {"src/serbench/languages", "src/serbench/imports", "codecs", "tests"} <= found.keys()
    assert found.total() <= MOST_DANGLING, +found
