"""Tests of units, step by step: what each step adds, and the state of units that fail in one. The toolchain
is made up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
import typer
from tests.support import fake_unit
from typer.testing import CliRunner

from serbench.building import prepare
from serbench.building.prepare import Listener, prepare_builds
from serbench.cli.grouped import grouped
from serbench.codecs.codec import Codec, Variant
from serbench.dataset.cache import dataset_for
from serbench.errors import BuildError, SetupError
from serbench.languages.base import Failures, Found, Pair, Progress, Toolchain
from serbench.measure.job import Job, Permission
from serbench.measure.plan import Task
from serbench.measure.unit import Unit, Verification
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, select_operations
from serbench.workload import load_workloads, parse_workload

VARIANTS = load_variants(Paths.default().codecs)
GOT = Found(True, "1.0", "")
MISSING = Found(False, "", "no header")


@dataclass
class MadeUp:
    """A toolchain that has the libraries of ``found``, and fetches that of ``fetched``; it builds everything
    except ``faulty``."""

    name: str
    found: dict[str, Found]
    fetched: str = ""
    faulty: str = ""
    refuses: Exception | None = None
    language: str = "cpp"
    edition: None = None
    notice: str = "what is set is left out"
    built: list[Pair] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def fetches(self) -> MadeUp:
        return self

    def own(self, variant: Variant) -> Variant:
        return variant

    def notices(self) -> Sequence[str]:
        return (self.notice,)

    def missing_packages(self) -> Sequence[str]:
        return ()

    def configure(self) -> None:
        if self.refuses:
            raise self.refuses
        self.found.update(dict.fromkeys(self.asked, GOT))

    def can_fetch(self, codec: Codec) -> bool:
        return codec.name == self.fetched

    def fetch(self, codecs: Sequence[Codec], announce: Callable[[str], None]) -> None:
        self.asked += [codec.name for codec in codecs]

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        self.built = list(pairs)
        return {
            (v.id, workload): "expected a brace" for v, workload in self.built if v.codec.name == self.faulty
        }

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return (f"{self.name}/{variant.codec.name}.{workload}",)


def built(
    home: Path,
    builds: list[MadeUp],
    codecs: list[str],
    *,
    fetch: bool = False,
    announce: Callable[[str], None] = print,
) -> list[Unit]:
    """The units of codecs on the workload ``graph``, which some of them cannot do, as they are after their
    programs were built by the toolchains ``builds``."""
    paths = Paths(PROJECT, home)
    specs = [parse_workload("graph:nodes=5", load_workloads(paths.workloads))]
    chosen = [VARIANTS[codec] for codec in codecs]
    may, made = Permission(install=fetch, fetch=fetch), cast("list[Toolchain]", builds)
    return prepare_builds(Job(paths, Chosen(chosen, specs), made, may), Listener(announce))


def told(units: Iterable[Unit]) -> dict[str, tuple[str, str]]:
    return {unit.name: (unit.status, unit.reason.partition(";")[0]) for unit in units}


def test_a_unit_gets_its_command_or_the_reason_why_it_has_none(tmp_path: Path) -> None:
    build = MadeUp("c", {"cereal": GOT, "iostream": GOT, "boost": MISSING}, faulty="iostream")
    graph = load_workloads(PROJECT / "workloads")["graph"].schema
    cannot = next(
        id for id, variant in VARIANTS.items() if variant.codec.language == "cpp" and variant.why_not(graph)
    )
    units = built(tmp_path, [build], ["cpp/cereal", "cpp/iostream", "cpp/boost", cannot])
    found = told(units)
    assert found["cpp/cereal"] == ("ok", "")
    assert found["cpp/iostream"] == ("failed", "did not build: expected a brace")
    assert found["cpp/boost"] == ("not_installed", "no header")
    assert found[cannot][0] == "unsupported" and found[cannot][1]
    assert [unit.command for unit in units if unit.status == "ok"] == [("c/cereal.graph",)]
    assert {unit.data.messages for unit in units} == {1} and {unit.edge.messages for unit in units} == {32}
    assert cannot not in {variant.id for variant, _ in build.built}


@pytest.mark.parametrize("fetch", [False, True])
def test_what_no_package_manager_has_is_fetched_only_where_that_is_permitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fetch: bool
) -> None:
    monkeypatch.setattr(prepare, "may_install", lambda: False)  # nothing is installed for a test
    build = MadeUp("c", {"boost": MISSING, "cereal": MISSING}, fetched="boost")
    found = told(built(tmp_path, [build], ["cpp/boost", "cpp/cereal"], fetch=fetch))
    assert build.asked == (["boost"] if fetch else [])
    assert found["cpp/boost"][0] == ("ok" if fetch else "not_installed")
    assert found["cpp/cereal"] == ("not_installed", "no header")


@pytest.mark.parametrize(
    ("error", "status"), [(SetupError("no gcc"), "not_installed"), (BuildError("it failed"), "failed")]
)
def test_a_toolchain_that_does_not_work_costs_its_own_units(
    tmp_path: Path, error: Exception, status: str
) -> None:
    builds = [MadeUp("good", {"cereal": GOT}), MadeUp("bad", {}, refuses=error)]
    found = told(built(tmp_path, builds, ["cpp/cereal"]))
    assert found == {"cpp/cereal good": ("ok", ""), "cpp/cereal bad": (status, str(error))}
    with pytest.raises(type(error), match=str(error)):
        built(tmp_path, builds[1:], ["cpp/cereal"])


def test_what_several_toolchains_find_in_the_environment_is_told_once(tmp_path: Path) -> None:
    said: list[str] = []
    builds = [MadeUp("one", {"cereal": GOT}), MadeUp("two", {"cereal": GOT}, notice="of its own")]
    built(tmp_path, [*builds, MadeUp("three", {"cereal": GOT})], ["cpp/cereal"], announce=said.append)
    assert said == ["what is set is left out", "of its own"]


def test_what_is_measured_of_a_unit_is_what_it_offers(tmp_path: Path) -> None:
    paths = Paths(PROJECT, tmp_path)
    data = dataset_for(parse_workload("graph:nodes=5", load_workloads(paths.workloads)), paths)
    asked = select_operations(["serialize", "decode"], [])
    verification = Verification(True, "", operations=("decode", "encode"), views=("decode",))
    unit = fake_unit("fake/a", data, compiler="c", command=("runner",), verification=verification)
    task = Task.of(unit, asked)
    assert task and list(map(str, task.operations)) == ["decode:reuse"]
    assert (task.identity, task.command, task.dataset, task.views) == (
        unit.identity,
        ("runner",),
        str(data.path),
        ("decode",),
    )
    assert Task.of(unit, asked[:1]) is None
    assert Task.of(replace(unit, status="failed"), asked) is None
    assert Task.of(replace(unit, verification=None), asked) is None


@dataclass(frozen=True)
class _Group:
    number: Annotated[int | None, typer.Option(help="A number.")] = None
    flag: Annotated[bool, typer.Option("--flag", help="A flag.")] = False


def test_a_command_may_take_its_options_in_groups() -> None:
    taken: list[Any] = []

    def command(
        name: Annotated[str, typer.Argument(help="A name.")],
        group: _Group,
        other: Annotated[int, typer.Option(help="Another.")] = 7,
    ) -> None:
        """What it does. (The help has to show this made-up text.)"""
        taken.append((name, group, other))

    app = typer.Typer()
    app.command()(grouped(command))
    assert CliRunner().invoke(app, ["x", "--number", "3", "--other", "8"]).exit_code == 0
    assert CliRunner().invoke(app, ["y", "--flag"]).exit_code == 0
    assert taken == [("x", _Group(3), 8), ("y", _Group(flag=True), 7)]
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "What it does." in shown and shown.index("--number") < shown.index("--flag") < shown.index(
        "--other"
    )
