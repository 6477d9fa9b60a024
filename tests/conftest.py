"""Fixtures, the choice of tests that a run leaves out, and the settings of property tests."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from tests import support
from tests.skipped import summary
from tests.support import NATIVE, PATHS, Native, asked_for, build_matrix, compile_quickly

from serbench.building import experience
from serbench.codecs.codec import Codec, Variant
from serbench.languages.base import Found
from serbench.languages.cpp.configure import Configuration
from serbench.languages.install import install, install_command, may_install

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Random schemas are drawn by filtering names and nestings, and the machine is shared: neither how many draws
# are thrown away nor how long one takes is a fault. CI draws the same examples each time, so that it fails
# for a change's own sake.
settings.register_profile(
    "serbench",
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("serbench")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutations",
        type=int,
        default=20,
        help="mutants of each kind of file that is read; 5000 take an hour",
    )
    parser.addoption(
        "--published", action="store_true", help="fetch schemas and data that people publish, and import them"
    )
    parser.addoption("--large", action="store_true", help="make files of a gigabyte, and import them")
    parser.addoption(
        "--all", action="store_true", help="every codec with every workload, in place of one or two for each"
    )
    parser.addoption(
        "--kills", type=int, default=3, help="how often a client, a scheduler or a worker is killed"
    )
    parser.addoption(
        "--schemas", type=int, default=0, help="drawn schemas that every codec is built with; none if 0"
    )
    parser.addoption(
        "--edition", type=int, default=0, help="of the type model, whose schemas are drawn; each of both if 0"
    )
    parser.addoption(
        "--first-variants", action="store_true", help="drawn schemas: of each codec its first variant alone"
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help="skip tests that build or take long, and draw a fifth of the examples",
    )
    parser.addoption(
        "--codec", action="append", default=[], metavar="PATTERN", help="only the tests of these codecs"
    )


def pytest_configure(config: pytest.Config) -> None:
    # Two processes that build in the same folders would spoil each other's work, and nothing would say so.
    if config.getoption("dist", "no") not in ("no", "loadgroup"):
        raise pytest.UsageError("tests that share builds need --dist=loadgroup, as ./serbench test has it")
    # Hundreds of processes of tests would each compile serbench's sources.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if config.getoption("quick") or config.getoption("all"):  # before the modules with examples are imported
        support.SHARE = 10 if config.getoption("quick") else 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests that the options do not ask for, and remembers the reasons."""
    codecs = {v.codec.id for v in asked_for(config)} if config.getoption("codec") else set()
    left_out = {
        item: reason for item in items if (reason := _left_out(item, config.getoption("quick"), codecs))
    }
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    config.stash[_LEFT_OUT] = Counter(left_out.values())


BUILT_APART = ("jvm", "javascript", "python")
"""Languages whose tests of real codecs are in files ``test_NAME...`` and share no build with other tests, so
that another process may run them."""

BUILD_WITH_THEM = (
    *("test_blame", "test_changes_together", "test_determinism", "test_evolution", "test_old_and_new"),
    *("test_promises", "test_relays", "test_writers_schema"),
)
"""Files whose tests build in the same place as those of ``BUILT_APART``, unless a codec of another language
is among their parameters."""

IN_PLACES_OF_THEIR_OWN = {
    "test_cluster_programs": "cluster programs",
    "test_docs": "docs",
    "test_install": "install",
    "test_planted_costs": "planted",
    "test_trick_hands": "tricks",
    "test_trick_reads": "tricks",
    "test_tricks": "tricks",
}
"""File → the folder in which its tests of real codecs build, and in which no other file's tests do."""


def pytest_itemcollected(item: pytest.Item) -> None:
    if group := _group_of(item):
        item.add_marker(pytest.mark.xdist_group(group))


def _group_of(item: pytest.Item) -> str:
    """The group of a test: one process runs all tests of a group in order, since they share builds or a
    browser. Empty for a test that any process may run."""
    if slow := item.get_closest_marker("slow"):
        return str(slow.args[0])
    if not item.get_closest_marker("native"):
        return ""
    if item.path.stem in IN_PLACES_OF_THEIR_OWN:
        return f"native, {IN_PLACES_OF_THEIR_OWN[item.path.stem]}"
    apart = item.path.name.startswith(tuple(f"test_{name}" for name in BUILT_APART))
    if item.path.stem in BUILD_WITH_THEM:
        apart = not any(id.partition("/")[0] in NATIVE for id in _codecs_of(item))
    return "native, built apart" if apart else "native"


