"""Tests of the report as an HTML page: its contents, its size, and that text from a run never becomes
HTML."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.curves import curved_run
from tests.pages import MadeUp, variants
from tests.test_export import HOSTILE
from tests.test_pipeline import make_run
from tests.test_suites import heron_run

from serbench.cli.app import main
from serbench.cli.report import title_of
from serbench.cli.serve import page_of
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import join_messages
from serbench.errors import FileError, SerbenchError, SetupError
from serbench.export.columns import Columns
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.importing import ImportOrder, Messages, made, read
from serbench.measure.differences import find_difference
from serbench.measure.store import Journal, Run
from serbench.page import assets as page_assets
from serbench.page.assets import Assets, assets
from serbench.page.building import SOURCES, get_packages
from serbench.page.contents import Installation, contents
from serbench.page.document import document, page
from serbench.page.packing import pack_columns, packed
from serbench.page.plain import COLUMNS, MOST_ROWS, plain
from serbench.page.serving import HOST, Followed, server
from serbench.paths import PROJECT, Paths
from serbench.report.rows import rows_of
from serbench.report.tables import tables_of
from serbench.selecting.suite import load_suites
from serbench.workload import load_workloads, parse_workload

NOTHING = Assets("script", "style")


def unpacked(made: str) -> dict[str, Any]:
    """The data inside a page, unpacked."""
    found = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', made)
    assert found
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found.group(1))))
    return data


def column(columns: dict[str, Any], name: str) -> list[Any]:
    values = columns[name]
    if isinstance(values, list):
        return values
    return [None if at is None else values["words"][at] for at in values["at"]]


@pytest.fixture(name="run", scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return MadeUp(variants(12), ("v", "w")).write(tmp_path_factory.mktemp("runs"))


def test_a_page_has_every_cell_of_its_runs(run: Run) -> None:
    cells = unpacked(document(contents([run], Installation(), "a title"), NOTHING))["cells"]
    rows = rows_of(run)
    assert column(cells, "codec") == [row.codec for row in rows]
    assert column(cells, "status") == [row.status for row in rows]
    assert column(cells, "rank") == [row.rank for row in rows]
    times = [row.time.estimate if row.time else None for row in rows]
    assert [None if t is None else pytest.approx(t, rel=1e-5) for t in times] == column(cells, "time_ns")
    assert len(rows) == 12 * 2 * 4 and {row.status for row in rows} == {"ok", "failed"}


def test_a_page_says_the_verdict_without_a_script_too(run: Run) -> None:
    made = page([run], Installation(), "a title", NOTHING)
    said = [each for workload in unpacked(made)["runs"][0]["workloads"] for each in workload["verdict"]]
    assert {each["label"] for each in said} >= {"Trust", "Smallest"}
    for each in said:
        assert f"<b>{each['label']}</b>: {each['text']}" in made


class Cells(HTMLParser):
    """Collects the cells of a page's tables, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif self.inside and tag == "br":
            self.rows[-1][-1] += "\n"
        self.inside = tag in ("td", "th") or (self.inside and tag == "br")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def shown_plainly(made: str) -> list[list[str]]:
    cells = Cells()
    cells.feed(made)
    return [[cell.rstrip("\n") for cell in row] for row in cells.rows]


def as_shown(cell: str) -> str:
    return cell.replace("_\n", "_")


def test_a_page_has_the_rows_of_the_terminal_without_a_script(run: Run) -> None:
    made = page([run], Installation(), "a title", NOTHING)
    tables, *_ = tables_of(run, Paths.default().suites, width=COLUMNS)
    rows = [[*map(as_shown, row)] for table in tables for row in (table.headings, *table.rows)]
    shown = shown_plainly(made)
    assert sorted(shown) == sorted(rows) and len(tables) >= 4
    times = next(table for table in tables if table.verdict)
    firsts = [[*map(as_shown, table.headings)] for table in (times, tables[0])]
    assert shown.index(firsts[0]) < shown.index(firsts[1]), "times come before sizes after compression"
    for note in (note for table in tables for note in table.notes if note):
        assert f"<li>{escape(note)}" in made


def test_a_suite_says_once_whether_to_trust_it_without_a_script(tmp_path: Path) -> None:
    run = heron_run(tmp_path)
    suite = load_suites(Paths.default().suites)[run.manifest.suite or ""]
    told = plain([(run, rows_of(run), suite)])
    assert told.count("<b>Trust</b>") == len(run.manifest.workloads)
    assert "<b>Smallest</b>" in told


def test_a_large_run_is_told_in_part_without_a_script(tmp_path: Path) -> None:
    large = MadeUp(variants(300), ("v", "w"), rounds=2, wire=False).write(tmp_path)
    made = page([large], Installation(), "a title", NOTHING)
    rows = [row for row in shown_plainly(made) if row[0] != "codec"]
    assert len(rows) == MOST_ROWS
    assert f"The first {MOST_ROWS} rows; all of them: ./serbench show {large.id}" in made
    around = re.sub(r'<script type="text/plain" id="data">[^<]*</script>', "", made)
    assert len(around) < 250 * MOST_ROWS


