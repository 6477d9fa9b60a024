"""The launcher, which makes the Python environment: with a Python of its own that makes none, in a folder of
its own."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serbench.command import SET_UP, waiting_since
from serbench.paths import PROJECT

FAKE_PYTHON = f"""#!/bin/sh
# Notes what it is asked for; what is said with -c is done by a true one.
case "$*" in
  "-m venv "*) echo venv >> "$NOTES"; mkdir -p "$3/bin"; sleep 0.3; cp "$0" "$3/bin/python" ;;
  "-m pip "*) echo pip >> "$NOTES"; sleep "$PIP_S"; [ -e "${{0%/bin/python}}/bin/python" ] ;;
  "-m serbench "*) [ -e "$0" ] && echo "set up in $SERBENCH_SET_UP_S s" >&2 && echo "ran $3" ;;
  *) exec {shlex.quote(sys.executable)} "$@" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    shutil.copy(PROJECT / "serbench", folder)
    (folder / "requirements.lock").write_text("nothing==1\n")
    python = folder / "fake-python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    return folder


def launch(checkout: Path, word: str, pip_s: str = "0.3") -> subprocess.Popen[str]:
    own = {"SERBENCH_PYTHON": str(checkout / "fake-python"), "NOTES": str(checkout / "notes"), "PIP_S": pip_s}
    return subprocess.Popen(
        [str(checkout / "serbench"), word],
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_two_first_launches_make_one_environment(checkout: Path) -> None:
    launches = [launch(checkout, word) for word in ("one", "two", "three")]
    outputs = [each.communicate(timeout=60) for each in launches]
    assert [each.returncode for each in launches] == [0, 0, 0], outputs
    assert [out for out, _ in outputs] == ["ran one\n", "ran two\n", "ran three\n"]
    assert (checkout / "notes").read_text().split() == ["venv", "pip"]
    assert sum("waiting for another serbench" in err for _, err in outputs) == 2


def test_a_launch_that_was_killed_keeps_none_from_making_it(checkout: Path) -> None:
    first = launch(checkout, "one", pip_s="600")
    while not (checkout / "notes").exists() or "pip" not in (checkout / "notes").read_text():
        assert first.poll() is None
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    second = launch(checkout, "two")
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (0, "ran two\n"), err
    assert (checkout / "notes").read_text().split() == ["venv", "pip"] * 2


def test_says_how_long_the_user_waited_for_the_environment(checkout: Path) -> None:
    told = [launch(checkout, word, pip_s="2.2").communicate(timeout=60)[1] for word in ("one", "two")]
    first, second = (int(err.split("set up in ")[1].split()[0]) for err in told)
    assert first >= 2 and second < 2, told


def test_a_user_waits_since_the_launcher_began(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setenv(SET_UP, "50")
    assert waiting_since() == pytest.approx(now - 50, abs=1)
    monkeypatch.delenv(SET_UP)
    assert waiting_since() >= now
