"""Tests of hostile messages: how they are made, the reports on runners that crash, hang or ask for all
memory, and the results that are kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.fake_runner import HARMFUL

from serbench.cli.hostile import withstand_hostile
from serbench.cli.options import TableFormat
from serbench.codecs.codec import Harm, Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import ORIGIN, split_messages
from serbench.errors import FileError, RunnerError
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.report.checked import harmed
from serbench.report.hostile_table import hostile_table, record_of
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.selection import Chosen
from serbench.verification import hostile
from serbench.verification.hostile import HARM, Withstood, reduced, withstand
from serbench.verification.mutants import INPUTS, mutants
from serbench.workload import load_workloads, parse_workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))

ORIGINALS = [bytes(range(200)), b"", b"one more message"]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(PROJECT, tmp_path)


@pytest.fixture
def unit(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Unit:
    """A unit of a codec that is declared to do no harm, with two messages and a runner without a fault."""
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    variant: Variant = replace(load_variants(paths.codecs)["cpp/handwritten:checked"], hostile=())
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    monkeypatch.setenv("FAKE_CODEC", variant.id)
    return Unit(
        variant, spec, dataset_for(spec, paths), edge_dataset_for(spec, paths), command=(*FAKE, "none")
    )


def fed(unit: Unit, paths: Paths, fault: str, inputs: int = 40) -> Withstood:
    return withstand(replace(unit, command=(*FAKE, fault)), paths, lambda *_: None, 2.0, inputs)


def test_the_same_originals_have_the_same_mutants_and_none_is_one_of_them() -> None:
    made = list(mutants(ORIGINALS))
    assert len(made) == len(set(made)) == INPUTS
    assert made == list(mutants(ORIGINALS))
    assert not set(made) & set(ORIGINALS)
    assert made[:100] == list(mutants(ORIGINALS, 100))
    assert list(mutants([b""]))[-1], "also an empty message has as many"


def test_mutants_are_of_every_kind() -> None:
    original = ORIGINALS[0]
    made = list(mutants([original]))
    assert any(original.startswith(each) and 16 < len(each) < len(original) for each in made), "truncated"
    assert any(each.startswith(original) and len(each) > len(original) for each in made), "extended"
    same_size = [each for each in made if len(each) == len(original)]
    changed = [
        [n for n, (a, b) in enumerate(zip(each, original, strict=True)) if a != b] for each in same_size
    ]
    assert any(len(places) == 1 and (each[places[0]] ^ original[places[0]]).bit_count() == 1
               for each, places in zip(same_size, changed, strict=True)), "a flipped bit"  # fmt: skip
    assert all(any(each.count(b"\xff" * width) for each in same_size) for width in (1, 2, 4, 8)), (
        "all ones of each width"
    )
    assert any(b"\xff\xff\xff\x7f" in each for each in same_size), "the largest number of four bytes"
    assert any(len(each) > 100_000 for each in made), "a part that is repeated very often"
    assert any(0 < len(each) < len(original) and each[-4:] == original[-4:] for each in made), (
        "a part that is left out"
    )


def test_a_part_of_another_message_is_taken() -> None:
    made = list(mutants([b"\x00" * 100, b"\x55" * 100]))
    assert any(0 < each.count(b"\x55") < len(each) - 8 and set(each) == {0, 0x55} for each in made)


def test_what_does_harm_is_made_smaller_by_a_bounded_number_of_tries() -> None:
    tried = 0

    def still_does(candidates: Sequence[bytes]) -> list[bool]:
        nonlocal tried
        tried += len(candidates)
        return [b"ab" in each and b"z" in each for each in candidates]

    message = b"x" * 3000 + b"abc" + b"y" * 5000 + b"z" + b"w" * 100
    assert reduced(message, still_does) == b"abz"
    assert tried <= 1000
    tried = 0
    shorter = reduced(message, still_does, tries=5)
    assert tried == 5 and b"ab" in shorter and b"z" in shorter and len(shorter) <= len(message)
    assert reduced(message, still_does, most_s=0) == message
    assert reduced(b"", lambda candidates: [True] * len(candidates)) == b""


def test_a_decoder_that_gives_values_and_errors_does_no_harm(unit: Unit, paths: Paths) -> None:
    found = fed(unit, paths, "none", 300)
    assert (found.fed, found.counts, found.unconfirmed, found.findings) == (
        300,
        dict.fromkeys(HARM, 0),
        0,
        [],
    )
    assert found.accepted > 0 < found.refused and found.accepted + found.refused == 300


@pytest.mark.parametrize(
    ("fault", "harm", "reason"),
    [
        ("dies", "crash", "the runner was killed by signal 11"),
        ("says_crash", "crash", "refused"),
        ("says_memory", "memory", "refused"),
        ("says_hang", "hang", "refused"),
    ],
)
def test_harm_is_counted_and_its_smallest_message_kept(
    unit: Unit, paths: Paths, fault: str, harm: Harm, reason: str
) -> None:
    found = fed(unit, paths, fault)
    (finding,) = found.findings
    assert found.counts[harm] > 0 and sum(found.counts.values()) == found.counts[harm]
    assert found.accepted + found.refused + found.counts[harm] == found.fed
    assert (finding.harm, finding.reason) == (harm, reason)
    assert finding.message == HARMFUL if harm != "hang" else HARMFUL in finding.message
    assert [bytes(each) for each in split_messages(finding.file.read_bytes())] == [finding.message]
    assert finding.file == paths.hostile / "cpp" / "handwritten" / "checked" / f"monsters_count=2.{harm}"
    assert finding.command.endswith(f"probe --limit-ms 2000 --encoded {finding.file}")
    assert found.undeclared(unit) == [harm]


def test_what_was_kept_is_gone_when_it_does_no_harm_any_more(unit: Unit, paths: Paths) -> None:
    (finding,) = fed(unit, paths, "dies").findings
    assert finding.file.exists()
    fed(unit, paths, "none")
    assert not finding.file.exists()


def test_a_runner_that_falls_silent_hangs_and_is_fed_no_more(
    unit: Unit, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "_STARTING_S", 0.0)
    monkeypatch.setattr(hostile, "MOST_HANGS", 1)
    monkeypatch.setattr(hostile, "_TRIES_OF_HANGS", 1)
    found = fed(unit, paths, "falls_silent")
    assert found.counts == {"crash": 0, "hang": 1, "memory": 0}
    assert found.fed < 40
    assert found.findings[0].reason == "the runner hung: no output for 2 s; --time-limit waits longer"


def test_harm_that_a_message_does_not_do_alone_is_not_counted(unit: Unit, paths: Paths) -> None:
    found = fed(unit, paths, "dies_beside")
    assert found.counts == dict.fromkeys(HARM, 0) and found.unconfirmed > 0 and found.fed == 40
    (note,) = hostile_table("w", [(unit, found)]).notes
    assert f"{found.unconfirmed} message did harm in a batch but not when fed alone" in note


@pytest.mark.parametrize("fault", ["dies", "says_memory"])
def test_a_few_messages_that_do_harm_are_enough_where_that_is_said(unit: Unit, fault: str) -> None:
    messages = [b"good", *[HARMFUL] * 40]
    found = hostile.fed(replace(unit, command=(*FAKE, fault)), messages, 2.0, most_harmed=3)
    assert [bool(each.harm) for each in found] == [False, True, True, True]


@pytest.mark.parametrize(
    ("fault", "said"), [("refuses_all", "its own message 0"), ("crash@probe", "signal 9")]
)
def test_a_runner_that_does_not_decode_what_it_wrote_is_a_failure(
    unit: Unit, paths: Paths, fault: str, said: str
) -> None:
    with pytest.raises(RunnerError, match=said):
        fed(unit, paths, fault)


def test_private_data_are_not_mutated(unit: Unit, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Sequence[bytes]] = []

    def noted(originals: Sequence[bytes], inputs: int) -> Iterator[bytes]:
        made.append(originals)
        return iter([b"xy"] * inputs)

    monkeypatch.setattr(hostile, "mutants", noted)
    fed(unit, paths, "none", 1)
    header = msgspec.structs.replace(unit.data.header, parameters={ORIGIN: "data"})
    private = replace(unit, data=replace(unit.data, header=header))
    assert private.data.is_private
    fed(private, paths, "none", 1)
    assert [len(each) for each in made] == [unit.edge.messages + unit.data.messages, unit.edge.messages]


def test_the_table_says_what_to_declare_and_how_to_feed_it_again(unit: Unit, paths: Paths) -> None:
    found = fed(unit, paths, "dies")
    table = hostile_table(
        "monsters", [(unit, found), (replace(unit, status="failed", reason="did not build"), None)]
    )
    assert table.rows[0][-1] == "crash: 12 bytes: " + " ".join(["ff"] * 12)
    assert table.rows[0][4] == str(found.counts["crash"])
    assert table.rows[1][:2] == (unit.name, "failed")
    undeclared, absent, again = table.notes
    assert (
        'hostile = ["crash"]' in undeclared and str(unit.variant.codec.directory / "codec.toml") in undeclared
    )
    assert "did not build" in absent
    assert again.endswith(found.findings[0].command)
    record = record_of(unit, found)
    assert (record["crash"], record["undeclared"]) == (found.counts["crash"], ["crash"])
    assert record["smallest"]["crash"]["hex"] == HARMFUL.hex()


def test_what_is_declared_is_a_property_and_what_is_not_seen_is_said(unit: Unit, paths: Paths) -> None:
    declared = replace(unit, variant=replace(unit.variant, hostile=("crash", "memory")))
    found = fed(declared, paths, "dies")
    assert found.undeclared(declared) == [] and found.not_seen(declared) == ["memory"]
    properties, unseen, _ = hostile_table("monsters", [(declared, found)]).notes
    assert "crash, memory" in properties and unseen.endswith("these messages did not cause it: memory.")


def test_a_variant_has_its_own_declaration_and_only_words_that_there_are(tmp_path: Path) -> None:
    real = load_variants(Paths.default().codecs)["cpp/handwritten:checked"].codec.directory / "codec.toml"
    folder = tmp_path / "codecs" / "cpp" / "mine"
    folder.mkdir(parents=True)
    (folder / "adapter.hpp").touch()
    text = "\n".join(line for line in real.read_text().splitlines() if not line.startswith("hostile"))
    text = text.replace("type_model", 'hostile = ["hang"]\ntype_model', 1)
    (folder / "codec.toml").write_text(
        text.replace("[variants.unsafe]", '[variants.unsafe]\nhostile = ["memory"]')
    )
    variants = load_codec(folder / "codec.toml").variants
    assert (variants["checked"].hostile, variants["unsafe"].hostile) == (("hang",), ("memory",))
    (folder / "codec.toml").write_text(text.replace('"hang"', '"boredom"', 1))
    with pytest.raises(FileError, match="boredom"):
        load_codec(folder / "codec.toml")


def ends_with(
    paths: Paths, units: list[Unit], capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[dict[str, Any]]]:
    """Runs ``verify --hostile``; returns its exit status and the records that it printed."""
    status = 0
    try:
        job = Job(paths, Chosen([], [units[0].spec]), time_limit_s=2.0)
        withstand_hostile(job, units, TableFormat.json)
    except SystemExit as end:
        status = int(str(end.code))
    return status, json.loads(capsys.readouterr().out)


def test_only_harm_that_is_not_declared_is_a_failure(
    unit: Unit, paths: Paths, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serbench.cli.hostile.withstand", partial(withstand, inputs=40))
    bad = replace(unit, command=(*FAKE, "says_memory"))
    declared = replace(bad, variant=replace(unit.variant, hostile=("memory",)))
    status, (record,) = ends_with(paths, [bad], capsys)
    assert (status, record["undeclared"], record["inputs"]) == (1, ["memory"], 40)
    status, (record,) = ends_with(paths, [declared], capsys)
    assert (status, record["undeclared"]) == (0, []) and record["memory"] > 0
    broken = replace(unit, command=(*FAKE, "refuses_all"))
    status, (first, second) = ends_with(paths, [broken, unit], capsys)
    assert (status, first["status"], second["status"]) == (1, "failed", "ok")
    absent = replace(unit, status="not_installed", reason="no library")
    assert ends_with(paths, [absent, unit], capsys)[0] == 0


def test_below_tables_one_line_names_the_codecs_that_do_harm() -> None:
    declared: dict[str, tuple[Harm, ...]] = {
        "cpp/a": ("memory", "crash"),
        "cpp/b:x": ("memory",),
        "cpp/c": (),
        "cpp/d": ("memory",),
    }
    told = harmed(
        declared, [("cpp/a", "a"), ("cpp/b:x", "b"), ("cpp/c", "c"), ("cpp/d", "d"), ("cpp/e", "e")]
    )
    assert told.endswith(": crash, more than 1 GiB: a; more than 1 GiB: b, d.")
    assert harmed(declared, [("cpp/c", "c"), ("cpp/e", "e")]) == ""