@pytest.mark.parametrize(
    ("workloads", "runs", "title"),
    [
        (("orders",), 1, "orders: which serializer?"),
        (("orders", "record:ids=small"), 1, "orders, record:ids=small: which serializer?"),
        (("a", "b", "c", "d", "e"), 1, "a, b, c and 2 more: which serializer?"),
        (("orders",), 3, "orders: which serializer? 3 runs compared"),
    ],
)
def test_a_page_is_called_by_what_was_asked(
    workloads: tuple[str, ...], runs: int, title: str, tmp_path: Path
) -> None:
    made = [MadeUp(["cpp/a"], workloads, rounds=1, seed=seed).write(tmp_path) for seed in range(runs)]
    assert title_of(made) == title


@pytest.mark.parametrize(
    ("shares", "title"),
    [
        ((3,), "w: which serializer to read f0, f1, f2?"),
        ((30,), "w: which serializer to read some fields?"),
        ((1, 3), "w: which serializer to read 2 sets of fields?"),
    ],
)
def test_a_page_about_parts_is_called_by_what_is_read(
    shares: tuple[int, ...], title: str, tmp_path: Path
) -> None:
    times = tuple(100 for _ in range(len(shares) + 1))
    assert title_of([curved_run(tmp_path, {"cpp/a": ("skip", times)}, 1, shares)]) == title


def test_runs_are_compared_to_the_first(run: Run, tmp_path: Path) -> None:
    other = MadeUp(variants(12), ("v", "w"), seed=2).write(tmp_path)
    (comparison,) = contents([run, other], Installation(), "two")["comparisons"]
    assert (comparison["before"], comparison["after"]) == (run.id, other.id)
    assert set(column(comparison["cells"], "verdict")) >= {"slower", "faster"}
    assert comparison["notes"]


def test_columns_are_packed_as_they_are() -> None:
    columns: Columns = {
        "text": ["a", None, "b", "a"],
        "number": [1.23456789, 2.0, None, 1e20],
        "truth": [True, False, None, True],
    }
    made = pack_columns(columns)
    assert made == {
        "text": {"words": ["a", "b"], "at": [0, None, 1, 0]},
        "number": [1.23457, 2, None, 1e20],
        "truth": [True, False, None, True],
    }
    assert packed(made) == packed(pack_columns(columns))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_no_markup(text: str, tmp_path: Path) -> None:
    run = MadeUp(["cpp/a", "cpp/b"], missing=2, reason=text).write(tmp_path)
    made = page([run], Installation(), text, NOTHING)
    assert unpacked(made)["title"] == text
    around = re.sub(r'<script type="text/plain" id="data">[^<]*</script>', "", made)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", around)
    assert "<b>x</b>" not in around
    assert around.count("<script") == 1


def test_a_script_ends_where_it_ends(run: Run) -> None:
    made = document(contents([run], Installation(), "t"), Assets('const a = "</script><b>";', ""))
    assert made.count("</script>") == 2
    assert "default-src 'none'" in made


