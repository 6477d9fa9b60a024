"""Tests with a fake runner of suspicions by times alone, and of what codecs declare: a single outlier accuses
nobody, a consistent cheat is accused, and a check counts only if it is observed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.accusations import accusations, looks, most, tell, usual_views
from tests.test_pipeline import measure, task

from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import write_dataset
from serbench.errors import in_short
from serbench.measure.job import Job
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan
from serbench.measure.unit import Unit, Verification
from serbench.model import Field, Record, Schema, string
from serbench.paths import PROJECT, Paths
from serbench.report.checked import letters, unseen
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.checks import seen_checks
from serbench.verification.contract import verify
from serbench.verification.units import Verifier, verified
from serbench.verification.views import confirmed
from serbench.workload import load_workloads, parse_workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
SLOW = "decode takes 28.8 times as long"

Faulty = Callable[[str], Unit]


@pytest.fixture(name="faulty")
def with_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    paths = Paths(PROJECT, tmp_path)
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    variant = load_variants(paths.codecs)["cpp/cereal"]
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    monkeypatch.setenv("FAKE_CODEC", variant.id)
    monkeypatch.setenv("FAKE_TIMES", str(tmp_path / "times"))
    # else the runner cannot count its processes
    monkeypatch.setattr("serbench.verification.contract.apart", lambda folder, hidden=(): [])
    data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return lambda fault: Unit(variant, spec, data, edge, command=(*FAKE, fault), silence_limit_s=20.0)


def found_of(tmp_path: Path, unit: Unit) -> Unit:
    (found,) = verified(Paths(PROJECT, tmp_path), [unit], lambda *_: None, 20)
    return found


def test_the_count_of_accusations_has_who_was_doubted_and_who_was_accused(
    faulty: Faulty, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("serbench.verification.views.counting_tool", lambda: None)
    faults = ("none", "suspects_1@check", "suspects_4@check", "view@decode", "none")
    lines = []
    for fault in faults:
        unit = faulty(fault)
        Path(os.environ["FAKE_TIMES"]).unlink(missing_ok=True)
        lines += [{"state": "idle", **line} for line in looks(Verifier(None, PROJECT), [unit])]
    assert [bool(line["doubted"]) for line in lines] == [False, True, True, False, False]
    seldom = usual_views(lines)
    assert [accusations(line, seldom) for line in lines] == [[], [], ["failed"], ["view decode"], []]
    tell(lines)
    assert "in all 5 looks: 2 accused; a rate below 81 % (95 %)" in capsys.readouterr().out
    usual = usual_views(lines[2:])
    assert [accusations(line, usual) for line in lines[2:]] == [["failed"], ["view decode"], []]
    usual = usual_views(lines[3:])
    assert [accusations(line, usual) for line in lines[3:]] == [[], []]
    tell(lines[3:])
    assert "cpp/cereal: view decode: in 1 of 2 looks" in capsys.readouterr().out


def test_the_rate_that_no_accusation_excludes_is_three_in_the_number_of_looks() -> None:
    assert most(0, 1000) == pytest.approx(3 / 1000, rel=0.01)
    assert most(1, 20) == pytest.approx(0.216, abs=0.001)


def test_a_runner_that_suspects_a_cell_names_it_and_what_it_printed_is_no_reason(faulty: Faulty) -> None:
    found = verify(faulty("suspects@check"))
    assert (found.ok, found.suspected) == (False, "decode:reuse")
    assert found.reason.startswith(SLOW) and "it printed" not in found.reason
    assert verify(faulty("error@check")).suspected == ""


@pytest.mark.parametrize(("outliers", "status"), [(1, "ok"), (2, "ok"), (3, "ok"), (4, "failed")])
def test_a_cell_is_accused_where_four_of_five_processes_suspect_it(
    tmp_path: Path, faulty: Faulty, outliers: int, status: str
) -> None:
    unit = found_of(tmp_path, faulty(f"suspects_{outliers}@check"))
    assert unit.status == status
    if status == "failed":
        assert in_short(unit.reason) == f"not verified: {SLOW}"


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("not verified: it says no\n  at a (b.js:1)\n  at c", "not verified: it says no"),
        ("it ended with status 3; it printed: no\n  at a", "it ended with status 3; it printed: no"),
        ("the build failed:\n  error: no such type", "the build failed:\n  error: no such type"),
    ],
)
def test_a_table_has_no_stack_trace(reason: str, shown: str) -> None:
    assert in_short(reason) == shown


@pytest.mark.parametrize(("outliers", "fails"), [(1, False), (3, False), (4, True)])
def test_a_round_that_suspects_a_cell_costs_nothing_unless_other_processes_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outliers: int, fails: bool
) -> None:
    monkeypatch.setenv("FAKE_TIMES", str(tmp_path / "times"))
    monkeypatch.setenv("FAKE_SUSPECTED", "deserialize:reuse")
    _, outcome, rows = measure(tmp_path, [task("fake/a", f"suspects_{outliers}@end")], rounds=2)
    assert [cell[3] for cell in outcome.failures] == ["deserialize:reuse"] * fails
    assert {name for (_, name), row in rows.items() if row.status == "ok" and row.rounds == 2} == {
        "serialize:reuse",
        "deserialize:fresh",
        *(["deserialize:reuse"] if not fails else []),
    }


def test_a_view_is_one_that_takes_no_longer_for_any_long_message(
    faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first verification may find a constant-time view by chance, or since the operation really reads
    nothing; further ones must refute the former and confirm the latter."""
    monkeypatch.setattr("serbench.verification.views.counting_tool", lambda: None)
    chance = Verification(ok=True, reason="", views=("decode",))
    assert confirmed(faulty("none"), chance).views == ()
    assert confirmed(faulty("view@decode"), chance).views == ("decode",)
    both = replace(chance, views=("encode", "native_roundtrip"))
    assert confirmed(faulty("view@encode"), both).views == ("encode", "native_roundtrip")
    assert confirmed(faulty("none"), both).views == ()


