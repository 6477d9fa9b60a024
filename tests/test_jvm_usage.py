"""Tests of the disturbances that the JVM's runner reads from /proc for each sample, with made-up files of
/proc."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from serbench.paths import PROJECT

USAGE = PROJECT / "runners" / "jvm" / "core" / "src" / "main" / "java" / "serbench" / "Usage.java"

PROBE = """package serbench;
import java.nio.file.Path;
public class Probe {
  public static void main(String[] words) {
    Usage before = Usage.read(Path.of(words[0]), () -> 0, () -> 0);
    Usage after = Usage.read(Path.of(words[1]), () -> 30_000_000, () -> 200_000_000);
    System.out.println(after.waitedSince(before) + " " + after.involuntarySwitchesSince(before) + " "
        + after.pageFaultsSince(before) + " " + after.stolenSince(before) + " " + after.ranSince(before));
  }
}
"""

READER, WORKER, COMPILER, ENDED, NEW = 7, 8, 9, 10, 11

pytestmark = pytest.mark.skipif(not shutil.which("javac"), reason="no program javac is on the path")


@dataclass(frozen=True)
class Proc:
    """The state of a process in /proc.

    Attributes:
        threads: a thread's number → milliseconds on a core, milliseconds ready without a core, and the number
            of times that it lost its core.
        stolen: the time stolen from each core, in ticks of 10 ms.
        ticks: the time of the process on a core, also in ticks, with that of threads that have ended.
    """

    threads: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    faults: int = 0
    cores: str = "1"
    stolen: tuple[int, ...] = (0, 0)
    ticks: int = 0

    def write(self, directory: Path) -> Path:
        own = directory / "self"
        own.mkdir(parents=True)
        (own / "status").write_text(f"Name:\tjava\nCpus_allowed:\t3\nCpus_allowed_list:\t{self.cores}\n")
        (own / "stat").write_text(
            f"7 (ja) va) S 1 7 7 0 -1 4194304 {self.faults} 0 2 0 {self.ticks} 3 0 0 20 0\n"
        )
        lines = [
            "cpu  1 2 3 4 5 6 7 999 0 0",
            *(f"cpu{n} 1 2 3 4 5 6 7 {ticks} 0 0" for n, ticks in enumerate(self.stolen)),
        ]
        (directory / "stat").write_text("\n".join([*lines, "ctxt 1", ""]))
        for number, (ran, delayed, switches) in self.threads.items():
            folder = own / "task" / str(number)
            folder.mkdir(parents=True)
            (folder / "schedstat").write_text(f"{ran * 1_000_000} {delayed * 1_000_000} 5\n")
            if number == READER:
                (directory / "thread-self").symlink_to(Path("7") / "task" / str(number))
            (folder / "status").write_text(
                f"Name:\tjava\nvoluntary_ctxt_switches:\t9\nnonvoluntary_ctxt_switches:\t{switches}\n"
            )
        return directory


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    probe = folder / "Probe.java"
    probe.write_text(PROBE)
    subprocess.run(["javac", "-d", str(folder), str(USAGE), str(probe)], check=True)
    return folder


CASES = {
    "undisturbed": (Proc({WORKER: (5, 1, 3)}), Proc({WORKER: (205, 1, 3)}), "0 0 0 0 200000000"),
    "others had the core for a quarter": (
        Proc({WORKER: (5, 1, 3)}),
        Proc({WORKER: (155, 51, 23)}),
        "50000000 20 0 0 150000000",
    ),
    # They took turns on one core: 60 ms each ready without it, and nobody else had it.
    "a compiler of its own": (
        Proc({WORKER: (5, 0, 0), COMPILER: (50, 0, 0)}),
        Proc({WORKER: (145, 60, 6), COMPILER: (110, 130, 4)}),
        "0 10 0 0 200000000",
    ),
    # 200 ms, of which its two threads had 120: others had at most 80, however long both waited for them.
    "a compiler of its own and others": (
        Proc({WORKER: (0, 0, 0), COMPILER: (0, 0, 0)}),
        Proc({WORKER: (80, 120, 1), COMPILER: (40, 160, 1)}),
        "80000000 2 0 0 120000000",
    ),
    # It slept for half of the time, which is nobody's fault.
    "idle": (Proc({WORKER: (0, 0, 0)}), Proc({WORKER: (100, 2, 1)}), "2000000 1 0 0 100000000"),
    # The reading thread ran for 30 ms by its own clock; its file was written at a tick.
    "a file that lags behind": (
        Proc({READER: (1, 0, 0), WORKER: (0, 90, 0)}),
        Proc({READER: (3, 0, 0), WORKER: (160, 190, 0)}),
        "10000000 0 0 0 190000000",
    ),
    "threads come and go": (
        Proc({WORKER: (0, 0, 0), ENDED: (500, 500, 9)}),
        Proc({WORKER: (150, 10, 1), NEW: (20, 5, 1)}),
        "15000000 2 0 0 170000000",
    ),
    # Its other threads ran for 150 ms between them and are no more: 30 ms are left for others, and two ticks
    # of doubt.
    "threads that have ended": (
        Proc({WORKER: (0, 0, 0)}, ticks=100),
        Proc({WORKER: (20, 180, 9)}, ticks=117),
        "50000000 9 0 0 150000000",
    ),
    "two cores, one of them lost": (
        Proc({WORKER: (0, 0, 0), COMPILER: (0, 0, 0)}, cores="0-1"),
        Proc({WORKER: (100, 100, 7), COMPILER: (200, 0, 0)}, cores="0-1"),
        "100000000 7 0 0 300000000",
    ),
    "stolen from another core": (
        Proc({WORKER: (0, 0, 0)}, stolen=(3, 4)),
        Proc({WORKER: (200, 0, 0)}, stolen=(30, 6), faults=12),
        "0 0 12 20000000 200000000",
    ),
    "the system has no such statistics": (Proc(cores="5"), Proc(cores="5"), "-1 -1 0 -1 -1"),
}


@pytest.mark.parametrize("name", CASES)
def test_only_others_disturb(classes: Path, tmp_path: Path, name: str) -> None:
    before, after, expected = CASES[name]
    folders = [str(proc.write(tmp_path / name)) for proc, name in ((before, "before"), (after, "after"))]
    command = ["java", "-cp", str(classes), "serbench.Probe", *folders]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == expected


def test_without_proc_nothing_is_known(classes: Path, tmp_path: Path) -> None:
    command = ["java", "-cp", str(classes), "serbench.Probe", str(tmp_path), str(tmp_path)]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "-1 -1 -1 -1 -1"
    )
