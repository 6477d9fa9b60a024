"""Tests of the table that says how long each file of tests took."""

from __future__ import annotations

from tests.spent import MOST_FILES, Spent, add, table


def test_several_processes_are_added_up() -> None:
    spent: Spent = {}
    for of_one in ({"test_a.py": (2.0, 3.0)}, {"test_a.py": (1.0, 1.5), "test_b.py": (4.0, 0.5)}):
        add(spent, of_one)
    assert spent == {"test_a.py": (3.0, 4.5), "test_b.py": (4.0, 0.5)}


def test_the_dearest_files_have_lines_and_the_others_one() -> None:
    spent = {f"test_{n:02}.py": (2.0 * n, float(n)) for n in range(MOST_FILES + 5)}
    heading, *lines = table(spent)
    assert heading.split() == ["took", "processors", "clock"]
    most = MOST_FILES + 4
    assert lines[0].split() == [f"test_{most}.py", f"{most}", "s", f"{2 * most}", "s"]
    assert len(lines) == MOST_FILES + 1
    assert lines[-1].split() == ["5", "other", "files", "10", "s", "20", "s"]


def test_what_is_brief_has_no_table() -> None:
    assert table({"test_a.py": (9.0, 9.0)}) == []