@pytest.mark.parametrize(
    ("fault", "reads", "is_view"),
    [
        ("none", True, False),
        ("none", False, True),  # all further looks see it take longer, as in slow places
        ("starts_slowly_and_skips@decode", True, False),  # all agree, though long messages take ×1.4
        ("starts_slowly_and_skips@decode", False, True),
        ("view@decode", True, False),  # all agree, and times are equal, beside which reading does not show
        ("view@decode", False, True),
    ],
)
def test_where_instructions_can_be_counted_they_decide_about_what_the_first_look_doubts(
    faulty: Faulty, monkeypatch: pytest.MonkeyPatch, fault: str, reads: bool, is_view: bool
) -> None:
    counted = {"long-0": 10**9 if reads else 100.0, "short": 100.0}
    monkeypatch.setattr("serbench.verification.views.counting_tool", lambda: "a tool")
    monkeypatch.setattr(
        "serbench.verification.views._Looks._instructions", lambda looks, tool, operation, name: counted[name]
    )
    first = Verification(ok=True, reason="", views=("decode",))
    assert confirmed(faulty(fault), first).views == (("decode",) if is_view else ())


@pytest.fixture(name="texts")
def of_texts(tmp_path: Path, faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    """A function from a fault to a unit whose runner has this fault; the messages are texts, and the codec is
    the user's own and declares all checks."""
    schema = Schema("Texts", Record("R", [Field("text", string)]))
    data = write_dataset(tmp_path, "texts", {}, schema, [("one",), ("another",)])
    monkeypatch.setenv("FAKE_SCHEMA", schema.digest())

    def made(fault: str) -> Unit:
        unit = faulty(fault)
        codec = replace(unit.variant.codec, directory=tmp_path / "codecs" / "cpp" / "own")
        variant = replace(unit.variant, codec=codec, checks=("bounds", "utf8", "trailing"))
        return replace(unit, variant=variant, data=data)

    return made


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        ("checks_all", ["bounds", "utf8", "trailing"]),
        ("checks_no_bounds", ["utf8"]),
        ("checks_no_end", ["utf8", "trailing"]),
        ("checks_no_text", ["bounds", "trailing"]),
        ("crash@encode", []),
    ],
)
def test_a_check_that_is_declared_counts_where_malformed_messages_show_it(
    tmp_path: Path, texts: Faulty, fault: str, seen: list[str]
) -> None:
    unit = texts(fault)
    found = seen_checks(unit)
    assert [name for name, is_seen in found.items() if is_seen] == seen
    assert list(found) == ["bounds", "utf8", "trailing"]
    unit = replace(unit, verification=Verification(ok=True, reason="", seen=found))
    paths = Paths(PROJECT, tmp_path)
    dataset_for(unit.spec, paths)
    job = Job(paths, Chosen([unit.variant], [unit.spec]))
    manifest = manifest_of(job, Plan([], 1, 0), [unit])
    assert letters(manifest.checks[unit.variant.id]) == letters(seen)
    note = unseen(manifest, [(unit.variant.id, "own")])
    lacking = [name for name in found if name not in seen]
    assert (f"own {' '.join(lacking)}." in note) if lacking else note == ""


def test_a_codec_that_is_built_in_is_not_asked_and_ones_own_is(tmp_path: Path, faulty: Faulty) -> None:
    assert found_of(tmp_path, faulty("none")).verification.seen == {}  # type: ignore[union-attr]
    unit = faulty("none")
    own = replace(unit.variant, codec=replace(unit.variant.codec, directory=tmp_path))
    found = found_of(tmp_path, replace(unit, variant=own)).verification
    assert found and set(found.seen) == set(own.checks or ())
