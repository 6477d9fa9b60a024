"""Tests of measuring on many machines, over a made-up cluster: the runs that are written, and how much is
left out or measured again after failures."""

from __future__ import annotations

import random
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.fake_cluster import ORDER, FakePool, announced
from tests.support import raw_events
from tests.test_pipeline import FAKE, Quiet, make_run

from serbench.building.prepare import known_variants
from serbench.cluster import host, measuring
from serbench.cluster.address import parse_address
from serbench.cluster.kinds import matching, members_of
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import Reply, Took, WorkloadFiles
from serbench.cluster.ordering import job_of, order_of
from serbench.cluster.part import MachinePart
from serbench.cluster.pool import Gone
from serbench.cluster.sources import difference
from serbench.errors import SelectionError, SerbenchError
from serbench.measure.job import Job
from serbench.measure.parts import each_part, name_of, part_of, parts_of, single, whole_or_part
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process
from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.machines_table import machine_of, machines_tables, titled_parts
from serbench.report.rows import rows_of
from serbench.selecting.selection import Chosen
from serbench.workload import load_workloads, parse_workload

PLAN = Plan([], 3, seed=1, silence_limit_s=20.0, samples=2)
TWO = {"tcp://a": announced("box"), "tcp://b": announced("other", model="17")}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(measuring, "LOOK_S", 0.01)
    monkeypatch.setattr(measuring, "RETURN_S", 0.1)
    monkeypatch.setattr(host, "_programs", {})


def head(directory: Path) -> Run:
    """A new run of all machines, which has no part yet."""
    made = make_run(directory, list(ORDER.codecs)).manifest
    manifest = msgspec.structs.replace(made, cluster="tcp://scheduler:1")
    return create_run(directory, msgspec.to_builtins(manifest))


def measure(pool: FakePool, run: Run, said: list[str], plan: Plan = PLAN) -> list[MachinePart]:
    """Measures on all machines of a pool, into a new run or one that was begun before, and appends all
    messages to the user to ``said``; returns the parts of the machines."""

    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return replace(plan, tasks=tasks)

    with Journal(run) as journal:
        of_all = Measuring(pool, ORDER, run, journal, said.append)
        parts = of_all.prepare(pool.members(), plan_of, Quiet())
        of_all.measure(parts, Quiet())
    return parts


def samples_of(part: Run) -> Counter[tuple[str, str, int]]:
    """The number of samples of a part, by codec, operation and round."""
    return Counter(
        (event["codec"], f"{event['operation']}:{event['memory']}", event["round"])
        for event in raw_events(part)
        if event["event"] == "sample"
    )


def whole(part: Run, rounds: int = PLAN.rounds) -> bool:
    """Whether each cell of a part has all its samples of every round, and none twice."""
    counts = samples_of(part)
    return len(counts) == len(ORDER.codecs) * 3 * rounds and set(counts.values()) == {PLAN.samples}


@pytest.mark.parametrize(
    "text", ["local:2", "tcp://127.0.0.1:8786", "tcp://[::1]:1", "tls://fleet.example:1"]
)
def test_addresses_that_only_this_machine_or_tls_reaches_need_nothing_more(text: str) -> None:
    assert parse_address(text, insecure=False).text == text
    assert parse_address("local:2", insecure=False).workers == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fleet", "found 'fleet', expected local:N, ssh:FILE, tcp://HOST:PORT or tls://HOST:PORT"),
        ("local:0", "has no workers"),
        ("http://a:1", "expected local:N"),
        ("tcp://fleet.example:8786", "who can reach this address can run programs on all its machines"),
        ("tcp://192.0.2.7:8786", "use tls://, or --insecure"),
    ],
)
def test_other_addresses_are_refused_with_what_is_expected(text: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said.replace("(", r"\(")):
        parse_address(text, insecure=False)


def test_a_connection_without_tls_is_made_where_it_is_asked_for() -> None:
    assert parse_address("tcp://fleet.example:8786", insecure=True).workers == 0


