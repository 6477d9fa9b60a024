"""Machines that are reached by SSH: reads the file that names them, and checks whether each can be a
worker."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path, PurePosixPath
from typing import Any

from serbench.errors import SelectionError, SerbenchError
from serbench.system.files import short

CONNECT_S = 20.0

DEFAULT_PLACE = "serbench"
"""The folder of serbench in the user's home on a machine, if the file names no other place."""

_LINE = re.compile(r"(?:([\w.-]+)@)?(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?(?:\s+(\S.*))?")
_EXPECTED = "expected [USER@]HOST[:PORT], and where serbench is there: a clone, or a Python that has it"


@dataclass(frozen=True)
class Reached:
    """A machine that is reached by SSH.

    Attributes:
        user, port: None for the setting in SSH's configuration.
        place: the folder of a clone, or the Python of an environment; relative to the user's home unless it
            is an absolute path.
    """

    host: str
    user: str | None = None
    port: int | None = None
    place: str = DEFAULT_PLACE

    @property
    def connecting(self) -> dict[str, Any]:
        """The options of a connection that differ from SSH's configuration."""
        asked = {"username": self.user, "port": self.port}
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def python(self) -> str:
        """The words of a shell command that start the Python which has serbench."""
        place = PurePosixPath(self.place)
        quoted = shlex.quote(self.place) if place.is_absolute() else f'"$HOME"/{shlex.quote(self.place)}'
        if re.fullmatch(r"python[\d.]*", place.name):
            return quoted
        return f"env PYTHONPATH={quoted}/src {quoted}/.venv/bin/python"


def reached_by(file: Path) -> list[Reached]:
    """Return the machines that a file names, one a line; ``#`` begins a comment. Raise SelectionError where
    the file cannot be read, names none, or has a line that is not valid."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SelectionError(f"--cluster ssh:{file} cannot be read: {reason}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not (text := line.partition("#")[0].strip()):
            continue
        if not (told := _LINE.fullmatch(text)) or int(told[3] or 1) not in range(1, 1 << 16):
            raise SelectionError(f"{file}, line {number}: found {short(text)}, {_EXPECTED}")
        port = int(told[3]) if told[3] else None
        place = (told[4] or DEFAULT_PLACE).removeprefix("~/")
        found.append(Reached(told[2].strip("[]"), told[1], port, place))
    if not found:
        raise SelectionError(f"--cluster ssh:{file} names no machine; {_EXPECTED}, one a line")
    return found


def is_loopback(host: str) -> bool:
    """Whether a host is this machine's own address, which no other machine reaches."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_reached(machines: Sequence[Reached]) -> None:
    """Ask all machines at once whether each can be a worker; raise SerbenchError, which says what to do,
    where some cannot."""
    with ThreadPoolExecutor(1) as apart:  # since a loop may be running in this thread
        faults = apart.submit(asyncio.run, _faults(machines)).result()
    if faults:
        raise SerbenchError("--cluster ssh: " + "; ".join(faults))


async def _faults(machines: Sequence[Reached]) -> list[str]:
    return [fault for fault in await asyncio.gather(*map(_fault, machines)) if fault]


async def _fault(machine: Reached) -> str:
    """Return why a machine cannot be a worker; empty if it can."""
    import asyncssh  # which the extra has, and nothing else here needs

    asked = f"{machine.python} -c 'import serbench.cluster, distributed'"
    try:
        connecting = asyncssh.connect(machine.host, **machine.connecting)
        async with await asyncio.wait_for(connecting, CONNECT_S) as connection:
            done = await connection.run(asked, check=False, timeout=CONNECT_S)
    except TimeoutError:
        return f"{machine.host} does not answer within {CONNECT_S:g} s"
    except (OSError, ValueError, asyncssh.Error) as error:  # a name that cannot be one is a ValueError
        return f"{machine.host} cannot be reached: {error or type(error).__name__}"
    if done.exit_status == 0:
        return ""
    said = str(done.stderr or "").strip().splitlines()
    return (
        f"{machine.host} has no serbench with the extra serbench[cluster] in {machine.place} "
        f"({short(said[-1]) if said else f'exit status {done.exit_status}'}); start it there once, or say in "
        "the file where it is"
    )
