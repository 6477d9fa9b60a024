"""Tests of runners that misbehave: the cells that a fault affects fail with a reason, and all others keep
their figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_pipeline import measure, task

from serbench.measure.events import Failure, Sample
from serbench.measure.taken import Taken


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crash", "killed by signal 9; it printed: free(): invalid pointer"),
        ("exit", "ended with status 3; it printed: could not do it"),
        ("hang", "hung: no output for 1 s"),
        ("hang_in_child", "hung: no output for 1 s"),
        ("garbage", "printed '<html>this is no event</html>'; expected one JSON object"),
        ("not_an_event", "expected one JSON object"),
        ("error", "the library says no"),
        (
            "zero",
            (
                "a sample of deserialize:reuse does not conform to docs/protocol.md: iterations: found 0, "
                "expected a whole number >= 1"
            ),
        ),
        ("silent_end", "without the event 'done'"),
        ("null", "waited_ns: found None, expected a whole number"),
        ("text", "waited_ns: found '12', expected a whole number"),
        ("huge", "elapsed_ns: found a whole number of more than 60 digits, expected"),
        ("huge_extra", "place: found a whole number of more than 60 digits, expected"),
        ("nan", "expected one JSON object"),
        ("infinite", "expected one JSON object"),
        ("truth", "iterations: found True, expected a whole number"),
        ("list", "place: found [1, 2], expected"),
        ("long_text", "expected text of length <= 200"),
        ("surrogate", "expected one JSON object"),
        ("elsewhere", "sent a sample of teleport:reuse, which was not requested"),
        ("not_utf8", "no \ufffd\x1b[31mway"),
        ("endless_line", "printed a line of more than 1048576 bytes; it begins with b'xxxx"),
        ("flood", "sent more samples of deserialize:reuse than the 3 requested"),
        ("chatter", "sent 'hello'; expected 'hello' first, and once"),
        ("stderr", "status 4; it printed: yyyy"),
        ("long_error", "zzzz"),
        ("bad_name", "operations: found ['encode\\x1b[2J'], expected"),
    ],
)
def test_a_faulty_runner_fails_its_cell_and_nothing_else(tmp_path: Path, fault: str, said: str) -> None:
    limit = 1.0 if fault.startswith("hang") else 20.0
    _, outcome, rows = measure(
        tmp_path,
        [task("fake/good"), task("fake/bad", f"{fault}@deserialize:reuse")],
        rounds=2,
        silence_limit_s=limit,
    )
    bad = rows["fake/bad", "deserialize:reuse"]
    assert bad.status == "failed" and said in bad.reason and bad.time is None
    assert len(bad.reason) < 10_000
    assert outcome.rounds_done == 2
    others = [row for key, row in rows.items() if key != ("fake/bad", "deserialize:reuse")]
    assert [
        (r.codec, r.operation, r.status, r.rounds) for r in others if r.status != "ok" or r.rounds != 2
    ] == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crash@end", "killed by signal 9"),
        ("exit@end", "ended with status 3"),
        ("error@end", "the library says no"),
        ("no_done", "without the event 'done'"),
        ("crash@after_done", "killed by signal 9"),
        ("exit@after_done", "ended with status 3"),
        ("error@after_done", "the library says no"),
        ("flood@after_done", "sent 'sample' after its last event"),
        ("hang@after_done", "hung: no output for 1 s"),
    ],
)
def test_a_failure_after_the_last_sample_is_one_of_all_that_the_process_measured(
    tmp_path: Path, fault: str, said: str
) -> None:
    limit = 1.0 if fault.startswith("hang") else 20.0
    units = [task("fake/good"), task("fake/bad", fault)]
    run, outcome, rows = measure(tmp_path, units, rounds=2, silence_limit_s=limit)
    bad = {key: row for key, row in rows.items() if key[0] == "fake/bad"}
    assert {(row.status, said in row.reason, row.time, row.rank) for row in bad.values()} == {
        ("failed", True, None, None)
    }
    assert len(bad) == len(outcome.failures) == 3
    assert {(row.status, row.rounds) for key, row in rows.items() if key[0] == "fake/good"} == {("ok", 2)}
    reasons = [event.reason for event in run.events() if isinstance(event, Failure)]
    assert reasons and all(said in reason for reason in reasons)


def test_samples_of_a_process_that_failed_do_not_count(tmp_path: Path) -> None:
    run, _, _ = measure(tmp_path, [task("fake/bad", "exit@end")], rounds=1)
    assert sum(isinstance(event, Sample) for event in run.events()) == 9  # they stay in the journal
    assert {
        cell: samples.count for cell, samples in Taken.of(run.events()).cells.items() if samples.count
    } == {}