def test_kinds_are_told_from_what_machines_are() -> None:
    members = members_of(
        {
            "1": announced("east"),
            "2": announced("west"),
            "3": announced("old", model="1"),
            "4": announced("slowed", model="1", c_library="glibc 2.36"),
        }
    )
    kinds = {member.name: member.kind for member in members}
    assert kinds["east"] == kinds["west"] == "zen4 (model none, c library none)"
    assert kinds["old"] == "zen4 (model 1, c library none)"
    assert kinds["slowed"] == "zen4 (model 1, c library glibc 2.36)"
    assert {m.kind for m in members_of({"1": announced("east")})} == {"zen4"}


def test_what_a_control_group_takes_away_makes_another_kind() -> None:
    slowed = msgspec.structs.replace(announced("b"), quota=0.5)
    kinds = {m.name: m.kind for m in members_of({"1": announced("a"), "2": slowed})}
    assert kinds == {"a": "zen4 (quota none)", "b": "zen4 (quota 0.5)"}


def test_workers_on_one_computer_are_machines_where_they_share_no_core() -> None:
    def on(*cores: int) -> object:
        return msgspec.structs.replace(announced("box"), cores=cores)

    both = members_of({"tcp://1": on(0, 1), "tcp://2": on(2, 3)})  # type: ignore[dict-item]
    assert [(m.name, m.address) for m in both] == [("box-core0", "tcp://1"), ("box-core2", "tcp://2")]
    one = members_of({"tcp://1": on(0, 1, 2, 3), "tcp://2": on(0, 1, 2, 3)})  # type: ignore[dict-item]
    assert [(m.name, m.address) for m in one] == [("box", "tcp://1")]


def test_computers_of_one_name_are_told_apart() -> None:
    same = {str(n): msgspec.structs.replace(announced("vm"), host=f"{n}aaaaa-bbbb") for n in range(2)}
    assert [member.name for member in members_of(same)] == ["vm-0aaaaa", "vm-1aaaaa"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (None, ["box", "other"]),
        ("BOX", ["box"]),
        ("*model 17*", ["other"]),
        ("box or oth*", ["box", "other"]),
    ],
)
def test_machines_are_chosen_by_kind_and_name(pattern: str | None, names: list[str]) -> None:
    assert sorted(member.name for member in matching(members_of(TWO), pattern)) == names


def test_a_pattern_that_no_machine_matches_names_the_kinds() -> None:
    with pytest.raises(SelectionError, match=r"no machine matches; kinds: zen4 \(model 17\), zen4 \(model n"):
        matching(members_of(TWO), "graviton*")
    with pytest.raises(SelectionError, match="has no workers"):
        matching([], None)


