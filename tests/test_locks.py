"""Tests of locks that are held during a ``with`` block: several processes may measure in one home while none
builds there."""

from __future__ import annotations

import socket
from pathlib import Path

from serbench.system.locks import CORE, lock, using_core, using_home


def can_lock(home: Path, shared: bool = False) -> bool:
    with (home / "lock").open("a+b") as file:
        return lock(file, shared)


def test_who_measures_shares_a_home_and_who_builds_has_it_alone(tmp_path: Path) -> None:
    said: list[str] = []
    with using_home(tmp_path, said.append, shared=True), using_home(tmp_path, said.append, shared=True):
        assert can_lock(tmp_path, shared=True) and not can_lock(tmp_path)
    with using_home(tmp_path, said.append):
        assert not can_lock(tmp_path, shared=True)
    assert can_lock(tmp_path) and not said
    with using_home(tmp_path / "new", said.append):
        assert "process" in (tmp_path / "new" / "lock").read_text()


def is_free(core: int) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as claim:
        try:
            claim.bind(f"\0{CORE}{core}")
        except OSError:
            return False
        return True


def test_a_core_is_claimed_while_a_process_runs_on_it() -> None:
    core = 98_765  # which no machine has
    with using_core(core):
        assert not is_free(core)
        with using_core(core):  # once more in the same process
            assert not is_free(core)
        assert not is_free(core)
    assert is_free(core)
    with using_core(None):
        pass
