"""Tests of the launcher, which makes the Python environment; a fake Python stands in for the real one and
installs nothing, and each test has a folder of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from serbench.errors import SetupError
from serbench.paths import PROJECT
from serbench.system import extras
from serbench.system.command import SET_UP, waiting_since
from serbench.system.extras import EXTRAS, need_packages
from serbench.system.locked import named_by, normalized, subset

FAKE_PYTHON = f"""#!/bin/sh
# Notes what it is asked for; what is said with -c is done by a true one.
case "$*" in
  "-m venv "*) case "$*" in *--without-pip*) echo bare;; *) echo venv;; esac >> "$NOTES"
    for folder; do :; done; mkdir -p "$folder/bin"; sleep 0.3; cp "$0" "$folder/bin/python" ;;
  *"import pip, "*) [ "${{LACKS:-}}" != pip ] && [ "${{LACKS:-}}" != both ] ;;
  *"import ensurepip, "*) [ "${{LACKS:-}}" != ensurepip ] && [ "${{LACKS:-}}" != both ] ;;
  "-m pip --python "*) echo pip >> "$NOTES"; for file; do :; done; cat "$file" >> "$NOTES.lock"
    [ -e "$4" ] ;;
  "-m pip "*) echo pip >> "$NOTES"; for file; do :; done; cat "$file" >> "$NOTES.lock"
    sleep "$PIP_S"; [ -e "${{0%/bin/python}}/bin/python" ] && [ "${{file##*/}}" != "${{FAILS:-}}" ] ;;
  "-m serbench "*) [ -e "$0" ] && echo "set up in $SERBENCH_SET_UP_S s" >&2 && echo "ran $3" ;;
  *) exec {shlex.quote(sys.executable)} "$@" ;;
esac
"""


PYPROJECT = """[project]
dependencies = ["wanted>=1"]
[project.optional-dependencies]
drawing = ["Pen_cil"]
all = ["serbench[drawing]", "other"]
"""
LOCK = """deep.er==3 \\
    --hash=sha256:33
    # via
    #   needed
    #   pen-cil
needed==2 \\
    --hash=sha256:22 \\
    --hash=sha256:23
    # via wanted
other==5 ; sys_platform == 'win32' \\
    --hash=sha256:55
    # via serbench (pyproject.toml)
pen-cil==4 \\
    --hash=sha256:44
    # via serbench (pyproject.toml)
pip==9 \\
    --hash=sha256:99
    # via wanted
wanted==1 \\
    --hash=sha256:11
    # via serbench (pyproject.toml)
"""


def packages(lock: str) -> list[str]:
    return re.findall(r"^(\S+)==", lock, re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    shutil.copy(PROJECT / "serbench", folder)
    system = Path("src", "serbench", "system")
    (folder / system).mkdir(parents=True)
    shutil.copy(PROJECT / system / "locked.py", folder / system)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "requirements.lock").write_text(LOCK)
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
    assert (checkout / "notes").read_text().split() == ["bare", "pip", "pip", "pip"]
    assert sum("waiting for another serbench" in err for _, err in outputs) == 2


def test_a_launch_that_was_killed_keeps_none_from_making_it(checkout: Path) -> None:
    first = launch(checkout, "one", pip_s="600")
    while not (checkout / "notes").exists() or "pip" not in (checkout / "notes").read_text():
        assert first.poll() is None
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    (checkout / "notes").unlink()
    second = launch(checkout, "two")
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (0, "ran two\n"), err
    assert (checkout / "notes").read_text().split() == ["bare", "pip", "pip", "pip"]


@pytest.mark.parametrize("half", ["half.lock", "other_half.lock"])
def test_half_an_environment_is_none(checkout: Path, monkeypatch: pytest.MonkeyPatch, half: str) -> None:
    monkeypatch.setenv("FAILS", half)
    first = launch(checkout, "one")
    err = first.communicate(timeout=60)[1]
    assert first.returncode == 2
    assert "error: the Python packages of requirements.lock could not be installed; see above" in err
    assert not (checkout / ".venv").exists()
    monkeypatch.delenv("FAILS")
    assert launch(checkout, "two").communicate(timeout=60)[0] == "ran two\n"


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


@pytest.mark.parametrize(("lacks", "made"), [("", "bare"), ("ensurepip", "bare"), ("pip", "venv")])
def test_an_environment_gets_what_serbench_needs_to_run_and_no_more(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, lacks: str, made: str
) -> None:
    """A recent pip comes first, by the Python's own pip or else by one that Python brings."""
    monkeypatch.setenv("LACKS", lacks)
    launch(checkout, "one").communicate(timeout=60)
    assert (checkout / "notes").read_text().split() == [made, *["pip"] * 3]
    given = (checkout / "notes.lock").read_text()
    first, *others = packages(given)
    assert first == "pip" and sorted(others) == ["deep.er", "needed", "pip", "wanted"]
    assert sorted(re.findall(r"sha256:(\d+)", given)) == ["11", "22", "23", "33", "99", "99"]
    assert (checkout / ".venv" / "requirements.lock").read_text() == LOCK


