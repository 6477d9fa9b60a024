"""Counts what makes sources long or hard to read: lines, modules in no package, names that several classes
have, dangling openings.

``python -m tests.house`` prints the counts; ``python -m tests.house src/serbench/stats …`` prints the
dangling openings of some folders or files, each with its place.

A dangling opening is a docstring or a comment that begins with a relative clause whose noun the reader has to
guess, such as "What came of it".
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

WRITTEN = ("src", "codecs", "workloads", "runners", "examples", "tests")
"""The folders whose Python people write."""

GENERATED = ("golden", "__pycache__", "node_modules", "target")
"""The names of folders whose files are generated; their Python is not counted."""

DANGLING = re.compile(r"(what|that|of|by|who|where|likewise)\b", re.IGNORECASE)
_PERHAPS = re.compile(rf"#[#:! ]*{DANGLING.pattern}", re.IGNORECASE)
"""A pattern that matches somewhere in every module with a dangling comment; only modules in which it matches
are read token by token, since that is slow."""

_SECTION = re.compile(r"(?P<indent> *)((?P<named>Args|Attributes|Raises)|Returns|Yields):")
_NAME = re.compile(r"[\w*.`, ]+: ")


def python_files(*places: Path) -> list[Path]:
    """The Python files in folders, without generated ones; the path of a file gives that file."""
    found = [path for place in places for path in (place.rglob("*.py") if place.is_dir() else [place])]
    return sorted(path for path in found if not set(path.relative_to(PROJECT).parts) & set(GENERATED))


def dangling(source: str) -> list[tuple[int, str]]:
    """The dangling openings of a module's docstrings, of the entries in docstrings, and of comments: the line
    and the first line of text of each."""
    found: list[tuple[int, str]] = []
    for line, text in _docstrings(ast.parse(source)):
        found += [(line, text), *_entries(line, text)]
    if _PERHAPS.search(source):
        found += _comments(source)
    first_lines = ((line, text.strip().partition("\n")[0]) for line, text in found)
    return sorted((line, text) for line, text in first_lines if DANGLING.match(text))


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of modules, classes and functions, and those below an attribute or a constant."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        for before, statement in zip([None, *body], body, strict=False):
            after_name = isinstance(before, (ast.Assign, ast.AnnAssign))
            if after_name or (documented and before is None):
                match statement:
                    case ast.Expr(ast.Constant(str(text))):
                        yield statement.lineno, text


def _entries(line: int, docstring: str) -> Iterator[tuple[int, str]]:
    """The texts of the entries below ``Args:`` and similar headings; an entry is indented by four columns
    more than its heading."""
    section: re.Match[str] | None = None
    for number, text in enumerate(docstring.splitlines(), line):
        if heading := _SECTION.fullmatch(text):
            section = heading
        elif section and re.match(section["indent"] + r" {4}\S", text):
            entry = text.strip()
            yield number, _NAME.sub("", entry, count=1) if section["named"] else entry
            section = section if section["named"] else None  # the text on a result may take several lines


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """The comments that begin with ``#``; consecutive lines of comments are one."""
    before = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            alone = not token.line[:column].strip()
            if not (alone and line == before + 1):
                yield line, token.string.lstrip("#:! ")
            before = line if alone else 0


def class_names(files: Iterable[Path]) -> dict[str, list[Path]]:
    """The name of each class → the modules that define a class of this name."""
    defined: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        tree = ast.parse(path.read_text())
        for name in {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}:
            defined[name].append(path)
    return defined


def _lines(files: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in files)


def _package(path: Path) -> str:
    """The package of serbench, or the folder of the project, under which the dangling openings of a file are
    counted."""
    parts = path.relative_to(PROJECT).parts
    return "/".join(parts[:3]) if parts[0] == "src" else parts[0]


def dangling_by_package() -> Counter[str]:
    """The number of dangling openings in all Python that people write, by package."""
    found: Counter[str] = Counter()
    for path in python_files(*(PROJECT / folder for folder in WRITTEN)):
        found[_package(path)] += len(dangling(path.read_text()))
    return found


def counts() -> Iterator[str]:
    """The lines that ``python -m tests.house`` prints, one for each count."""
    source, codecs = PROJECT / "src" / "serbench", PROJECT / "codecs"
    modules = python_files(source)
    generators = [path for path in python_files(codecs) if path.name != "adapter.py"]
    glue = [path for path in generators if path.name == "glue.py"]
    yield f"{_lines([*modules, *glue]):7,} lines of Python in src/serbench and codecs/**/glue.py"
    yield f"{_lines(set(generators) - set(glue)):7,} lines of Python beside glue.py, without adapters"
    golden = [path for path in (PROJECT / "tests" / "golden").rglob("*") if path.is_file()]
    yield f"{_lines(path for path in golden if '__pycache__' not in path.parts):7,} lines of golden files"
    yield f"{len(list(source.glob('*.py'))):7,} modules in the hall, src/serbench/*.py"
    shared = {name: len(paths) for name, paths in class_names(modules).items() if len(paths) > 1}
    yield f"{len(shared):7,} names of classes that more than one module defines"
    for name, count in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:11,} {name}"
    by_package = dangling_by_package()
    yield f"{by_package.total():7,} dangling openings of docstrings, their entries and comments"
    yield from (f"{count:11,} {package}" for package, count in by_package.most_common() if count)


def main() -> None:
    if not sys.argv[1:]:
        print("\n".join(counts()))
    for path in python_files(*(Path(name).resolve() for name in sys.argv[1:])):
        for line, text in dangling(path.read_text()):
            print(f"{path.relative_to(PROJECT)}:{line}: {text}")


if __name__ == "__main__":
    main()