def test_each_machine_measures_everything_into_a_part_of_its_own(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(FakePool(TWO), run, [])
    parts = parts_of(run)
    assert [name_of(part) for part in parts] == ["box", "other"]
    assert all(whole(part) and part.taken.ended for part in parts)
    assert [part.manifest.machine.model for part in parts] == [None, "17"]
    assert [part.manifest.rounds for part in parts] == [PLAN.rounds] * 2
    assert {event.status for event in run.taken.machines.values()} == {"measures"}
    for part in parts:
        assert {row.status for row in rows_of(part)} == {"ok"}


def test_a_part_is_a_run_for_whatever_takes_one(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(FakePool(TWO), run, [])
    part = whole_or_part(tmp_path, f"{run.id}/box")
    assert part.id == f"{run.id}/box" == part.manifest.run
    assert [each.id for each in each_part([run])] == [f"{run.id}/box", f"{run.id}/other"]
    assert machine_of(part) == {"machine": "box", "kind": "zen4 (model none)"} and machine_of(run) == {}
    with pytest.raises(SelectionError, match=f"several machines; expected one of them: {run.id}/box or"):
        single(tmp_path, run.id)
    with pytest.raises(SelectionError, match=r"did you mean box\?"):
        whole_or_part(tmp_path, f"{run.id}/bx")


def test_who_builds_uses_the_cores_of_those_that_wait_but_not_of_those_that_measure(tmp_path: Path) -> None:
    box = {f"tcp://{n}": msgspec.structs.replace(announced("box"), cores=(n,)) for n in (0, 1)}
    pool, died = FakePool(box), list[str]()

    def dies(address: str, question: str) -> bool:
        if question != "measure" or died:
            return False
        died.append(address)
        return True

    pool.dies = dies
    measure(pool, head(tmp_path), [])
    prepared = [(address, order.cores) for address, order in pool.orders]
    assert sorted(prepared) == sorted([("tcp://0", (0, 1)), ("tcp://1", (0, 1)), (died[0], ())])


def test_a_codec_that_fails_on_one_machine_is_measured_on_the_others(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(FakePool(TWO, faults={"tcp://b": "crash@deserialize:reuse"}, starts=True), run, [])
    rows = {name_of(part): rows_of(part) for part in parts_of(run)}
    failed = {name: {row.codec for row in own if row.status == "failed"} for name, own in rows.items()}
    assert failed == {"box": set(), "other": {"fake/b"}}
    reasons = [row.reason for row in rows_of(parts_of(run)[1]) if row.status == "failed"]
    assert reasons == ["the runner was killed by signal 9; it printed: free(): invalid pointer"]


def test_a_machine_that_refuses_is_left_out_with_its_reason(tmp_path: Path) -> None:
    run, said = head(tmp_path), list[str]()
    measure(FakePool(TWO, refuses={"tcp://b": "has another serbench"}), run, said)
    assert [name_of(part) for part in parts_of(run)] == ["box"]
    assert run.taken.machines["other"].status == "left_out"
    assert said == ["other (zen4 (model 17)) is left out: other: has another serbench"]
    (table,) = machines_tables(run)  # both machines are of one kind
    assert [row[3:] for row in table.rows] == [
        ("left out", "other: has another serbench"),
        ("measured", ""),
    ]
    assert [title for title, _ in titled_parts(run)] == ["box, zen4 (model none): "]


def test_where_every_machine_refuses_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(SerbenchError, match="none of the machines can measure this"):
        measure(FakePool(TWO, refuses=dict.fromkeys(TWO, "no")), head(tmp_path), [])


def test_a_machine_that_comes_back_goes_on_where_it_was(tmp_path: Path) -> None:
    run, pool = head(tmp_path), FakePool(TWO)
    pool.dies = lambda address, question: pool.asked.count((address, question)) == 4 and question == "measure"
    parts = measure(pool, run, [])
    assert all(part.outcome for part in parts)
    assert all(whole(part) for part in parts_of(run))
    assert pool.asked.count(("tcp://a", "prepare")) > 1
    statuses = [e["status"] for e in raw_events(run) if e["event"] == "machine"]
    assert set(statuses) == {"measures"}


def test_a_machine_that_stays_away_costs_its_own_part_and_is_completed_later(tmp_path: Path) -> None:
    run, pool, said = head(tmp_path), FakePool(TWO, returns=False), list[str]()
    pool.dies = lambda address, question: address == "tcp://b" and pool.asked.count((address, "measure")) == 3
    parts = measure(pool, run, said)
    assert [bool(part.outcome) for part in parts] == [False, True]
    box, other = parts_of(run)
    assert whole(box) and not whole(other) and len(samples_of(other)) == 6
    assert said == ["other (zen4 (model 17)) is lost: its worker is gone"]
    assert machines_tables(run)[-1].rows[0][3:] == ("lost", "its worker is gone")
    before = samples_of(box)
    again = Run(run.directory)
    measure(FakePool(TWO), again, [])
    assert all(whole(part) and part.taken.ended for part in parts_of(again))
    assert samples_of(parts_of(again)[0]) == before


def test_a_part_is_not_continued_on_another_machine_of_its_name(tmp_path: Path) -> None:
    run, said = head(tmp_path), list[str]()
    measure(FakePool(TWO), run, [])
    swapped = {"tcp://a": TWO["tcp://a"], "tcp://b": announced("other", model="1")}
    parts = measure(FakePool(swapped), Run(run.directory), said)
    assert [part.member.name for part in parts] == ["box"]
    assert said == [
        "other (zen4 (model 1)) is left out: the run cannot be continued, since these differ now: machine, "
        "model: 17, now 1; start a new run"
    ]


@pytest.mark.parametrize("seed", range(5))
def test_whenever_machines_die_every_sample_is_there_once_in_the_end(tmp_path: Path, seed: int) -> None:
    """For each seed, up to ten of a client's questions, drawn at random, kill the machine that they go to;
    the run is continued until it is complete."""
    draws, left = random.Random(seed), [10]

    def dies(address: str, question: str) -> bool:
        if left[0] and question != "prepare" and draws.random() < 0.3:
            left[0] -= 1
            return True
        return False

    run = head(tmp_path)
    for _ in range(12):
        measure(FakePool(TWO, dies=dies, returns=draws.random() < 0.5), Run(run.directory), [])
        if all(part.taken.ended for part in parts_of(run)):
            break
    assert left[0] < 10
    assert all(whole(part) and part.taken.ended for part in parts_of(run))


def test_where_the_cluster_is_gone_what_was_sent_is_kept(tmp_path: Path) -> None:
    run, pool = head(tmp_path), FakePool(TWO)

    def gone(address: str, question: str) -> bool:
        if pool.asked.count(("tcp://a", "measure")) == 3:
            raise Gone("the scheduler is gone")
        return False

    pool.dies = gone
    with pytest.raises(Gone):
        measure(pool, run, [])
    box = parts_of(run)[0]
    assert len(samples_of(box)) > 0 and not box.taken.ended
    measure(FakePool(TWO), Run(run.directory), [])
    assert all(whole(part) for part in parts_of(run))


def test_a_worker_starts_only_what_it_has_built_and_nobody_has_changed(tmp_path: Path) -> None:
    program = tmp_path / "runner"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(FAKE)} none "$@"\n')
    program.chmod(0o755)
    command = (str(program), "measure", "--dataset", "", "--cells", "serialize:reuse", "--samples", "1")
    process = Process((*command, "--sample-ns", "1"), ("serialize:reuse",), 1, None, 20.0, False)

    def said() -> Reply:
        return msgspec.json.decode(host.answer("measure", msgspec.json.encode(process)), type=Reply)

    assert said().unknown
    host._remember([(str(program),)])
    took = msgspec.json.decode(said().value, type=Took)
    assert (took.heard, len(took.samples), took.fault) == (True, 1, None)
    program.write_text(program.read_text() + "# more\n")
    assert "has been built anew meanwhile" in said().refused


def test_what_goes_wrong_in_a_worker_is_an_answer() -> None:
    reply = msgspec.json.decode(host.answer("measure", b'{"command": 3}'), type=Reply)
    assert reply.refused.startswith("ValidationError: ")


def test_an_imported_workload_is_kept_once_and_not_in_place_of_another(tmp_path: Path) -> None:
    def keep(name: str, data: bytes) -> str:
        asked = WorkloadFiles(name=name, files={"workload.json": data})
        return msgspec.json.decode(host.answer("keep", msgspec.json.encode(asked)), type=Reply).refused

    assert keep("orders", b"{}") == keep("orders", b"{}") == ""
    assert (tmp_path / "home" / "imported" / "workloads" / "orders" / "workload.json").read_bytes() == b"{}"
    assert "another workload named 'orders' was imported on this machine" in keep("orders", b"[]")
    assert "cannot be the name of a workload" in keep("../orders", b"{}")


def test_sources_that_differ_are_named() -> None:
    asked = {"serbench": "1", "codec x": "2", "codec y": "3"}
    assert difference(asked, asked) == ""
    assert difference(asked, {"serbench": "1", "codec x": "4", "codec z": "5"}) == "codec x, codec z"
    assert difference(asked, {"serbench": "1", "codec x": asked["codec x"]}) == ""  # y is for another machine


def test_a_part_is_begun_once(tmp_path: Path) -> None:
    run = head(tmp_path)
    first = part_of(run, "box", run.manifest)
    assert part_of(run, "box", run.manifest).directory == first.directory


@pytest.mark.parametrize("suite", ["monsters", None])
def test_a_worker_knows_that_all_rows_of_a_suite_compete(suite: str | None) -> None:
    paths = Paths.default()
    variants = [known_variants(paths)[codec] for codec in ("cpp/handwritten:checked", "cpp/cereal")]
    spec = parse_workload("monsters:count=2", load_workloads(*paths.all_workloads))
    asked = Job(paths, Chosen(variants, [spec], published=suite is not None), suite=suite)
    with job_of(order_of(asked), lambda _: None) as own:
        assert own.chosen.references == asked.chosen.references
        assert bool(own.chosen.references) == (suite is None)
