"""Codecs that share a format read each other's bytes; who does not is found out."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import ENOUGH, OWN, SMALL, Native

from serbench.catalogue import load_variants
from serbench.codec import Tolerance, Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.measure.interop import Exchange, exchange_all, shared_formats
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.report.interop_table import interop_tables
from serbench.workload import load_workloads, parse_workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
VARIANTS = load_variants(Paths.default().codecs)


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str = "none", layout: str = "") -> Unit:
    """A fake codec that writes the canonical bytes."""
    paths = Paths(PROJECT, folder)
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    plain = VARIANTS["cpp/cereal"]
    variant = Variant(plain.codec, "default", "A", "a", Tolerance(), "canonical", layout)
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    monkeypatch.setenv("FAKE_CODEC", plain.id)
    data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return Unit(variant, spec, data, edge, compiler=fault, command=(*FAKE, fault), silence_limit_s=20.0)


def exchanged(*units: Unit) -> dict[tuple[str, str], Exchange]:
    return {(e.writer.split()[1], e.reader.split()[1]): e for e in exchange_all(units, lambda _: None)}


def test_what_a_reader_makes_of_it_is_compared_and_its_faults_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, wrong, dumb = (fake(tmp_path, monkeypatch, fault) for fault in ("none", "wrong", "crash@encode"))
    found = exchanged(good, wrong, dumb)
    assert len(found) == 6
    read_wrongly = found["none", "wrong"]
    assert read_wrongly.failed and "message 31, Monsters.monsters[0].path" in read_wrongly.reason
    read_well = found["wrong", "none"]
    assert (read_well.failed, read_well.reason, read_well.same_bytes) == (False, "", True)
    never_written = found["crash@encode", "none"]
    assert never_written.failed and "free(): invalid pointer" in never_written.reason
    assert found["none", "crash@encode"].same_bytes is None


def test_a_declared_difference_of_layout_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = fake(tmp_path, monkeypatch, layout="records as arrays")
    maps = replace(fake(tmp_path, monkeypatch, layout="records as maps"), compiler="other")
    found = exchanged(arrays, maps)["none", "other"]
    assert (found.failed, found.reason) == (False, "writes records as arrays, reads records as maps")


def test_a_format_of_one_codec_alone_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = fake(tmp_path, monkeypatch)
    other = replace(one, compiler="other", variant=VARIANTS["cpp/iostream"])
    assert shared_formats([one, replace(one, compiler="again")]) == {}
    assert [unit.name for unit in shared_formats([one, other])["canonical"]] == ["cpp/cereal none", "cpp/iostream other"]


def test_the_matrix_has_writers_in_rows_and_its_reasons_below() -> None:
    exchanges = [
        Exchange("json", "w", "a", "b", same_bytes=True),
        Exchange("json", "w", "b", "a", same_bytes=False),
        Exchange("json", "w", "a", "c", reason="lost", failed=True),
        Exchange("json", "w", "c", "a", reason="does not write"),
        Exchange("json", "w", "b", "c", reason="lost", failed=True),
    ]
    (table,) = interop_tables(exchanges)
    assert [list(row) for row in table.rows] == [
        ["1", "a", "", "✓✓", "✗ a"],
        ["2", "b", "✓", "", "✗ a"],
        ["3", "c", "– b", "", ""],
    ]
    assert list(table.headings[2:]) == ["1", "2", "3"]
    assert table.notes[1:] == ["a: lost", "b: does not write"]


ODD_KEYS = ("everything", "every_kind", "nestings", "kinds")
"""Workloads with maps whose keys are no strings, which libraries lay out in ways of their own ([mapping] tells)."""


@pytest.mark.native
@pytest.mark.parametrize("workload", [name for name in SMALL if name not in ODD_KEYS])
def test_real_codecs_of_one_format_read_each_other(native: Native, workload: str) -> None:
    if not native.whole and workload not in (*ENOUGH, *OWN.values()):
        pytest.skip(f"{workload} is left to ./serbench test --all")
    groups = shared_formats([unit for (_, built_for), unit in native.units.items() if built_for == workload])
    own = [format for format, name in OWN.items() if name == workload]
    assert groups.keys() >= set(own or ["canonical"])
    exchanges = [each for group in groups.values() for each in exchange_all(group, lambda _: None)]
    assert [f"{e.writer} → {e.reader}: {e.reason}" for e in exchanges if e.failed] == []
    assert [f"{e.writer} → {e.reader}" for e in exchanges if e.format in own and not e.same_bytes] == []
