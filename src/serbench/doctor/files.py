"""What checks read: the files of /proc and /sys now and a moment before, so that counters can be compared."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from serbench.measure.process import measuring_core


class Files(Protocol):
    """Text files by their path from the root, without the leading slash."""

    def read(self, path: str) -> str | None:
        """The stripped text; None where there is no such file or it may not be read."""


@dataclass(frozen=True)
class FilesBelow:
    """The files below a folder: ``/``, or that of a test."""

    root: Path = Path("/")

    def read(self, path: str) -> str | None:
        try:
            return (self.root / path).read_text(errors="replace").strip()
        except OSError:
            return None


@dataclass(frozen=True)
class KeptFiles:
    """The text that some files had when they were kept."""

    texts: Mapping[str, str | None]

    def read(self, path: str) -> str | None:
        return self.texts.get(path)


@dataclass(frozen=True)
class Machine:
    """What checks are given.

    Attributes:
        earlier: the files of counters, as they were some time before ``files``.
        core: the core that runners are pinned to; None where this system pins no processes.
    """

    files: Files
    earlier: Files
    core: int | None

    @property
    def own(self) -> str:
        """The folder of the measuring core, or of the first where none is pinned to."""
        return f"sys/devices/system/cpu/cpu{self.core or 0}"

    @property
    def virtual(self) -> bool | None:
        """Whether this is a guest, by the mark of its processor or a system that knows its hypervisor; None
        without either."""
        if self.files.read("sys/hypervisor/type") is not None:
            return True
        flags = re.search(r"^flags\s*:(.*)$", self.files.read("proc/cpuinfo") or "", re.MULTILINE)
        return "hypervisor" in flags[1].split() if flags else None

    def number(self, path: str) -> int | None:
        """The file's whole number; None where it holds none."""
        return whole_number(self.files.read(path))

    def grown(self, path: str) -> int | None:
        """How much a file's number has grown since ``earlier``; None where one of them is missing."""
        before, now = whole_number(self.earlier.read(path)), self.number(path)
        return None if before is None or now is None else now - before


COUNTERS = ("proc/stat", "proc/vmstat")
THROTTLINGS = ("core_throttle_count", "package_throttle_count")


def observe(seconds: float, root: Path = Path("/"), sleep: Callable[[float], None] = time.sleep) -> Machine:
    """This machine, with its counters as they were ``seconds`` ago."""
    files, core = FilesBelow(root), measuring_core()
    machine = Machine(files, files, core)
    paths = [*COUNTERS, *(f"{machine.own}/thermal_throttle/{name}" for name in THROTTLINGS)]
    earlier = KeptFiles({path: files.read(path) for path in paths})
    sleep(seconds)
    return Machine(files, earlier, core)


def whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"-?\d+", text.strip()) else None


def core_list(text: str) -> set[int]:
    """The cores of ``0-2,5``."""
    cores: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        cores.update(range(int(first), int(last or first) + 1))
    return cores


@dataclass(frozen=True)
class CoreTime:
    """Ticks of the system's clock that a core spent, of proc(5)'s /proc/stat; ``all`` includes idling."""

    all: int
    idle: int
    stolen: int

    @property
    def busy(self) -> int:
        """On work of this system; what the hypervisor gave to others is none."""
        return self.all - self.idle - self.stolen

    def since(self, before: CoreTime) -> CoreTime:
        return CoreTime(self.all - before.all, self.idle - before.idle, self.stolen - before.stolen)


def core_times(files: Files) -> dict[int, CoreTime]:
    """What each core spent since boot; empty where the system does not report it."""
    times = {}
    for core, numbers in re.findall(r"^cpu(\d+) ([\d ]+)$", files.read("proc/stat") or "", re.MULTILINE):
        # the ninth and tenth, of guests, are in the first two already
        ticks = [int(each) for each in numbers.split()][:8]
        if len(ticks) == 8:
            times[int(core)] = CoreTime(sum(ticks), ticks[3] + ticks[4], ticks[7])
    return times


def times_since(machine: Machine) -> dict[int, CoreTime]:
    """What each core spent since ``machine.earlier``; only cores with any time."""
    before, now = core_times(machine.earlier), core_times(machine.files)
    grown = {core: now[core].since(before[core]) for core in sorted(now.keys() & before.keys())}
    return {core: spent for core, spent in grown.items() if spent.all > 0}


def this_process_cores() -> set[int]:
    """The cores that this process may use."""
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()
