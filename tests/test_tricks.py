"""Tests of adapters that cheat: verification catches each of them, and says what it has seen."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import TRICKS, has_namespaces, sharing

from serbench.building.prepare import prepare_builds
from serbench.languages import languages
from serbench.languages.base import BuildOrder, Toolchain
from serbench.measure.conversation import Samples
from serbench.measure.job import Job
from serbench.measure.process import measuring_core, pinned, run_runner
from serbench.measure.said import SampleSaid
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.contract import verify
from serbench.workload import load_workloads, parse_workload

pytestmark = pytest.mark.native

VARIANTS = {v.id: v for v in load_variants(Path(__file__).parent / "tricks" / "codecs").values()}

REMEMBERED = "does not match message 0 after its values changed: the timed code returns remembered results"
OF_OTHERS = "does not round-trip: message"
"""The beginning of the error about a trick that remembers results by a message's address, if a message of
other data had that address in the same process; if none had, edits reveal the trick."""

UNSEEN = "times as long for new messages as for known ones: the timed code returns remembered results"
CAUGHT = {
    "cpp/tricks:by_address": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "cpp/tricks:by_address_copy": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "cpp/tricks:by_fingerprint": f"the result of encode {REMEMBERED}",
    "cpp/tricks:in_static": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "cpp/tricks:same_bytes": REMEMBERED,
    "cpp/tricks:command_line": f"the result of encode {REMEMBERED}",
    "cpp/tricks:honest_at_first": REMEMBERED,
    "cpp/tricks:beside": "truncated: 4 bytes are needed, 0 are left"
    if has_namespaces()
    else "bits of entropy",
    "cpp/tricks:reads_past": "the runner was killed by signal 11",
    "cpp/tricks:forks": "the runner left processes behind, which were killed: ",
    "cpp/tricks:threads": "some are still at work when no operation runs",
    "cpp/tricks:prints": "something else than the runner printed on standard output",
    "cpp/tricks_clock": "clock_gettime disagrees with the system's clock",
    "cpp/tricks_floor": "the adapter declares itself a floor, which leaves out build and extract",
    "go/tricks:by_address": (
        OF_OTHERS,
        f"the result of encode {REMEMBERED}",
        f"the result of serialize {REMEMBERED}",
    ),
    "go/tricks:in_static": (
        OF_OTHERS,
        f"the result of encode {REMEMBERED}",
        f"the result of serialize {REMEMBERED}",
    ),
    "go/tricks:honest_at_first": REMEMBERED,
    "go/tricks:same_bytes": REMEMBERED,
    "go/tricks:beside": "serbench-trick-" if has_namespaces() else "bits of entropy",
    "go/tricks:reads_past": "panicked: it reads or writes memory that is not its own",
    "go/tricks:threads": "some are still at work when no operation runs",
    "go/tricks:prints": "something else than the runner printed on standard output",
    "rust/tricks:by_address": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "rust/tricks:by_fingerprint": f"the result of encode {REMEMBERED}",
    "rust/tricks:in_static": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "rust/tricks:honest_at_first": REMEMBERED,
    "rust/tricks:same_bytes": REMEMBERED,
    "rust/tricks:later": "decode:reuse does not round-trip: message",
    "rust/tricks:beside": "No such file or directory" if has_namespaces() else "bits of entropy",
    "rust/tricks:reads_past": "the runner was killed by signal 11",
    "rust/tricks:threads": "some are still at work when no operation runs",
    "rust/tricks:prints": "something else than the runner printed on standard output",
    "c/tricks:by_address": (OF_OTHERS, f"the result of encode {REMEMBERED}"),
    "c/tricks:by_fingerprint": f"the result of encode {REMEMBERED}",
    "c/tricks:honest_at_first": REMEMBERED,
    "c/tricks:same_bytes": REMEMBERED,
    "c/tricks:beside": "cannot write a file beside" if has_namespaces() else "bits of entropy",
    "c/tricks:reads_past": "the runner was killed by signal 11",
    "c/tricks:threads": "some are still at work when no operation runs",
    "c/tricks:prints": "something else than the runner printed on standard output",
    "python/tricks:by_identity": f"the result of encode {REMEMBERED}",
    "python/tricks:by_content": UNSEEN,
    "python/tricks:by_fingerprint": f"the result of encode {REMEMBERED}",
    "python/tricks:late": "message 0 is of the class cell.adapter.Later, expected Monsters",
    "python/tricks:beside": "Read-only file system" if has_namespaces() else "bits of entropy",
    "python/tricks:threads": "some are still at work when no operation runs",
    "python/tricks:elsewhere": OF_OTHERS,
    "python/tricks:prints": "something else than the runner printed on standard output",
    "jvm/tricks:by_identity": UNSEEN,
    "jvm/tricks:by_array": "the result of decode does not match message",
    "jvm/tricks:by_content": UNSEEN,
    "jvm/tricks:beside": "Read-only file system" if has_namespaces() else "bits of entropy",
    "jvm/tricks:threads": "some are still at work when no operation runs",
    "javascript/tricks:by_identity": f"the result of encode {REMEMBERED}",
    "javascript/tricks:cached_in_native": UNSEEN,
    "javascript/tricks:by_buffer": "the result of decode does not match message",
    "javascript/tricks:by_content": (OF_OTHERS, UNSEEN, "the result of "),
    "javascript/tricks:plain_objects": "found Object, expected Monsters",
    "javascript/tricks:whole_pool": "a count of ",
    "javascript/tricks:beside": "ENOENT: no such file" if has_namespaces() else "bits of entropy",
    "javascript/tricks:prints": "the runner printed 'encoding'; expected one JSON object",
}
"""Trick → the error about it, or several errors of which it gets one."""


@pytest.fixture(autouse=True)
def cleared() -> Iterator[None]:
    """Removes, after each test, the files that cheating adapters left behind in the system's temporary
    folder."""
    yield
    for pattern in ("serbench-beside-*", "serbench-trick-*"):
        for file in Path(tempfile.gettempdir()).glob(pattern):
            file.unlink(missing_ok=True)


@pytest.fixture(name="units", scope="module")
def built() -> dict[str, Unit]:
    """Builds every adapter that cheats, for the monsters of the published benchmark, which are so large that
    cheating saves time; returns the units."""
    paths = Paths(PROJECT, sharing(TRICKS.home))
    spec = parse_workload("monsters", load_workloads(paths.workloads))
    builds: list[Toolchain] = []
    for name in dict.fromkeys(variant.codec.language for variant in VARIANTS.values()):
        codecs = list({v.codec.id: v.codec for v in VARIANTS.values() if v.codec.language == name}.values())
        builds += languages()[name].toolchains(BuildOrder(paths, codecs, [spec.workload]))
    made = prepare_builds(Job(paths, Chosen(list(VARIANTS.values()), [spec]), builds))
    return {unit.variant.id: unit for unit in made}


def test_each_trick_is_here() -> None:
    harmless = {f"{language}/tricks:{name}" for language in ("cpp", "go") for name in ("leaks", "finishes")}
    harmless.add("javascript/tricks:clock")
    # test_trick_hands.py, test_trick_reads.py and test_trick_updates.py try the others.
    others = {name for name in VARIANTS if name.endswith((":chosen", ":reads", ":updates", ":rewrites"))}
    assert {*CAUGHT, *harmless, *others} == set(VARIANTS)


@pytest.mark.parametrize(("name", "reason"), CAUGHT.items(), ids=CAUGHT)
def test_a_trick_is_caught(name: str, reason: str | tuple[str, ...], units: dict[str, Unit]) -> None:
    unit = units[name]
    assert unit.status == "ok", unit.reason
    found = verify(unit)
    assert not found.ok
    assert any(each in found.reason for each in ([reason] if isinstance(reason, str) else reason)), found


@pytest.mark.parametrize("language", ["cpp", "go"])
def test_memory_that_grows_with_passes_is_told(language: str, units: dict[str, Unit]) -> None:
    unit = replace(units[f"{language}/tricks:leaks"], measured=("serialize", "encode"))
    assert unit.status == "ok", unit.reason
    found = verify(unit)
    assert found.ok
    for cell in ("serialize:reuse", "serialize:fresh", "encode:reuse", "encode:fresh"):
        assert 250 <= found.growth[cell] < 600, found.growth


@pytest.mark.parametrize("language", ["cpp", "go"])
def test_a_thread_that_has_something_to_finish_is_waited_for(language: str, units: dict[str, Unit]) -> None:
    """The thread wakes up at the moments when the runner looks at it, and so always seems ready to run, as
    threads on one core may. The runner must still wait for it."""
    unit = units[f"{language}/tricks:finishes"]
    assert unit.status == "ok", unit.reason
    with pinned(measuring_core()):
        found = [verify(unit) for _ in range(5 if language == "cpp" else 1)]
    assert all(each.ok for each in found), found


def test_a_clock_of_the_codecs_own_is_not_what_javascript_is_timed_by(units: dict[str, Unit]) -> None:
    unit = units["javascript/tricks:clock"]
    assert unit.status == "ok", unit.reason
    words = ["measure", "--dataset", str(unit.data.path), "--cells", "encode:reuse", "--iterations", "10"]
    events = run_runner([*unit.command, *words], Samples(["encode:reuse"], 3), silence_limit_s=60)
    assert all(event.elapsed_ns > 1_000 for event in events if isinstance(event, SampleSaid))
    assert verify(unit).ok


def test_eight_bytes_hold_no_more_than_eight(units: dict[str, Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter encodes a message to 8 bytes and passes the rest in a file, which processes of this test
    share. It must be caught, since 8 bytes cannot hold the message."""
    monkeypatch.setattr("serbench.verification.contract.apart", lambda folder, hidden=(): [])
    found = verify(units["cpp/tricks:beside"])
    assert not found.ok and "bits of entropy were encoded to 8 bytes" in found.reason, found