def test_the_command_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    run = MadeUp(["cpp/a", "cpp/b"]).write(tmp_path / "runs")
    monkeypatch.setattr("serbench.cli.report.assets", lambda *_: NOTHING)
    output = tmp_path / "a page.html"
    monkeypatch.setattr("sys.argv", ["serbench", "report", run.id, "-O", str(output), "--title", "mine"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert capsys.readouterr().out == f"{output}\n"
    assert "<title>mine</title>" in output.read_text()
    assert shown_plainly(output.read_text())


def test_without_node_it_is_said_what_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_assets, "is_built", lambda: False)
    monkeypatch.setattr("shutil.which", lambda name: None if name in ("node", "npm") else f"/usr/bin/{name}")
    with pytest.raises(SetupError, match=r"apt-get install nodejs npm"):
        assets(lambda _: None, lambda: False)


@pytest.mark.parametrize("damage", ["", "{}", '{"version": 99}', "not JSON"])
def test_a_run_that_cannot_be_read_is_named(damage: str, tmp_path: Path) -> None:
    run = MadeUp(["cpp/a", "cpp/b"]).write(tmp_path)
    (run.directory / "manifest.json").write_text(damage)
    with pytest.raises(FileError, match=re.escape(run.id)):
        contents([Run(run.directory)], Installation(), "t")


def test_damaged_lines_are_told_and_the_rest_is_used(tmp_path: Path) -> None:
    run = MadeUp(["cpp/a", "cpp/b"], missing=0).write(tmp_path)
    lines = run.journal.read_text().splitlines()
    run.journal.write_text("\n".join([*lines[:8], "{ broken", *lines[9:], '{"event": "sam']))
    (told,) = contents([Run(run.directory)], Installation(), "t")["runs"]
    assert len(told["damaged"]) == 1 and "line 9" in told["damaged"][0]
    assert {each["trust"]["level"] for each in told["workloads"]} == {"with care"}


@pytest.mark.slow("get what the page's sources are checked with")
def test_the_sources_of_the_page_are_clean() -> None:
    get_packages(lambda _: None, to_check=True)
    done = subprocess.run(["npm", "run", "check", "--silent"], cwd=SOURCES, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


# --- served ---


@pytest.fixture(name="served")
def a_served_page() -> Iterator[tuple[ThreadingHTTPServer, list[str]]]:
    """A server, and the list of texts whose last one it serves as the page. Tests change the list; while it
    is empty, the page cannot be read."""
    said = ["one"]

    def changed() -> str:
        if not said:
            raise FileNotFoundError("it is gone")
        return said[-1]

    def made() -> str:
        if said[-1] == "broken":
            raise SerbenchError("it cannot be read")
        return said[-1]

    serving = server(Followed(made, changed), 0)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield serving, said
    serving.shutdown()
    serving.server_close()


def ask(serving: ThreadingHTTPServer, path: str = "/", host: str | None = None) -> tuple[int, str]:
    port = serving.server_address[1]
    connection = HTTPConnection(HOST, port, timeout=10)
    connection.request("GET", path, headers={"Host": f"{HOST}:{port}" if host is None else host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_a_served_page_follows_its_run(served: tuple[ThreadingHTTPServer, list[str]]) -> None:
    serving, said = served
    assert serving.server_address[0] == "127.0.0.1"
    assert ask(serving) == (200, "one")
    before = ask(serving, "/version")
    said.append("two")
    assert ask(serving, "/version") != before
    assert ask(serving) == (200, "two")
    said.append("broken")
    assert ask(serving) == (200, "two")


def test_a_served_page_stays_as_it_was_where_its_run_cannot_be_read(
    served: tuple[ThreadingHTTPServer, list[str]],
) -> None:
    serving, said = served
    said.clear()
    assert ask(serving)[0] == ask(serving, "/version")[0] == 500
    said.append("one")
    assert ask(serving) == (200, "one")
    before = ask(serving, "/version")
    said.clear()
    assert ask(serving) == (200, "one")
    assert ask(serving, "/version") == before


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example:80"]
)
def test_a_served_page_refuses_other_hosts(served: tuple[ThreadingHTTPServer, list[str]], host: str) -> None:
    status, told = ask(served[0], host=host)
    assert status == 421 and "one" not in told


def test_a_server_has_one_page(served: tuple[ThreadingHTTPServer, list[str]]) -> None:
    assert ask(served[0], "/../etc/passwd")[0] == 404
    with pytest.raises(SerbenchError, match="choose another with --port"):
        server(Followed(str, str), served[0].server_address[1])


def test_cells_that_are_still_to_come_are_waiting_until_their_run_ends(tmp_path: Path) -> None:
    run = make_run(tmp_path, ["fake/a", "fake/b"])
    unverified = "fake/c"
    manifest = json.loads((run.directory / "manifest.json").read_text())
    manifest["codecs"].append(unverified)
    (run.directory / "manifest.json").write_text(json.dumps(manifest))
    followed = page_of([run], Installation(), NOTHING)

    def shown() -> tuple[set[str], dict[str, Any]]:
        told = unpacked(followed.page().decode())
        return set(column(told["cells"], "status")), told["runs"][0]

    with Journal(run):
        before = followed.version()
        statuses, told = shown()
        assert statuses == {"waiting"} and told["ended"]
        assert told["workloads"][0]["trust"]["reasons"] == ["nothing is measured yet"]
    assert followed.version() != before, "a run that was killed left its journal as it was"
    statuses, told = shown()
    assert statuses == {"failed"} and not told["ended"]


def test_only_a_served_page_may_ask_its_server(run: Run) -> None:
    made = contents([run], Installation(), "t")
    assert "connect-src" not in document(made, NOTHING)
    assert "connect-src 'self'" in document(made, NOTHING, follows=True)


# --- private data ---


def test_of_imported_data_a_page_has_no_value(tmp_path: Path) -> None:
    secrets = ["Aunt Agatha", "4711081512345678", "agatha@example.invalid"]
    file = tmp_path / "orders.json"
    orders = [
        {"customer": secrets[0], "card": int(secrets[1]), "notes": [secrets[2]] * n} for n in range(1, 4)
    ]
    file.write_text("\n".join(map(json.dumps, orders)))
    order = ImportOrder(Request((file,)), formats()["json"])
    imported = read(order)
    assert imported.values
    made(order, imported, Messages("data", imported.wanted), tmp_path / "workloads")
    spec = parse_workload("orders", load_workloads(tmp_path / "workloads"))
    data = dataset_for(spec, Paths(PROJECT, tmp_path / "home"))
    # A run has a codec's mistakes as the reason of a failure.
    root = spec.workload.root
    wrong = [
        encode(root, value) for value in reversed([decode(root, message) for message in data.read_messages()])
    ]
    reason = find_difference(data, join_messages(wrong), Tolerance())
    assert reason and data.is_private
    run = MadeUp([f"cpp/{n}" for n in range(6)], (spec.id,), missing=6, reason=reason).write(
        tmp_path / "runs"
    )
    told = json.dumps(unpacked(document(contents([run], Installation(), "t"), NOTHING)), ensure_ascii=False)
    assert spec.id in told and reason in json.loads(told)["cells"]["reason"]["words"]
    assert not [secret for secret in secrets if secret in told]
