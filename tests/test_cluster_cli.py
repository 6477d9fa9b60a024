"""Tests of the options for clusters: values that are refused, and messages about what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.test_cli import serbench
from tests.test_pipeline import make_run

from serbench.cli.clustered import Where
from serbench.errors import SelectionError, SetupError


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--cluster", "fleet"), "found 'fleet', expected local:N, ssh:FILE, tcp://HOST:PORT or"),
        (("verify", "--cluster", "tcp://fleet.example:1"), "use tls://, or --insecure"),
        (("try", "orders.jsonl", "--cluster", "local:0"), "has no workers"),
        (("list", "machines"), "expected --cluster ADDRESS"),
        (("list", "codecs", "--cluster", "local:1"), "--cluster is for list machines; found list codecs"),
        (("run", "--machines", "zen4"), "--machines is about the machines of a --cluster"),
        (("verify", "--insecure"), "--insecure is about the machines of a --cluster"),
        (("run", "--no-share"), "--share is about the machines of a --cluster"),
        (("verify", "--share", "-c", "cpp/memcpy", "--cluster", "local:1"), "share what is verified"),
        (("verify", "--interop", "--cluster", "local:1"), "--interop is of one machine"),
        (
            ("run", "--cluster", "local:1", "--metric", "wire"),
            "measures times; found --metric wire",
        ),
        (
            ("run", "--cluster", "local:1", "--prefix", "."),
            "--revision, --prefix, --profile, --version, --allocator and --engine say",
        ),
        (("run", "--cluster", "local:999", "-w", "record"), "expected one for each worker at least"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    if "--cluster" in arguments:
        pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")
    done = serbench(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr and done.stdout == ""
    assert not (tmp_path / "runs").exists()


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SetupError, match=r"needs distributed, from the extra serbench\[cluster\]; get it: "):
        Where("local:2").address()
    assert Where().address() is None
    with pytest.raises(SelectionError):  # a faulty name is told first
        Where("fleet").address()


def test_a_run_is_continued_where_it_was_made(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")
    run = make_run(tmp_path / "runs", ["cpp/memcpy"])
    done = serbench(tmp_path, "run", "--resume", run.id, "--cluster", "local:1")
    assert done.returncode == 2 and "is continued where it was made; expected no --cluster" in done.stderr


def test_a_dry_run_connects_to_nothing(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")
    arguments = ("run", "--dry-run", "-c", "cpp/memcpy", "--cluster", "tcp://127.0.0.1:9")
    done = serbench(tmp_path, *arguments)
    assert done.returncode == 0 and "3 cells in 1 processes a round" in done.stdout
