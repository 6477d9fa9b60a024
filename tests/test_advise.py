"""Tests of ``serbench advise`` with an interpreted codec, from a file of messages to the table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.support import fake_unit

from serbench.cli.advise import advise
from serbench.cli.advising import gains_of
from serbench.cli.ends import Interrupted
from serbench.cli.hints import hint_of
from serbench.cli.importing import Given, import_
from serbench.cli.options import TableFormat
from serbench.cli.selected import build_units, chosen_job
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.job import Permission
from serbench.verification.units import verified

BYTES = 1 + 3 + 38 + 5 + 4 + 6 + 1 + 3 * (1 + 4 + 4 + 2 + 1)
"""The bytes of one of ``ORDERS`` in MessagePack: each key and each value in turn."""

ORDERS = [
    {"id": str(UUID(int=n << 90)), "note": f"n {n}", "lines": [{"sku": f"x{n}{k}", "n": k} for k in range(3)]}
    for n in range(1, 9)
]


def with_orders(home: Path, orders: Sequence[Mapping[str, Any]]) -> Path:
    """Import orders as a workload of a home, and return the home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERBENCH_HOME", str(home))
        file = home / "orders.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in orders))
        import_(given=Given([file]))
    return home


@pytest.fixture(scope="module", name="home")
def home_with_orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_orders(tmp_path_factory.mktemp("home"), ORDERS)


def test_savings_are_those_of_the_bytes(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    advise(["orders"], ["python/msgpack:dict"], write="avsc", sizes=True, format=TableFormat.json)
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    by_change = {each["change"]: each for each in found}
    assert found[0]["bytes"] == BYTES
    assert by_change["retype=id:uuid"]["bytes_saved"] == len("\xd9") + 1 + 36 - (2 + 16)
    rows, columns = 1 + 3 * (1 + len("_sku") + len("_n")), 1 + len("_sku") + 1 + len("_n") + 1
    assert by_change["columns=lines"]["bytes_saved"] == rows - columns
    assert by_change["narrow=lines[].n:i8"]["bytes_saved"] == 0
    assert found[-1]["path"] == "" and found[-1]["bytes_saved"] == 38 - 18 + rows - columns
    narrow, uuid = by_change["narrow=lines[].n:i8"], by_change["retype=id:uuid"]
    assert (narrow["old_messages"], narrow["old_programs"]) == ("kept", "kept")
    assert "kept" not in (uuid["old_messages"], uuid["old_programs"]), "texts are no bytes"
    assert '"name": "LineColumns"' in (tmp_path / "orders-advised.avsc").read_text()
    kept = [file.read_text() for file in (home / "runs").glob("*/*") if file.is_file()]
    assert any("retype=id:uuid" in text for text in kept)
    assert not any('"n 3' in text or '"x81' in text for text in (json.dumps(found), *kept))  # private data


def test_what_is_not_tried_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    for name, value in (("MOST_TRIED", 2), ("_AT_ONCE", 1), ("TRYING_S", 0.0)):
        monkeypatch.setattr(f"serbench.cli.advise.{name}", value)
    monkeypatch.setattr("serbench.cli.advising.MOST_BYTES", 600)
    advise(["orders"], ["python/msgpack:dict"], sizes=True)
    told = " ".join(capsys.readouterr().out.split())
    assert "orders/take=6 with python/msgpack:dict: 94 bytes a message" in told
    assert "retype=id:uuid −21.3 %" in told
    assert "changes are tried with the first 6 of 8 messages" in told
    assert "not tried, since they promise less: 1 change " in told
    assert "not tried, since 0 s were over: columns=lines" in told


def test_what_cannot_be_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    codec = ["python/msgpack:dict"]
    with pytest.raises(SelectionError, match=r"found 2 workloads \(orders, orders/take=2\); expected one"):
        advise(["orders", "orders/take=2"], codec)
    with pytest.raises(
        SelectionError, match="orders/read=id: expected a workload whose messages are read as"
    ):
        advise(["orders/read=id"], codec)
    with pytest.raises(SelectionError, match="found no codec; expected -c"):
        advise(["orders"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders-advised.proto").write_text("mine")
    with pytest.raises(SelectionError, match=r"orders-advised\.proto is there already"):
        advise(["orders"], codec, write="proto")
    with pytest.raises(SelectionError, match="--write: found 'xsd'; expected avsc, capnp"):
        advise(["orders"], ["python/msgpack:dict"], write="xsd")


def test_an_interruption_leaves_the_sizes(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*of: Any) -> Any:
        raise Interrupted("interrupted; what was measured so far is kept")

    monkeypatch.setenv("SERBENCH_HOME", str(home))
    monkeypatch.setattr("serbench.cli.advise.timed", interrupted)
    with pytest.raises(Interrupted):
        advise(["orders"], ["python/msgpack:dict"], format=TableFormat.json)
    found = json.loads(capsys.readouterr().out)
    assert found[-1]["bytes_saved"] > 0 and found[-1]["write_ratio"] is None


def test_a_first_look_ends_with_what_would_save_most(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    job, units = build_units(chosen_job(["orders"], ["python/msgpack:dict"], None, Permission(False)))
    shares = (f"{100 * saved / BYTES:.0f} %" for saved in (38 - 18, 13))
    assert hint_of(job, verified(job.paths, units, lambda *_: None, 60.0)) == (
        f"id as uuid would save {next(shares)} of the bytes, lines as columns {next(shares)} "
        "(python/msgpack:dict): ./serbench advise -w orders -c python/msgpack:dict"
    )
    assert hint_of(job, []) == ""


def test_a_codec_whose_program_fails_is_a_line_with_its_reason(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    job = chosen_job(["orders"], ["python/msgpack:dict"], None, Permission(False))
    (spec,) = job.chosen.workloads
    unit = replace(
        fake_unit("python/broken", dataset_for(spec, job.paths)), spec=spec, command=("/bin/false",)
    )
    (gain,) = gains_of(job, [unit], spec, [])
    assert gain.codec == unit.name and "the runner" in gain.reason and gain.saved is None
