"""Tests of comments on pull requests: what changed, what did not, how sure that is, and of what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.test_pipeline import measure, task

from serbench.measure.store import Run, find_run
from serbench.report.comment import comment
from serbench.report.compare_counts import Counted
from serbench.report.compare_table import Side, compare_sides, whole

CODECS = ("fake/a", "fake/b", "fake/c")


def sides(folder: Path, factors: Mapping[tuple[str, str], float]) -> tuple[Side, Side]:
    """Two runs of the same codecs; of the second, each codec and operation takes longer by its factor,
    and varies from round to round."""
    runs = [measure(folder, [task(codec) for codec in CODECS])[0] for _ in range(2)]
    path = runs[1].directory / "samples.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        if event["event"] == "sample":
            factor = factors.get((event["codec"], event["operation"]), 1.0)
            noise = 1 + 0.01 * (
                (event["round"] + ord(event["codec"][-1])) % 3 - 1
            )  # other than its neighbour's
            event["elapsed_ns"] = round(event["elapsed_ns"] * factor * noise)
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return whole(runs[0]), whole(find_run(folder, Run(runs[1].directory).id))


def written(first: Side, second: Side, *counts: Counted, threshold: float = 0.05) -> list[str]:
    lines = comment(compare_sides(first, second, threshold), counts, first, second, threshold).splitlines()
    assert len(lines) <= 20
    return [line.replace("\\", "") for line in lines]


def test_a_comment_has_the_regressions_first_and_says_what_did_not_change(tmp_path: Path) -> None:
    first, second = sides(tmp_path, {("fake/b", "serialize"): 1.1, ("fake/c", "deserialize"): 0.5})
    lines = written(first, second)
    assert lines[0] == "**serbench: 1 of 9 figures worse by more than 5 %**"
    slower, *faster = lines[4:7]
    assert slower.startswith("| fake/b | fake | serialize:reuse | ") and slower.endswith(
        "| slower, a regression |"
    )
    assert "+10.0 % (" in slower
    assert all("−50.0 % (" in line and line.endswith("| faster |") for line in faster)
    (close,) = (line for line in lines if line.startswith("- No change is told of 6 times; the widest"))
    assert 0 < float(close.split("reaches +")[1].split(" %")[0]) < 5
    assert lines[-1].startswith(f"- Before is {first.name}, after is {second.name}, measured by serbench")


def test_a_comment_of_equal_runs_has_no_table(tmp_path: Path) -> None:
    lines = written(*sides(tmp_path, {}))
    assert lines[0] == "**serbench: 0 of 9 figures worse by more than 5 %**"
    assert not any(line.startswith("|") for line in lines)


def test_a_comment_is_short_where_much_changed(tmp_path: Path) -> None:
    first, second = sides(tmp_path, {})
    counts = [Counted((f"c/{n}", "w", "", "serialize:reuse"), 1000, 1000 + 100 * n, 0.2) for n in range(12)]
    lines = written(first, second, *counts)
    rows = [line for line in lines if line.startswith("| c/")]
    assert [row.split()[1] for row in rows] == [f"c/{n}" for n in range(11, 3, -1)]
    assert rows[0].endswith("| +110.0 % | more instructions, a regression |")
    assert "- 3 more cells changed less than those above." in lines
    assert "- 1 count of instructions are equal within 0.1 %." in lines
