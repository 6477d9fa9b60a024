"""Tests of runs as tidy tables, in files and for SQL: each row is one thing, each value one number or
text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from tests.judged import made

from serbench.cli.app import main
from serbench.errors import SelectionError, SetupError
from serbench.export.columns import TABLES, Columns
from serbench.export.files import FORMATS, written
from serbench.export.query import ask
from serbench.export.tables import table_of
from serbench.measure.store import Journal, Run
from serbench.paths import PROJECT
from serbench.report.rows import rows_of

DATA = (PROJECT / "docs" / "data.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", DATA, re.DOTALL)
RECIPES = "".join(path.read_text(encoding="utf-8") for path in (PROJECT / "docs" / "recipes").glob("*.md"))
RECIPE_QUERIES = re.findall(r"""^ {4}\./serbench sql "(.*)"$""", RECIPES, re.MULTILINE)
HOSTILE = ["=1+1", "+x", "-x", "@x", "\t=1", 'a"b,c\nd', "<b>x</b>", "\x1b[31mred", "a\u202eb", "x" * 10_000]
"""Texts that must stay plain texts in every program that reads them."""

TYPES: dict[str, Any] = {"text": str, "integer": int, "number": (int, float), "boolean": bool}


@pytest.fixture(name="run", scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two codecs: one is disturbed, and one fails in the last of 12 rounds."""
    folder = tmp_path_factory.mktemp("runs")
    features = {"cpp/a": {"evolution": True}, "cpp/b:c": {"evolution": False}}
    times = {"cpp/a": (100.0, 50.0), "cpp/b:c": (200.0, 80.0)}
    run = made(
        folder,
        times,
        messages=2,
        disturbed=lambda codec, cell: codec == "cpp/b:c",
        ended=False,
        features=features,
    )
    which = {"codec": "cpp/b:c", "workload": "w", "operation": "serialize", "memory": "reuse", "round": 12}
    with Journal(run) as journal:
        journal.append(
            {"event": "instructions", **which, "instructions_per_pass": 1234.5, "tool": "callgrind"}
        )
        journal.append({"event": "peak", **which, "peak_bytes": 4096})
        journal.append({"event": "failure", **which, "reason": "=it crashed"})
        journal.append({"event": "end"})
    return Run(run.directory)


def records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("name", TABLES)
def test_every_column_has_values_of_its_kind(run: Run, name: str) -> None:
    columns = table_of(name, [run, run])
    assert list(columns) == [column.name for column in TABLES[name]]
    assert {len(values) for values in columns.values()} == {2 * len(table_of(name, [run])["run"])}
    assert set(columns["run"]) == {run.id}
    for column in TABLES[name]:
        assert all(
            isinstance(value, TYPES[column.kind]) for value in columns[column.name] if value is not None
        ), column.name


def test_cells_are_what_tables_show(run: Run) -> None:
    cells = {(each["codec"], each["operation"]): each for each in records(table_of("cells", [run]))}
    for row in rows_of(run):
        cell = cells[row.codec, row.operation]
        assert (cell["status"], cell["reason"], cell["rank"]) == (row.status, row.reason, row.rank)
        assert cell["time_ns"] == (row.time and row.time.estimate)
    fast, failed = cells["cpp/a", "serialize"], cells["cpp/b:c", "serialize"]
    assert fast["bytes_per_message"] == 100 and fast["ns_per_message"] == fast["time_ns"] / 2
    assert fast["mb_per_s"] == pytest.approx(1000 * 200 / fast["time_ns"])
    assert (failed["status"], failed["reason"]) == ("failed", "=it crashed")


def test_samples_say_which_of_them_count(run: Run) -> None:
    samples = records(table_of("samples", [run]))
    assert len(samples) == 2 * 2 * 12
    assert {each["codec"] for each in samples if each["disturbed"]} == {"cpp/b:c"}
    back = [(each["codec"], each["operation"], each["round"]) for each in samples if each["taken_back"]]
    assert back == [("cpp/b:c", "serialize", 12)]
    assert all(each["ns_per_pass"] == each["elapsed_ns"] / each["iterations"] for each in samples)