def test_a_python_that_can_make_no_environment_is_told(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACKS", "both")
    first = launch(checkout, "--no-install")
    err = first.communicate(timeout=60)[1]
    assert first.returncode == 2 and "cannot make environments; get it: apt-get install python" in err
    assert not (checkout / "notes").exists()


def test_an_extra_has_what_it_needs_besides(checkout: Path) -> None:
    assert packages(subset(checkout, ["drawing"])) == ["deep.er", "needed", "pen-cil", "pip", "wanted"]
    assert packages(subset(checkout, ["all"])) == packages(LOCK)
    assert "sys_platform == 'win32'" in subset(checkout, ["all"])


def test_every_package_of_the_lock_file_is_of_serbench_or_of_an_extra() -> None:
    whole = packages((PROJECT / "requirements.lock").read_text())
    assert packages(subset(PROJECT, EXTRAS)) == whole
    base = packages(subset(PROJECT))
    assert named_by(PROJECT, []) <= {normalized(each) for each in base} and 3 * len(base) < len(whole)
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert sorted(EXTRAS) == sorted(declared["optional-dependencies"])


@pytest.mark.parametrize("fails", [False, True])
def test_an_extra_is_installed_when_it_is_first_needed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """The fake pip notes its arguments, and installs the module that is needed unless ``fails``."""
    launch(checkout, "one").communicate(timeout=60)
    (checkout / "notes.lock").unlink()
    monkeypatch.syspath_prepend(str(checkout))
    pip = checkout / "pip"
    pip.write_text(
        "#!/bin/sh\n"
        'for file; do :; done\ncp "$file" "$NOTES.lock"\n'
        + (
            "echo no such hash >&2; exit 1\n"
            if fails
            else f"echo > {shlex.quote(str(checkout))}/pen_cil.py\n"
        )
    )
    pip.chmod(0o755)
    said: list[str] = []
    monkeypatch.setenv("NOTES", str(checkout / "notes"))
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    monkeypatch.setattr(sys, "executable", str(pip))
    monkeypatch.setattr(extras, "PROJECT", checkout)
    monkeypatch.setattr(extras, "ENVIRONMENT", checkout / ".venv")
    monkeypatch.setattr(extras, "_told", [said.append])
    if fails:
        with pytest.raises(SetupError, match=r"serbench\[drawing\] could not be installed: no such hash"):
            need_packages("drawing", "pen_cil")
    else:
        need_packages("drawing", "pen_cil")
        need_packages("drawing", "pen_cil")
    assert said == ["installing the Python packages for serbench[drawing] (once) ..."]
    given = packages((checkout / "notes.lock").read_text())
    assert given == ["deep.er", "needed", "pen-cil", "pip", "wanted"]
