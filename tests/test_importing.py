"""Tests of the way from a user's files to a workload: recognised formats, sampled messages, names, and what
is stored."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest
from typer.testing import CliRunner

from serbench import imports
from serbench.cli import listing
from serbench.cli.app import register
from serbench.cli.console import ReadingProgress
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import join_messages
from serbench.errors import FileError, InputError, SelectionError
from serbench.imports import formats
from serbench.imports.base import Format, Imported, Loss, Mapped, Request, refused
from serbench.imports.following import followed
from serbench.imports.importing import ImportOrder, Messages, made, name_of, read, renamed
from serbench.imports.recognising import recognised
from serbench.imports.sample import MessageSample
from serbench.measure.differences import find_difference
from serbench.model import Field, Record, i64, string
from serbench.paths import PROJECT, Paths
from serbench.workload import Origin, Workload, load_workloads, parse_workload

LINE = Record("Line", [Field("number", i64), Field("text", string, wire="the text")])


def read_lines(request: Request) -> Imported:
    def values() -> Iterator[Any]:
        for path in (*request.files, *request.data):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line == "bad":
                    raise refused(path, f"line {number}", "a bad line", "a good one")
                yield LINE(len(line), line if line != "untyped" else 777_777)

    return Imported(
        LINE, (), [Mapped.to("the text", "words", string)], [Loss("the text", "its colour")], values
    )


LINES = Format(
    "lines",
    "Lines",
    (".lines", ".txt"),
    read_lines,
    lambda head: not head.startswith(b"#"),
    {"each": "a line each"},
)
SCHEMA = Format("sketch", "a sketch", (".txt",), lambda request: Imported(LINE, (), []))


@pytest.fixture(autouse=True)
def two_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {format.name: format for format in (LINES, SCHEMA)}
    for module in ("recognising",):
        monkeypatch.setattr(f"serbench.imports.{module}.formats", lambda: known)


def written(folder: Path, text: str = "one\ntwo\nthree\n", name: str = "My Words.lines") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def imported_to(folder: Path, order: ImportOrder) -> Any:
    found = read(order)
    assert found.values
    return made(order, found, Messages("data", found.wanted), folder)


def test_every_format_has_a_name_of_its_own_and_suffixes_with_a_dot() -> None:
    for name, format in imports.formats().items():
        assert name == format.name and format.title
        assert format.suffixes and all(suffix.startswith(".") for suffix in format.suffixes)


def test_formats_are_told_by_suffix_and_content(tmp_path: Path) -> None:
    def found(name: str, text: str) -> str:
        return recognised([written(tmp_path, text, name)]).format.name

    assert (
        found("a.lines", "x")
        == found("a.txt", "x")
        == found("a.txt.gz", "x")
        == found("A.TXT", "x")
        == "lines"
    )
    assert found("a.txt", "# x") == "sketch"
    with pytest.raises(
        InputError,
        match=r"b\.doc: found the ending '\.doc', and no beginning that tells the format; expected Lines "
        r"\(\.lines \.txt\), a sketch \(\.txt\); name it with --from: lines, sketch",
    ):
        found("b.doc", "x")
    assert recognised([tmp_path / "b.doc"], name="sketch").format.name == "sketch"
    with pytest.raises(SelectionError, match="unknown format 'skech'; did you mean sketch"):
        recognised([tmp_path / "b.doc"], name="skech")


def test_files_of_several_formats_are_refused(tmp_path: Path) -> None:
    files = (written(tmp_path), written(tmp_path, "# x", "a.txt"))
    with pytest.raises(InputError, match=r"several formats: Lines \(My Words\.lines\), a sketch \(a\.txt\)"):
        recognised(files)


def test_a_workload_is_made_with_its_messages_and_origin(tmp_path: Path) -> None:
    file = written(tmp_path)
    workload = imported_to(tmp_path / "workloads", ImportOrder(Request((file,)), LINES))
    assert workload.name == "my-words"
    assert workload.summary == "Lines of My Words.lines"
    assert workload.origin.messages == workload.origin.read == 3
    assert [(each.name, each.bytes) for each in workload.origin.inputs] == [(file.name, file.stat().st_size)]
    assert workload.origin.losses == (("the text", "its colour"),)
    assert workload.origin.sizes == (0, 0, 0, 0, 2, 1)  # an i64, a length, and 3 or 5 letters
    known = load_workloads(tmp_path / "workloads")
    paths = Paths(PROJECT, tmp_path / "home")
    data = dataset_for(parse_workload("my-words", known), paths)
    root = known["my-words"].schema.root
    assert [decode(root, each) for each in data.read_messages()] == [(3, "one"), (3, "two"), (5, "three")]
    assert data.path.parent == tmp_path / "workloads" / "my-words", "the messages are kept once"
    assert dataset_for(parse_workload("my-words:count=2", known), paths).messages == 2
    with pytest.raises(SelectionError, match="found 4, expected 1 to 3"):
        parse_workload("my-words:count=4", known)


def test_a_workload_takes_the_place_of_one_of_its_name_whole(tmp_path: Path) -> None:
    folder = tmp_path / "workloads"
    imported_to(folder, ImportOrder(Request((written(tmp_path),)), LINES))
    imported_to(folder, ImportOrder(Request((written(tmp_path, "four\n"),)), LINES))
    assert sorted(path.name for path in folder.iterdir()) == ["my-words"]
    assert len([*(folder / "my-words").iterdir()]) == 2
    with pytest.raises(InputError, match=r"My Words\.lines, line 2: found a bad line; expected a good one"):
        imported_to(folder, ImportOrder(Request((written(tmp_path, "x\nbad\n"),)), LINES))
    assert load_workloads(folder)["my-words"].origin.messages == 1, "what was there stays"  # type: ignore[union-attr]


def test_what_is_not_of_the_schema_is_refused_without_its_value(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"My Words\.lines, message 2, Line\.text: found an integer of 20 bits, expected string",
    ):
        imported_to(
            tmp_path / "workloads", ImportOrder(Request((written(tmp_path, "secret\nuntyped\n"),)), LINES)
        )
    with pytest.raises(InputError, match="found no message; expected at least one"):
        imported_to(tmp_path / "workloads", ImportOrder(Request((written(tmp_path, ""),)), LINES))


def test_a_difference_from_private_messages_is_told_without_their_values(tmp_path: Path) -> None:
    workload = imported_to(
        tmp_path / "workloads", ImportOrder(Request((written(tmp_path, "secret\n"),)), LINES)
    )
    paths = Paths(PROJECT, tmp_path / "home")
    for words in ("my-words", "my-words:count=1"):
        data = dataset_for(parse_workload(words, load_workloads(tmp_path / "workloads")), paths)
        told = find_difference(
            data, join_messages([encode(workload.schema.root, (6, "Secret"))]), Tolerance()
        )
        assert told == "message 0, Line.text: found a text of 6 characters, expected a text of 6 characters"


def test_what_is_made_up_says_so_in_its_name(tmp_path: Path) -> None:
    order = ImportOrder(Request((written(tmp_path),)), LINES)
    assert [name_of(order, kind) for kind in ("data", "synthetic", "twin")] == [
        "my-words",
        "my-words-synthetic",
        "my-words-twin",
    ]
    assert name_of(ImportOrder(order.request, LINES, name="orders-twin"), "twin") == "orders-twin"
    for bad in ("Orders", "-a", "a b", "a--b", "a" * 61, "../a"):
        with pytest.raises(SelectionError, match="as the name of a workload; expected"):
            name_of(ImportOrder(order.request, LINES, name=bad), "data")


def test_a_workload_gets_another_name_with_its_messages(tmp_path: Path) -> None:
    folder = tmp_path / "workloads"
    workload = renamed(
        imported_to(folder, ImportOrder(Request((written(tmp_path),)), LINES)), "words", folder
    )
    assert [path.name for path in folder.iterdir()] == ["words"]
    assert workload.schema.name == "words"
    data = dataset_for(parse_workload("words", load_workloads(folder)), Paths(PROJECT, tmp_path / "home"))
    assert data.messages == 3 and data.schema().digest() == workload.schema.digest()


def test_a_folder_of_another_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "workloads"
    imported_to(folder, ImportOrder(Request((written(tmp_path),)), LINES))
    (folder / "my-words").rename(folder / "words")
    assert isinstance(load_workloads(folder).broken["words"], FileError)
    assert "the workload is named 'my-words'; expected 'words'" in str(load_workloads(folder).broken["words"])


EVENTS = [
    {"id": number, "text": "x" * (number % 30), "more": [number] * (number % 3)} for number in range(2000)
]


@pytest.mark.parametrize("name", ["json", "avro"])
def test_what_is_read_in_part_is_what_would_be_drawn_of_all(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"events.{name}l"
    if name == "json":
        file.write_text("".join(json.dumps(each) + "\n" for each in EVENTS))
    else:
        fields = [{"name": "id", "type": "int"}, {"name": "text", "type": "string"}]
        fields.append({"name": "more", "type": {"type": "array", "items": "int"}})  # type: ignore[dict-item]
        with file.open("wb") as stream:
            fastavro.writer(
                stream, {"type": "record", "name": "Event", "fields": fields}, EVENTS, sync_interval=1000
            )
    found = formats()[name].read(Request((file,)))
    assert found.values and found.some
    root = found.schema("events").root
    all_of_them, some = MessageSample(3, 50), MessageSample(3, 50)
    for value in found.values():
        if not all_of_them.pass_over(1):
            all_of_them.keep(encode(root, value))
    for value in found.wanted(some.pass_over):
        some.keep(encode(root, value))
    assert [*some.messages()] == [*all_of_them.messages()] and some.read == 2000


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz", "events.csv"])
def test_whoever_follows_is_told_of_all_bytes_that_are_read(name: str, tmp_path: Path) -> None:
    lines = "".join(f"{each['id']},{each['text']}\n" for each in EVENTS)
    text = lines if name == "events.csv" else "".join(json.dumps(each) + "\n" for each in EVENTS)
    file = tmp_path / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    told: list[int] = []
    format = formats()["csv" if name == "events.csv" else "json"]
    with followed(told.append):
        found = format.read(Request((file,)))
        assert found.values
        assert len(list(found.values())) >= 1999
    assert (
        file.stat().st_size * format.readings <= sum(told) < file.stat().st_size * format.readings + (1 << 20)
    )


def test_off_a_terminal_progress_is_told_of_what_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    with ReadingProgress(10_000_000, 2) as reading:
        for _ in range(9):
            reading.more(1_000_000)
        reading.LONG_S = -1
        reading.more(1_000_000)
        reading.more(500_000)
        reading.more(9_500_000)
        reading.more(1)
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in said] == ["reading: 50 % of 20 MB", "reading: 100 % of 20 MB"]
    assert all(line.endswith(" s left") for line in said)


def origin_of(known: dict[str, Workload], name: str) -> Origin:
    origin = known[name].origin
    assert origin
    return origin


def run(*words: str) -> Any:
    import typer

    app = typer.Typer()
    register(["import", "try"], app)
    return CliRunner().invoke(app, [*words])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_command_imports_and_says_what_is_next(tmp_path: Path, home: Path) -> None:
    done = run("import", str(written(tmp_path)))
    assert done.exit_code == 0, done.output
    assert "workload my-words: Lines of My Words.lines" in done.output
    assert "run -w my-words" in done.output
    assert [path.name for path in (home / "imported" / "workloads").iterdir()] == ["my-words"]


def test_a_mapping_is_shown_and_nothing_is_imported(tmp_path: Path, home: Path) -> None:
    done = run("import", str(written(tmp_path)), "--explain", "--format", "json")
    found = (
        [json.loads(line) for line in done.output.splitlines()]
        if not done.output.startswith("[")
        else json.loads(done.output)
    )
    assert found[:2] == [
        {"path": "the text", "theirs": "words", "ours": "string", "why": ""},
        {"path": "the text", "lost": "its colour"},
    ]
    (numbers,) = [each for each in found[2:] if each.get("kind") == "i64"]
    assert numbers["fields"] == 1 and "jvm/csv" in numbers["lowered"]
    assert not home.exists()


def test_data_are_files_folders_patterns_and_standard_input(tmp_path: Path, home: Path) -> None:
    schema = written(tmp_path, "one\n")
    written(tmp_path / "more", "two\n", "b.lines")
    written(tmp_path / "more", "three\n", "a.lines")
    written(tmp_path / "more", "four\n", "_SUCCESS")

    def count(*words: str) -> int:
        done = run("import", str(schema), *words)
        assert done.exit_code == 0, done.output
        return int(load_workloads(home / "imported" / "workloads")["my-words"].origin.messages)  # type: ignore[union-attr]

    assert count("--data", str(tmp_path / "more")) == 3
    assert count("--data", str(tmp_path / "more" / "a*")) == 2
    assert (
        count(
            "--data",
            str(tmp_path / "more" / "a.lines"),
            "--data",
            str(tmp_path / "more" / "b.lines"),
            "--sample",
            "1",
        )
        == 1
    )
    for words, error in (
        (["--data", str(tmp_path / "none")], "no such file"),
        (["--data", str(tmp_path / "none*")], "no file matches this pattern"),
        (["--sample", "-3"], "found '-3', expected a number of messages"),
        (["--set", "a"], "found 'a', expected PATH=TYPE"),
    ):
        failed = run("import", str(schema), *words)
        assert error in str(failed.exception), failed.output


def test_names_of_built_in_workloads_are_not_taken(tmp_path: Path, home: Path) -> None:
    failed = run("import", str(written(tmp_path)), "--name", "record")
    assert "a workload named 'record' exists already, in" in str(failed.exception)


def test_lists_show_messages_and_their_sizes(tmp_path: Path, home: Path) -> None:
    run("import", str(written(tmp_path, "a\nb\n" + "long " * 20 + "\n")))
    table, records = listing._workloads(Paths.default())
    (row,) = [row for row in table.rows if row[0] == "my-words"]
    assert row[1] == "Lines of My Words.lines\n3 messages of 9 to 128 bytes  █··▄; 1 loss"
    (record,) = [record for record in records if record["workload"] == "my-words"]
    assert record["origin"]["sizes"] == (0, 0, 0, 0, 2, 0, 0, 1) and record["origin"]["kind"] == "data"


def test_a_schema_without_data_says_what_to_do(tmp_path: Path, home: Path) -> None:
    failed = run("import", str(written(tmp_path, "# x", "a.txt")))
    assert "found a schema without data; expected data files with --data, or --synthesize" in str(
        failed.exception
    )


def test_messages_are_made_up_where_there_are_none(tmp_path: Path, home: Path) -> None:
    schema = written(tmp_path, "# x", "a.txt")
    done = run("import", str(schema), "--synthesize", "50", "--seed", "3")
    assert "workload a-synthetic: synthetic messages of Line, made up with seed 3" in done.output
    workload = load_workloads(home / "imported" / "workloads")["a-synthetic"]
    assert workload.origin and workload.origin.messages == 50 and workload.origin.kind == "synthetic"


def test_a_twin_has_the_sizes_and_none_of_the_values(tmp_path: Path, home: Path) -> None:
    file = written(tmp_path, "secret words of mine\nmore of them\n")
    done = run("import", str(file), "--twin")
    made = "a twin of Lines of My Words.lines: same shapes and sizes, none of the values"
    assert f"workload my-words-twin: {made}" in done.output
    run("import", str(file))
    folder = home / "imported" / "workloads"
    known, paths = load_workloads(folder), Paths(PROJECT, home)
    texts, twins = (
        [
            decode(known[name].schema.root, each)[1]
            for each in dataset_for(parse_workload(name, known), paths).read_messages()
        ]
        for name in ("my-words", "my-words-twin")
    )
    assert [[len(word) for word in text.split(" ")] for text in texts] == [
        [len(word) for word in text.split(" ")] for text in twins
    ]
    assert not {*" ".join(texts).split()} & {word for word in " ".join(twins).split() if len(word) > 3}
    assert origin_of(known, "my-words").inputs and not origin_of(known, "my-words-twin").inputs
    assert not any(b"secret" in path.read_bytes() for path in (folder / "my-words-twin").iterdir())
    refused = run("import", str(file), "--twin", "--synthesize", "3")
    assert "expected only one of them" in str(refused.exception)


def test_a_workload_without_generator_and_data_is_refused_when_it_is_declared() -> None:
    with pytest.raises(TypeError, match="workload empty has no generator; expected generate="):
        Workload("empty", "nothing", LINE)
