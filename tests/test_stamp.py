"""Tests of stamps: no step is done twice, and a step is done again if something changed, or if it failed or
was interrupted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from serbench.system.stamp import ASK_AGAIN_S, Stamp, contents, sha256_of


def step(times: list[str], said: str = "", makes: Path | None = None) -> Callable[[], str]:
    """A function that serves as a step: it appends ``said`` to ``times``, writes the file ``makes`` if there
    is one, and returns ``said``, the reason why the step failed, or empty for success."""

    def do() -> str:
        times.append(said)
        if makes:
            makes.write_text("made")
        return said

    return do


def test_a_step_is_done_once_for_a_state_and_again_for_another(tmp_path: Path) -> None:
    done: list[str] = []
    for state in ("a", "a", "b", "b", "a"):
        assert Stamp(tmp_path / "stamp", state).once(step(done)) == ""
        assert Stamp(tmp_path / "stamp", state).holds()
    assert len(done) == 3


def test_a_step_whose_result_is_gone_is_done_again(tmp_path: Path) -> None:
    done: list[str] = []
    made = tmp_path / "program"
    stamp = Stamp(tmp_path / "stamp", "a", made)
    for _ in range(2):
        stamp.once(step(done, makes=made))
    made.unlink()
    stamp.once(step(done, makes=made))
    assert len(done) == 2 and made.exists() and stamp.holds()


@pytest.mark.parametrize("before", ["", "a"])
def test_a_step_that_is_interrupted_is_done_again(tmp_path: Path, before: str) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    path, done = tmp_path / "stamp", list[str]()
    if before:
        Stamp(path, before).set()
    with pytest.raises(KeyboardInterrupt):
        Stamp(path, "b").once(interrupted)
    # The unfinished work belongs to neither state.
    assert not Stamp(path, "b").holds() and not Stamp(path, "a").holds()
    Stamp(path, "b").once(step(done))
    assert len(done) == 1 and Stamp(path, "b").holds()


def test_a_step_that_failed_is_done_again(tmp_path: Path) -> None:
    done: list[str] = []
    stamp = Stamp(tmp_path / "stamp", "a")
    assert [stamp.once(step(done, said)) for said in ("no", "no", "", "no")] == ["no", "no", "", ""]
    assert done == ["no", "no", ""]


def test_a_failure_is_kept_for_its_state_and_for_a_while(tmp_path: Path) -> None:
    done: list[str] = []
    stamp = Stamp(tmp_path / "stamp", "a")
    for _ in range(2):
        assert stamp.once(step(done, "two\nlines"), keeps_failure=True) == "two\nlines" == stamp.failure()
    assert len(done) == 1
    assert Stamp(tmp_path / "stamp", "b").failure() == ""
    assert Stamp(tmp_path / "stamp", "b").once(step(done), keeps_failure=True) == ""
    assert stamp.failure() == "two\nlines"
    (kept,) = tmp_path.glob("*.failed")
    past = time.time() - ASK_AGAIN_S - 1
    os.utime(kept, (past, past))
    assert stamp.failure() == "" == stamp.once(step(done), keeps_failure=True)
    assert len(done) == 3 and stamp.holds()


@pytest.mark.parametrize("damage", [b"", b"a\n", b"\xff", b"aa"])
def test_a_damaged_stamp_is_as_good_as_none(tmp_path: Path, damage: bytes) -> None:
    done: list[str] = []
    stamp = Stamp(tmp_path / "stamp", "a")
    stamp.path.write_bytes(damage)
    assert not stamp.holds()
    stamp.once(step(done))
    assert done and stamp.holds()


def test_a_digest_depends_on_every_part_and_on_where_it_ends() -> None:
    several: list[list[str | bytes]] = [[], [""], ["ab"], ["a", "b"], ["", "ab"], ["b", "a"], ["ab", ""]]
    several += [[b"ab", "c"], ["1\na"]]
    assert len({sha256_of(*parts) for parts in several}) == len(several)
    assert sha256_of("ä") == sha256_of("ä".encode())


def test_the_contents_of_files_are_their_names_and_bytes_in_order(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name, data in (("b", b"1"), ("inner/a", b"2"), ("a", b"")):
        (tmp_path / name).write_bytes(data)
    files = [tmp_path / "inner" / "a", tmp_path / "b", tmp_path / "a"]
    assert [*contents(tmp_path, files)] == ["a", b"", "b", b"1", "inner/a", b"2"]
