"""Tests that every test can fail: it asserts something itself, or calls a function of the tests that does."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from serbench.paths import PROJECT

WITHOUT: dict[str, str] = {}
"""Tests that may assert nothing, as ``module.test``, each with the reason."""

FAILING = {"raises", "fail", "warns", "deprecated_call"}
"""Functions of pytest that fail a test if something expected does not happen."""


@dataclass(frozen=True)
class Function:
    """A function of a test module.

    Attributes:
        asserts: whether the function contains an assertion.
        calls: names of the functions and methods that the function calls.
    """

    name: str
    asserts: bool
    calls: frozenset[str]


def functions_of(tree: ast.Module) -> Iterator[Function]:
    """The functions of a module and the methods of its classes, each together with the functions inside
    it."""
    names = (alias for node in tree.body if isinstance(node, ast.Import) for alias in node.names)
    outside = {alias.asname or alias.name.partition(".")[0] for alias in names}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in chain(tree.body, *(each.body for each in classes)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            within = [each for each in ast.walk(node) if isinstance(each, ast.Assert | ast.Call | ast.Raise)]
            called = (_called(each.func, outside) for each in within if isinstance(each, ast.Call))
            yield Function(node.name, any(map(_asserts, within)), frozenset(filter(None, called)))


def _asserts(node: ast.AST) -> bool:
    match node:
        case ast.Assert():
            return True
        case ast.Call(ast.Attribute(ast.Name("pytest"), name)):
            return name in FAILING
        case ast.Call(ast.Attribute(ast.Call(ast.Name("expect")), _)):
            return True  # an expectation of a page in a browser
        case ast.Call(ast.Attribute(_, name)):
            return name.startswith("assert_")  # a mock has such methods
        case ast.Raise(ast.Call(ast.Name("AssertionError"))) | ast.Raise(ast.Name("AssertionError")):
            return True
    return False


def _called(function: ast.expr, outside: set[str]) -> str:
    """The name of the called function or method; empty if it belongs to a module that is ``outside`` of the
    tests, such as ``subprocess.run``."""
    match function:
        case ast.Attribute(ast.Name(module), _) if module in outside:
            return ""
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def imported(tree: ast.Module, modules: Iterable[str]) -> Iterator[str]:
    """The test modules from which a module imports something."""
    known = set(modules)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tests"):
            named = {node.module.removeprefix("tests."), *(alias.name for alias in node.names)}
            yield from sorted(named & known)


def asserting_nothing(sources: Mapping[str, str]) -> list[str]:
    """Tests without any assertion in ``sources``, which maps test modules to their text; as ``module.test``.

    A called function is looked up by its name, in the test's own module and in the modules from which that
    one imports.
    """
    trees = {module: ast.parse(source) for module, source in sources.items()}
    functions = {module: list(functions_of(tree)) for module, tree in trees.items()}
    reach = {module: [module, *imported(tree, trees)] for module, tree in trees.items()}
    able = {(module, f.name) for module, found in functions.items() for f in found if f.asserts}
    grows = True
    while grows:
        found = {
            (module, function.name)
            for module, held in functions.items()
            for function in held
            if any((near, name) in able for near in reach[module] for name in function.calls)
        }
        grows = not found <= able
        able |= found
    return [
        f"{module}.{function.name}"
        for module, held in functions.items()
        for function in held
        if function.name.startswith("test_") and (module, function.name) not in able
    ]


def test_every_test_asserts_something() -> None:
    sources = {path.stem: path.read_text() for path in sorted((PROJECT / "tests").glob("*.py"))}
    assert asserting_nothing(sources) == sorted(WITHOUT)


MADE_UP = {
    "elsewhere": "def check_elsewhere(): assert True\n",
    "helpers": "def run(): assert True\ndef passes_on(): run()\ndef does_nothing(): pass\n",
    "test_made_up": """
import subprocess
from tests.helpers import does_nothing, passes_on
class Held:
    def check_all(self): raise AssertionError("no")
def test_of_its_own(): assert 1
def test_that_raises():
    with pytest.raises(ValueError): int("x")
def test_by_a_helper(): passes_on()
def test_by_a_method(): Held().check_all()
def test_of_a_mock(mock): mock.assert_called_once()
def test_of_a_page(page): expect(page.locator("h1")).to_be_visible()
def test_that_calls_what_does_nothing(): does_nothing()
def test_that_prints(): print(1)
def test_of_another_module(): subprocess.run(["true"])
def test_by_a_name_that_is_not_imported(): check_elsewhere()
""",
}


def test_a_test_that_cannot_fail_is_found() -> None:
    assert asserting_nothing(MADE_UP) == [
        "test_made_up.test_that_calls_what_does_nothing",
        "test_made_up.test_that_prints",
        "test_made_up.test_of_another_module",
        "test_made_up.test_by_a_name_that_is_not_imported",
    ]
