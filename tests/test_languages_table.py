"""Tests of the table of a run of several languages: the fastest codec of each format in each language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.judged import made
from tests.support import raw_manifest
from tests.test_pipeline import make_run

from serbench.measure.store import Journal, Run, create_run
from serbench.report.languages_table import languages_table
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables

CODECS = {
    "cpp/quick_read": ("json", 9, 1),
    "cpp/quick": ("json", 4, 3),
    "go/only": ("json", 4, 4),
    "go/alone": ("gob", 1, 1),
    "cpp/cbor": ("cbor", 1, 1),
    "go/cbor": ("cbor", 2, 2),
    "cpp/floor": ("json", 0.1, 0.1),
}
"""Codec → its format, and the microseconds that it takes to write and to read."""


def measured(folder: Path, codecs: Mapping[str, tuple[str, float, float]], memory: str = "reuse") -> Run:
    manifest = raw_manifest(make_run(folder, list(codecs)))
    operations = [f"serialize:{memory}", f"deserialize:{memory}"]
    formats = {codec: format for codec, (format, _, _) in codecs.items()}
    changed = {"operations": operations, "formats": formats, "floors": ["cpp/floor"]}
    run = create_run(folder, manifest | changed)
    with Journal(run) as journal:
        for codec, (_, writing, reading) in codecs.items():
            who = {"codec": codec, "workload": "fake", "compiler": ""}
            did = {"operations": ["serialize", "deserialize"], "size_bytes": 80}
            journal.append({"event": "unit", **who, "status": "ok", "reason": "", **did})
            for operation, time in (("serialize", writing), ("deserialize", reading)):
                what = {"operation": operation, "memory": memory, "iterations": 1}
                for number in range(1, 7):
                    elapsed = {"elapsed_ns": round(1000 * time), "round": number}
                    journal.append({"event": "sample", **who, **what, **elapsed})
    return run


def test_the_fastest_codec_stands_for_its_format_and_a_format_of_one_language_for_nothing(
    tmp_path: Path,
) -> None:
    """Codecs are compared by the product of their times to write and to read: 9 and 1 µs are better than 4
    and 3. A floor is never shown for a format."""
    run = measured(tmp_path, CODECS)
    table = languages_table(run, "fake", rows_of(run))
    assert table and list(table.headings) == ["format", "C++", "Go"]
    assert table.rows == [
        ["cbor", "cbor\n1.00 µs / 1.00 µs", "cbor\n2.00 µs / 2.00 µs"],
        ["json", "quick_read\n9.00 µs / 1.00 µs", "only\n4.00 µs / 4.00 µs"],
    ]
    assert table.title == (
        "fake: the fastest codec of each format and language: serialize / deserialize, reuse"
    )


def test_it_follows_the_table_of_its_workload_and_needs_two_languages(tmp_path: Path) -> None:
    run = measured(tmp_path, CODECS, "fresh")
    first, second = run_tables(run, rows_of(run), 120)
    assert second.title.endswith("deserialize, fresh") and second.next_step
    assert not first.next_step
    alone = measured(tmp_path / "alone", {name: told for name, told in CODECS.items() if name[0] == "c"})
    assert languages_table(alone, "fake", rows_of(alone)) is None
    unknown = create_run(tmp_path / "before", raw_manifest(run) | {"formats": {}})
    assert languages_table(unknown, "fake", rows_of(run)) is None


def test_no_codec_is_called_the_fastest_that_others_may_be(tmp_path: Path) -> None:
    run = measured(tmp_path, CODECS | {"cpp/equal": ("json", 9, 1)})
    table = languages_table(run, "fake", rows_of(run))
    assert table and table.title.startswith("fake: the codec of least time of each format and language: ")
    assert table.rows[1] == ["json", "quick_read =\n9.00 µs / 1.00 µs", "only\n4.00 µs / 4.00 µs"]
    assert table.notes == ["=: too close to call: json in C++ (quick_read, equal)."]


def test_where_times_vary_too_much_the_fastest_is_not_known(tmp_path: Path) -> None:
    times = {"cpp/a": (100, 100), "cpp/b": (110, 110), "go/c": (900, 900)}
    run = made(tmp_path, times, noise=0.3, formats=dict.fromkeys(times, "json"))
    table = languages_table(run, "w", rows_of(run))
    assert table and table.notes == ["~: not known: json in C++ (a, b)."]
    assert table.rows[0][1].startswith("a ~\n") and table.rows[0][2].startswith("c\n")