_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tells the process that prints the summary which tests were left out, where several processes run tests;
    they are the same in every process."""
    left_out = session.config.stash.get(_LEFT_OUT, Counter())
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    left_out: dict[str, int] = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[_LEFT_OUT] = Counter(left_out)


def _left_out(item: pytest.Item, quick: bool, codecs: set[str]) -> str | None:
    """The reason why a test is left out; None if the test runs."""
    if quick and item.get_closest_marker("native"):
        return "build and run real codecs"
    if quick and (slow := item.get_closest_marker("slow")):
        return str(slow.args[0])
    if codecs and not codecs & set(_codecs_of(item)) and not item.get_closest_marker("whatever_was_built"):
        return "are of no codec that was asked for"
    return None


def _codecs_of(item: pytest.Item) -> Iterator[str]:
    """The ids of the codecs that a test has among its parameters."""
    parameters: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    for value in parameters.values():
        if isinstance(value, Variant | Codec):
            yield value.codec.id if isinstance(value, Variant) else value.id
        elif isinstance(value, str):
            yield value.partition(":")[0]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = dict(config.stash.get(_LEFT_OUT, Counter()).most_common())
    skipped = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())]
    reasons = [reason.removeprefix("Skipped: ") for reason in skipped]
    for line in summary(left_out, reasons, told=bool({*"sSaA"} & {*terminalreporter.reportchars})):
        terminalreporter.write_line(line)
    if config.getoption("quick"):
        terminalreporter.write_line(
            "left out: four fifths of the examples that are drawn; ./serbench test runs everything"
        )


@pytest.fixture(scope="session", autouse=True)
def as_wide_as_no_terminal() -> Iterator[None]:
    """Sets the width of the terminal, on which the columns of a table depend, to the width that tests
    expect."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "120")
        yield


@pytest.fixture(scope="session", autouse=True)
def nobody_crowds_the_machine() -> Iterator[None]:
    """Has no load count in what is foreseen: beside other tests there always is some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experience, "crowding", lambda: 1.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def libraries_are_looked_for_once() -> Iterator[None]:
    """Has CMake look for missing libraries once in a process and in each folder of builds that tests keep. It
    takes seconds, commands look each time, and on most machines some library is missing."""
    update, looked = Configuration.update, set[Path]()

    def once(self: Configuration, lists: Sequence[Path], *selected: Collection[str]) -> dict[str, Found]:
        if self.directory in looked and self._stamp(lists).holds():
            return self.read()
        if PATHS.home.parent in self.directory.parents:
            looked.add(self.directory)
        return update(self, lists, *selected)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Configuration, "update", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_programs_are_compiled_quickly(request: pytest.FixtureRequest) -> Iterator[None]:
    """Has compilers optimize the programs that tests share less than those of people: one of C++ takes three
    quarters of the time then, and one of Rust a fifth. Tests of commands, and all with ``--all``, have
    programs as people have them."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.config.getoption("all"):
            compile_quickly(patch)
        yield


@pytest.fixture(scope="session")
def native(request: pytest.FixtureRequest) -> Native:
    """Builds every codec that was asked for with small data, once; the builds are kept from one test run to
    the next."""
    return build_matrix(request.config.getoption("all"), asked_for(request.config))


MOST_MS = 30_000
"""The most milliseconds to wait in a browser: much more than needed, since a busy machine may be slow."""


@pytest.fixture(scope="session", name="browser")
def a_browser() -> Iterator[Browser]:
    """Debian's Chromium, installed first if installing is allowed. All tests share it, since a process can
    have only one driver of browsers."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=MOST_MS)
    if not shutil.which("chromium"):
        if not may_install():
            pytest.skip(f"needs a browser, and may not install one; get it: {install_command(['chromium'])}")
        install(["chromium"], lambda _: None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()
