"""Tests of whose code an outcome of evolution is due to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.support import PATHS
from tests.test_evolution import fake, outcome

from serbench.report.evolution_table import evolution_tables
from serbench.verification.blame import blamed
from serbench.verification.evolution import Evolved

sys.path.append(str(PATHS.runners / "python"))

from serbench_runner.origin import origin_of  # found by the line above


def test_an_outcome_is_due_to_the_code_that_raised_the_error() -> None:
    assert [blamed("refused", by, True) for by in ("library", "adapter", "")] == ["library", "adapter", ""]
    assert [blamed(word, "adapter", True) for word in ("crash", "hang")] == ["adapter", "adapter"]


def test_another_value_without_an_error_is_due_to_the_library() -> None:
    assert [blamed(word, "", True) for word in ("defaults", "misread")] == ["library", "library"]


def test_nobody_is_to_blame_where_nothing_was_read_wrong() -> None:
    assert {blamed(word, "library", True) for word in ("kept", "impossible", "not tried")} == {""}


def test_all_that_code_without_a_library_does_is_the_adapters() -> None:
    assert {blamed(word, "library", False) for word in ("refused", "misread", "crash")} == {"adapter"}


@pytest.mark.parametrize(
    ("fault", "by"),
    [("refuses_all", "adapter"), ("error@decode", "library"), ("crash@decode", ""), ("none", "")],
)
def test_runners_say_whose_error_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, by: str
) -> None:
    found = outcome(fake(tmp_path, monkeypatch, fault=fault)[0], tmp_path, monkeypatch)
    assert found.by == by


def test_reasons_tell_the_adapters_errors_from_the_librarys() -> None:
    outcomes = [
        Evolved("p", "w", "add=y:u8", "backward", "refused", "KeyError: 'y'", by="adapter"),
        Evolved("q", "w", "add=y:u8", "backward", "refused", "the bytes end early", by="library"),
    ]
    (table,) = evolution_tables(outcomes)
    assert table.notes[-2:] == [
        "p, add=y:u8 backward: refused (the adapter's error): KeyError: 'y'",
        "q, add=y:u8 backward: refused: the bytes end early",
    ]


ADAPTER = """
import json
import library
from cell import glue

class Refusal(Exception): pass

def by_glue(): glue.read({})
def by_builtin(): json.loads("{")
def by_c(): bytes.fromhex("x")
def by_library(): library.refuse()
def by_hook(): library.call(lambda: {}["a"])
def by_itself(): raise Refusal()
def by_key(): {}["a"]
def by_enum(): glue.member()
def by_compiled(): glue.compiled()
def by_group(): library.group()
"""

GLUE = """
import enum
from messages import read_message as compiled

class Colour(enum.Enum):
    RED = 1

def read(plain): return plain["a"]
def member(): return Colour(9)
"""

LIBRARY = """
def refuse(): raise ValueError
def call(hook): hook()
def group():
    raise ExceptionGroup("all", [ValueError()])
"""

ORIGINS = {
    "by_glue": "adapter",
    "by_builtin": "library",
    "by_c": "library",
    "by_library": "library",
    "by_hook": "adapter",
    "by_itself": "adapter",
    "by_key": "adapter",
    "by_enum": "adapter",
    "by_compiled": "library",
    "by_group": "library",
}
"""Function of ``ADAPTER`` → whose code raises its error."""


def written(folder: Path) -> dict[str, str]:
    """The texts of a generated folder, a codec's folder and its libraries, by their paths in ``folder``."""
    return {
        "generated/cell/__init__.py": "",
        "generated/cell/glue.py": GLUE,
        "generated/messages/__init__.py": "def read_message(): raise EOFError",
        "codec/adapter.py": ADAPTER,
        "libraries/library.py": LIBRARY,
    }


@pytest.mark.parametrize("function", ORIGINS)
def test_the_innermost_frame_of_python_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    for name, text in written(tmp_path).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folders = [str(tmp_path / name) for name in ("generated", "codec", "libraries")]
    for folder in folders:
        monkeypatch.syspath_prepend(folder)
    for name in ("cell", "cell.glue", "messages", "library"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    adapter = ModuleType("adapter")
    exec(compile(ADAPTER, str(tmp_path / "codec" / "adapter.py"), "exec"), vars(adapter))
    call: Callable[[], object] = vars(adapter)[function]
    with pytest.raises(Exception) as raised:
        call()
    assert origin_of(*folders)(raised.value) == ORIGINS[function]
