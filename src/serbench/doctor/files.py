"""The files of /proc and /sys that checks read, now and a moment before, so that counters can be compared."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from serbench.measure.process import measuring_core

Read = Callable[[str], str | None]
"""Gives the text of a file without surrounding blanks, by its path from the root without the leading slash;
None if it cannot be read."""


def files_below(root: Path) -> Read:
    """Make a reader of the files below a folder: ``/``, or in tests another one."""

    def read(path: str) -> str | None:
        try:
            return (root / path).read_text(errors="replace").strip()
        except OSError:
            return None

    return read


@dataclass(frozen=True)
class MachineFiles:
    """A machine, by the files of its system that checks read.

    Attributes:
        read: reads the files as they are now.
        earlier: the same for files of counters, as they were some time before.
        core: the core that runners are pinned to; None where this system pins no processes.
    """

    read: Read
    earlier: Read
    core: int | None

    @property
    def own(self) -> str:
        """The folder of the measuring core below /sys; core 0's if processes are not pinned."""
        return f"sys/devices/system/cpu/cpu{self.core or 0}"

    @property
    def virtual(self) -> bool | None:
        """Whether this is a virtual machine, by its processor's flags or the system; None if unknown."""
        if self.read("sys/hypervisor/type") is not None:
            return True
        flags = re.search(r"^flags\s*:(.*)$", self.read("proc/cpuinfo") or "", re.MULTILINE)
        return "hypervisor" in flags[1].split() if flags else None

    def number(self, path: str) -> int | None:
        """The whole number in a file; None if it holds none."""
        return whole_number(self.read(path))

    def grown(self, path: str) -> int | None:
        """How much a file's number has grown since ``earlier``; None if either is missing."""
        before, now = whole_number(self.earlier(path)), self.number(path)
        return None if before is None or now is None else now - before


COUNTERS = ("proc/stat", "proc/vmstat")
THROTTLINGS = ("core_throttle_count", "package_throttle_count")


def observe(
    seconds: float, root: Path = Path("/"), sleep: Callable[[float], None] = time.sleep
) -> MachineFiles:
    """Reads the files of this machine, with its counters as they were ``seconds`` ago."""
    read, core = files_below(root), measuring_core()
    machine = MachineFiles(read, read, core)
    paths = [*COUNTERS, *(f"{machine.own}/thermal_throttle/{name}" for name in THROTTLINGS)]
    earlier = {path: read(path) for path in paths}
    sleep(seconds)
    return MachineFiles(read, earlier.get, core)


def whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"-?\d+", text.strip()) else None


def core_list(text: str) -> set[int]:
    """The cores that a list such as ``0-2,5`` names."""
    cores: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        cores.update(range(int(first), int(last or first) + 1))
    return cores


@dataclass(frozen=True)
class CoreTime:
    """Ticks of the system's clock that a core spent, by kind of work (/proc/stat); ``all`` includes
    idling."""

    all: int
    idle: int
    stolen: int

    @property
    def busy(self) -> int:
        """The ticks spent on work of this system, without those that the hypervisor gave to other guests."""
        return self.all - self.idle - self.stolen

    def since(self, before: CoreTime) -> CoreTime:
        return CoreTime(self.all - before.all, self.idle - before.idle, self.stolen - before.stolen)


def core_times(read: Read) -> dict[int, CoreTime]:
    """The time that each core spent since boot; empty if the system does not report it."""
    times = {}
    for core, numbers in re.findall(r"^cpu(\d+) ([\d ]+)$", read("proc/stat") or "", re.MULTILINE):
        # The ninth and tenth number are the time of guests, which the first two already contain.
        ticks = [int(each) for each in numbers.split()][:8]
        if len(ticks) == 8:
            times[int(core)] = CoreTime(sum(ticks), ticks[3] + ticks[4], ticks[7])
    return times


def times_since(machine: MachineFiles) -> dict[int, CoreTime]:
    """The time that each core spent since ``machine.earlier``, without cores that spent none."""
    before, now = core_times(machine.earlier), core_times(machine.read)
    grown = {core: now[core].since(before[core]) for core in sorted(now.keys() & before.keys())}
    return {core: spent for core, spent in grown.items() if spent.all > 0}


def this_process_cores() -> set[int]:
    """The cores that this process may use."""
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()
