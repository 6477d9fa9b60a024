"""Tests of what ``workload prune`` removes from a home."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from serbench.cli.app import main
from serbench.paths import Paths

KEPT = (
    "build/shared/aa/now.o",
    "build/of/own/cpp/g++/build.ninja",
    "build/cpp/g++/cells/a.orders",
    "runs/r/x",
)
REMOVED = (
    "build/shared/bb/before.o",
    "build/cpp/g++/cells/a.orders__0123abcd",
    "build/go/orders__0123abcd/folder/b__0123abcd",
    "encoded/cc/encoded",
)


def test_what_nothing_needs_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in (*KEPT, *REMOVED):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"build {Paths.default().shared_objects}/aa/now.o: CXX\n" + 500_000 * "x")
    (tmp_path / "build" / "shared" / "aa" / "now.o").write_text("made beside shared/bb")
    earlier = tmp_path / "build" / "cpp" / "g++" / ".log"
    earlier.write_text(f"{Paths.default().shared_objects}/bb/before.o")
    monkeypatch.setattr(sys, "argv", ["serbench", "workload", "prune"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert [name for name in KEPT if not (tmp_path / name).exists()] == []
    assert [name for name in REMOVED if (tmp_path / name).exists()] == []
    assert capsys.readouterr().out.startswith("removed 2.0 MB of what")
