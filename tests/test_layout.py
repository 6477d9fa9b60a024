"""Tests of the source tree's shape: imports go in one direction, and lines, functions and files are short."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from serbench.paths import PROJECT

# From the bottom up; a module imports from its own package and from those before it.
ORDER = [
    {"text", "stats"},
    {"errors"},
    {"paths", "model"},
    {"system", "codegen"},
    {"idl", "workload"},
    {"codecs", "dataset"},
    {"changes"},
    {"drawing", "languages"},
    {"imports", "selecting"},
    {"measure", "site"},
    {"verification"},
    {"building", "report"},
    {"doctor", "export"},
    {"page", "cluster"},
    {"cli"},
    {"__main__"},
]
HALL = 8
"""The most modules that may stand outside of any package."""
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}

SOURCES = sorted((PROJECT / "src" / "serbench").rglob("*.py"))
GENERATORS = sorted(path for folder in ("codecs", "workloads") for path in (PROJECT / folder).rglob("*.py"))
RUNNERS = sorted(
    path
    for folder in ("runners", "codecs")
    for path in (PROJECT / folder).rglob("*")
    if path.suffix in (".hpp", ".cpp", ".h", ".c", ".cmake", ".java", ".scala", ".rs", ".go", ".js")
)
RUNNERS_IN_PYTHON = sorted((PROJECT / "runners").rglob("*.py"))
TESTS = sorted((PROJECT / "tests").glob("*.py"))

COLUMNS = 110
"""The most columns of a line: two files of this width fit beside each other."""
WRITTEN = ("py", "hpp", "cpp", "c", "h", "scala", "java", "go", "ts", "cmake", "js", "css")
"""Suffixes of files that people write; golden files are generated, and docs/assets comes from other
projects."""

LINES_OF_A_FUNCTION = 60
LINES_OF_A_FILE = 400
LINES_OF_TESTS = 450
"""The most lines of a test file; more than for other files, since tables of cases are long."""


def _package(path: Path) -> str:
    relative = path.relative_to(PROJECT / "src" / "serbench")
    return relative.parts[0].removesuffix(".py")


def _imported(path: Path) -> Iterator[str]:
    """The serbench packages that a module imports, at any place in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("serbench."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "serbench":
            yield from (alias.name for alias in node.names if alias.name in RANK)
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith("serbench.")
            )


def test_imports_follow_the_pipeline() -> None:
    backwards = [
        f"{path}: {own} imports {name}"
        for path in SOURCES
        if path.name != "__init__.py" or path.parent.name != "serbench"
        for own in [_package(path)]
        for name in {*_imported(path)} - {own}
        if RANK[name] >= RANK[own]
    ]
    assert not backwards, "\n".join(backwards)


def test_few_modules_stand_in_the_hall() -> None:
    modules = [path.name for path in SOURCES if path.parent.name == "serbench"]
    assert "errors.py" in modules and len(modules) <= HALL, modules


def test_only_the_command_line_prints_or_exits() -> None:
    offenders = []
    for path in SOURCES:
        # report/show.py is what prints tables for cli
        if _package(path) in ("cli", "__main__") or path.name == "show.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.exit", "exit", "quit"):
                offenders.append(f"{path.name}:{node.lineno}")
    assert not offenders


@pytest.mark.parametrize(
    ("files", "most"),
    [([*SOURCES, *GENERATORS, *RUNNERS, *RUNNERS_IN_PYTHON], LINES_OF_A_FILE), (TESTS, LINES_OF_TESTS)],
    ids=["sources", "tests"],
)
def test_files_stay_readable(files: Sequence[Path], most: int) -> None:
    lines = {str(path.relative_to(PROJECT)): len(path.read_text().splitlines()) for path in files}
    assert not {path: count for path, count in lines.items() if count > most}


def test_functions_stay_readable() -> None:
    lengths = {
        f"{path.relative_to(PROJECT)}:{node.lineno}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in [*SOURCES, *GENERATORS, *RUNNERS_IN_PYTHON]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert not {name: length for name, length in lengths.items() if length > LINES_OF_A_FUNCTION}


def test_no_line_is_longer_than_fits() -> None:
    patterns = [*(f"*.{ending}" for ending in WRITTEN), "*CMakeLists.txt", ":!tests/golden", ":!docs/assets"]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    files = [PROJECT / name for name in listed.split("\0") if name]
    assert len(files) > 500
    long = [
        f"{path.relative_to(PROJECT)}:{number}: {len(line)} columns, expected at most {COLUMNS}"
        for path in files
        if path.exists()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line.partition("  # type: ")[0].partition("  # noqa: ")[0]) > COLUMNS  # as ruff counts
    ]
    assert not long, "\n".join(long)


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(p) for p in SOURCES if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))
    ]
    assert not silent