def test_what_is_disturbed_is_what_figures_leave_out(run: Run) -> None:
    counted = sum(
        not each["disturbed"] and not each["taken_back"] for each in records(table_of("samples", [run]))
    )
    assert counted == sum(len(values) for cell in run.taken.cells.values() for values in cell.quiet.values())


def test_costs_are_rows_with_a_unit(run: Run) -> None:
    costs = {each["cost"]: each["value"] for each in records(table_of("costs", [run]))}
    assert costs == {"instructions_per_pass": 1234.5, "peak_bytes": 4096}


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_holds_the_values(run: Run, format: str, tmp_path: Path) -> None:
    columns = table_of("cells", [run])
    path = tmp_path / f"cells.{format}"
    path.write_bytes(written("cells", columns, format))
    told = records(columns)
    if format == "csv":
        read = list(csv.DictReader(io.StringIO(path.read_text())))
        assert [each["time_ns"] for each in read] == [
            "" if row["time_ns"] is None else str(row["time_ns"]) for row in told
        ]
        assert all(each.keys() == columns.keys() for each in read)
    elif format == "json":
        assert json.loads(path.read_text()) == [
            {k: v for k, v in row.items() if v is not None} for row in told
        ]
    else:
        assert parquet.read_table(path).to_pylist() == told


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_in_every_file(run: Run, text: str, tmp_path: Path) -> None:
    columns = table_of("cells", [run])
    columns["reason"] = [text] * len(columns["run"])
    (cell, *_) = [
        row["reason"] for row in csv.DictReader(io.StringIO(written("cells", columns, "csv").decode()))
    ]
    assert not re.match(r"[\s]*[=+\-@]", cell)
    assert "\x1b" not in cell and "\u202e" not in cell
    assert "\x1b" not in written("cells", columns, "json").decode()
    (tmp_path / "file").write_bytes(written("cells", columns, "parquet"))
    assert parquet.read_table(tmp_path / "file")["reason"][0].as_py() == text


@pytest.mark.parametrize("query", [*QUERIES, *RECIPE_QUERIES], ids=range(len(QUERIES) + len(RECIPE_QUERIES)))
def test_the_queries_of_the_docs_give_rows(run: Run, query: str) -> None:
    headings, rows = ask(query, [run])
    assert len(QUERIES) == 6 and RECIPE_QUERIES and headings and rows


def test_the_docs_name_every_column() -> None:
    for name, columns in TABLES.items():
        part = DATA.partition(f"### {name}\n")[2].partition("\n### ")[0]
        told = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", part, re.MULTILINE)
        assert told == [(column.name, column.kind, column.meaning) for column in columns]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT nothing FROM cells", "nothing"),
        ("SELECT * FROM cell", "cell"),
        ("SELEC 1", "syntax error"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
        ("COPY cells TO 'cells.csv'", "disabled"),
        ("SET enable_external_access = true", "locked"),
        ("INSTALL httpfs", "disabled"),
    ],
)
def test_a_query_that_cannot_be_answered_says_what_can(run: Run, query: str, said: str) -> None:
    with pytest.raises(SelectionError, match=f"(?s){said}.*tables and their columns:\n  runs: run, started"):
        ask(query, [run])


def test_without_duckdb_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serbench.system.extras.find_spec", lambda name: None if name == "duckdb" else name)
    with pytest.raises(SetupError, match=r"this needs duckdb, from the extra serbench\[sql\]"):
        ask("SELECT 1", [run])


def test_the_command_line_writes_and_answers(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = run.directory.parent.parent
    runs = home / "runs"
    if run.directory.parent != runs:
        runs.symlink_to(run.directory.parent)
    monkeypatch.setenv("SERBENCH_HOME", str(home))

    def said(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["serbench", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, capsys.readouterr().err
        return capsys.readouterr().out

    path = tmp_path / "a b.json"
    assert said("export", "--table", "codecs", "-O", str(path)) == f"{path}\n"
    assert [each["codec"] for each in json.loads(path.read_text())] == ["cpp/a", "cpp/b:c"]
    shown = json.loads(
        said(
            "sql",
            "SELECT codec, count(*) AS n FROM samples GROUP BY codec ORDER BY codec",
            "--format",
            "json",
        )
    )
    assert shown == [{"codec": "cpp/a", "n": 24}, {"codec": "cpp/b:c", "n": 24}]
