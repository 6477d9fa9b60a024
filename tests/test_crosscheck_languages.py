"""Tests of the cross-check programs of every language: each takes samples by serbench's sampler and by
that of another benchmark library, which takes as many samples as it is asked for."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from tests.support import NATIVE, PATHS, all_workloads, build_of

from serbench.building.prepare import known_variants, prepare_builds, toolchains
from serbench.codecs.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.doctor.crosscheck import find_other, other_samplers
from serbench.errors import SelectionError, SetupError
from serbench.languages import languages
from serbench.languages.base import CrossChecks, Found, OtherSampler
from serbench.measure.job import Job, Permission
from serbench.paths import PROJECT, Paths
from serbench.selecting.selection import Chosen, select_variants
from serbench.workload import parse_workload

ABLE = {name: each.other_sampler for name, each in languages().items() if each.other_sampler}
HOME = Paths.default().home / "test" / "crosscheck"
CELLS = "serialize:reuse,deserialize:reuse"


def test_a_plain_cross_check_is_of_the_language_of_a_plain_run() -> None:
    paths = Paths(PROJECT, HOME)
    usual = {variant.codec.language for variant in select_variants((), known_variants(paths))}
    assert other_samplers((), paths) == [other for name, other in ABLE.items() if name in usual] != []
    assert other_samplers([*ABLE], paths) == [*ABLE.values()]
    with pytest.raises(SelectionError, match="unknown language with another sampler 'jvm'"):
        other_samplers(["jvm"], paths)


@pytest.mark.parametrize("name", ABLE)
def test_three_codecs_of_its_own_are_cross_checked(name: str) -> None:
    chosen = select_variants(ABLE[name].codecs, known_variants(Paths(PROJECT, HOME)))
    assert [variant.codec.language for variant in chosen] == [name] * 3


class Nothing:
    """A toolchain for which the benchmark library to compare with cannot be installed."""

    def other_found(self) -> Found:
        return Found(False, "", "no network")


def test_what_a_language_brings_itself_is_no_system_package() -> None:
    other, said = OtherSampler("another", "another", (), "monsters"), list[str]()
    with pytest.raises(SetupError) as error:
        find_other(cast(Any, None), cast(Any, Nothing()), other, Permission(install=True), said.append)
    assert str(error.value) == "another is not installed (no network)" and not said


@dataclass(frozen=True)
class Program:
    """A program of one codec that contains our sampler and another library's, with a small dataset."""

    other: OtherSampler
    able: CrossChecks
    variant: Variant
    dataset: str

    def command(self, sampler: str) -> tuple[str, ...]:
        return self.able.cross_check(self.variant, self.other.workload, sampler)

    def say(self, sampler: str, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.command(sampler), *words], capture_output=True, text=True, timeout=300)

    def samples(self, sampler: str, options: Sequence[str]) -> list[dict[str, Any]]:
        words = ["measure", "--dataset", self.dataset, "--cells", CELLS, "--warmup-ns", "200000000", *options]
        done = self.say(sampler, words)
        assert done.returncode == 0, done.stderr
        first, *between, last = (json.loads(line) for line in done.stdout.splitlines())
        assert (first["event"], last["event"]) == ("hello", "done")
        assert first["codec"] in (self.variant.id, self.variant.id.removesuffix(":default"))
        return between


@pytest.fixture(scope="module", name="program", params=[*ABLE])
def built_program(request: pytest.FixtureRequest) -> Iterator[Program]:
    """The cross-check program of a language. If other tests compile code of that language, it is built in
    their folder, so that libraries are compiled once."""
    name = request.param
    if name == "rust" and not request.config.getoption("all"):
        pytest.skip("rust, whose other sampler takes a minute to compile, is left to ./serbench test --all")
    other, paths = ABLE[name], PATHS if name in NATIVE else Paths(PROJECT, HOME)
    (variant, *_) = select_variants(other.codecs[:1], known_variants(paths))
    spec = parse_workload(f"{other.workload}:count=5", all_workloads())
    if name in NATIVE:
        build = build_of(name, paths, list(all_workloads().values()))
    else:
        (build,) = toolchains(paths, [variant])
    able = build.cross_checks
    assert able
    try:
        job = Job(paths, Chosen([variant], [spec]), [build], Permission(install=True))
        (unit,) = prepare_builds(job)
        find_other(build, able, other, Permission(install=True), lambda _: None)
    except SetupError as error:
        pytest.skip(str(error))
    if unit.status == "not_installed":
        pytest.skip(unit.reason)
    assert able.build_cross_check([unit.pair], lambda *_: None) == {}
    yield Program(other, able, variant, str(dataset_for(spec, paths).path))


@pytest.mark.native
def test_both_samplers_say_the_same_kind_of_thing(program: Program) -> None:
    said = []
    for sampler in ("serbench", program.other.name):
        taken = program.samples(sampler, ["--samples", "3", "--sample-ns", "3000000"])
        assert [each["operation"] for each in taken] == ["serialize"] * 3 + ["deserialize"] * 3
        for each in taken:
            assert min(each["iterations"], each["elapsed_ns"], each["own_ns"]) > 0, each
        said.append({key for each in taken for key in each})
    ours, theirs = said
    assert {"waited_ns", "stolen_ns", "involuntary_switches", "warmups", "settled"} <= theirs <= ours


@pytest.mark.native
def test_a_sampler_that_it_does_not_have_is_refused(program: Program) -> None:
    done = program.say("nobody", ["describe"])
    assert done.returncode == 1
    assert f"found sampler 'nobody', expected serbench or {program.other.name}" in done.stderr


@pytest.mark.native
def test_what_fails_fails_under_the_other_sampler_too(program: Program) -> None:
    words = ["measure", "--dataset", program.dataset, "--cells", "nothing:reuse"]
    done = program.say(program.other.name, words)
    assert done.returncode == 1
    assert '"event":"error"' in done.stdout.replace('": "', '":"')
