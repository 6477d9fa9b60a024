"""Starts commands of serbench for tests, each in a process that is forked from one which has imported all
commands, since importing takes most of the time of a brief command.

A command has an environment, a folder and outputs of its own, as from ``python -m serbench``. Tests of what a
command imports, or of how it ends by a signal, start Python itself.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from tests.spent import spent_elsewhere

from serbench.paths import PROJECT

LIMIT_S = 300
"""The seconds after which a command is killed, unless more are asked for."""


def started(
    *words: str,
    home: Path,
    folder: Path = PROJECT,
    further: Mapping[str, str] | None = None,
    limit_s: int = LIMIT_S,
) -> subprocess.CompletedProcess[str]:
    """A command of serbench that has ended.

    Args:
        home: the folder of its builds and data.
        folder: the folder that it is started in.
        further: other variables of its environment.
        limit_s: the seconds after which it is killed.
    """
    own = {"PYTHONPATH": str(PROJECT / "src"), "SERBENCH_HOME": str(home)}
    with TemporaryDirectory(prefix="serbench-") as name:
        out, error = Path(name) / "out", Path(name) / "error"
        files = {"out": str(out), "error": str(error), "folder": str(folder)}
        environment = {**os.environ, **own, **(further or {})}
        asked = {"words": words, "environment": environment, "limit_s": limit_s, **files}
        to, back = _forking()
        print(json.dumps(asked), file=to, flush=True)
        status, busy_s = back.readline().split()
        spent_elsewhere(float(busy_s))
        return subprocess.CompletedProcess(words, int(status), out.read_text(), error.read_text())


@cache
def _forking() -> tuple[IO[str], IO[str]]:
    """The process that forks, which each process of tests has once: its input, and its output."""
    # A console that is made when a module is imported would keep the width that it finds then.
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.started"],
        cwd=PROJECT,
        env={**kept, "PYTHONPATH": os.pathsep.join((str(PROJECT / "src"), str(PROJECT)))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    atexit.register(process.wait)
    atexit.register(process.stdin.close)  # called first
    return process.stdin, process.stdout


def _fork_for_each() -> None:
    """Forks a process for each command on standard input, and prints its status and its seconds of
    processors. Returns in the parent when the input ends, and never in a child, which ends as a command
    does."""
    sys.argv[0] = str(PROJECT / "src" / "serbench" / "__main__.py")  # by which messages name the command
    app = import_module("serbench.cli.app")
    for place, _ in app.COMMANDS.values():
        import_module(f"serbench.cli.{place.partition('.')[0]}")
    gc.freeze()  # so that children share what is imported
    for line in sys.stdin:
        if child := os.fork():
            _, status, used = os.wait4(child, 0)
            print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, flush=True)
            continue
        asked = json.loads(line)
        signal.alarm(asked["limit_s"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        for number, file in enumerate((os.devnull, asked["out"], asked["error"])):
            os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
        sys.argv[1:] = asked["words"]
        app.main()
        sys.exit()


if __name__ == "__main__":
    _fork_for_each()
