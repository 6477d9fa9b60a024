"""Checks of the system: other processes, clock, memory, limits, and the programs that serbench starts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from serbench.doctor.files import CoreTime, MachineFiles, core_times, times_since, whole_number
from serbench.doctor.verdicts import bad, check, good, judged, mind, unknown
from serbench.languages.install import install_command
from serbench.languages.language import Language
from serbench.measure.plan import Plan
from serbench.report.gathering import gathered
from serbench.system.finding import Finding, Meaning, percent

BUSY_TO_MIND = 0.02
"""The share of the measuring core that other processes may take without a warning: the sampler takes times
within 2 % as equal (docs/protocol.md)."""

BUSY_TO_REFUSE = 0.15
"""The share of the measuring core from which on other processes make it unfit: Linux lets each run for 3 ms
(its scheduler's base slice), which then falls in about every second sample of 10 ms."""

OTHERS_TO_MIND = 0.5
"""The share of all other cores together from which on their work takes so much of caches, memory and power
that the measuring core has less."""

STOLEN_TO_REFUSE = 0.05
"""The share of stolen time from which on a machine is unfit: as large as a small difference of codecs."""

_CLOCK_SOURCES = "sys/devices/system/clocksource/clocksource0"
_READ_BY_THE_PROCESSOR = {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}


@check("load")
def check_load(machine: MachineFiles) -> Finding:
    spent = times_since(machine)
    average = (machine.read("proc/loadavg") or "").split()[:1]
    if not spent or (machine.core is not None and machine.core not in spent):
        return unknown("this system has no /proc/stat, which would show the load of each core")
    own = {core: each for core, each in spent.items() if core == machine.core or machine.core is None}
    others = {core: each for core, each in spent.items() if core not in own}
    busy, elsewhere = _share("busy", own), _share("busy", others)
    which = "all cores" if machine.core is None else f"core {machine.core}"
    found = f"{which}: {percent(busy)} busy just now"
    found += f", the others: {percent(elsewhere)}" if others else ""
    found += f"; load {average[0]} over the last minute" if average else ""
    to_mind = busy >= BUSY_TO_MIND or elsewhere >= OTHERS_TO_MIND
    verdict = Meaning.bad if busy >= BUSY_TO_REFUSE else Meaning.mind if to_mind else Meaning.good
    figures = {"busy": round(busy, 4), "busy_elsewhere": round(elsewhere, 4)}
    return judged(verdict, found, "stop other work (top shows it), and check again", figures)


def _share(kind: str, cores: Mapping[int, CoreTime]) -> float:
    """The share of their time that cores spent on a kind of work; 0 where there are no cores."""
    spent: int = sum(getattr(each, kind) for each in cores.values())
    return spent / max(sum(each.all for each in cores.values()), 1)


@check("stolen time")
def check_steal(machine: MachineFiles) -> Finding:
    if machine.virtual is False:
        return good("there is no hypervisor")
    spent, always = times_since(machine), core_times(machine.read)
    if not spent:
        return unknown("this system has no /proc/stat, which would show it")
    just_now, whole = _share("stolen", spent), _share("stolen", always)
    figures = {"stolen": round(just_now, 4), "stolen_since_start": round(whole, 6)}
    if whole == just_now == 0:
        found = "none so far: no other guest runs here, or the hypervisor does not report it"
        return unknown(found, "", figures)
    to_mind = just_now > 0 or whole >= BUSY_TO_MIND
    verdict = Meaning.bad if just_now >= STOLEN_TO_REFUSE else Meaning.mind if to_mind else Meaning.good
    found = f"{percent(just_now, 1)} just now, {percent(whole, 2)} since boot"
    return judged(verdict, found, "measure at another time, or on a machine with dedicated cores", figures)


@dataclass(frozen=True)
class Clock:
    """The monotonic clock's resolution, and the most that reading it takes, in nanoseconds."""

    resolution_ns: float
    reading_ns: float


def look_at_clock(readings: int = 1000, batches: int = 20) -> Clock:
    """The least step of the monotonic clock, and the time of a reading from Python in the fastest batch."""
    read = time.monotonic_ns
    costs, steps = [], []
    for _ in range(batches):
        taken = [read() for _ in range(readings)]
        costs.append((taken[-1] - taken[0]) / (readings - 1))
        steps += [after - before for before, after in pairwise(taken) if after > before]
    return Clock(min(steps, default=time.get_clock_info("monotonic").resolution * 1e9), min(costs))


@check("clock")
def check_clock(machine: MachineFiles, clock: Clock) -> Finding:
    source = machine.read(f"{_CLOCK_SOURCES}/current_clocksource")
    found = f"{source or 'unknown source'}; steps of {clock.resolution_ns:g} ns at most"
    found += f", a reading takes {clock.reading_ns:.0f} ns at most (Python's part included)"
    figures = {"resolution_ns": clock.resolution_ns, "reading_ns": round(clock.reading_ns, 1)}
    if clock.resolution_ns > Plan.sample_ns / 1000:
        return bad(f"{found}: more than a thousandth of a sample", "use another clock source", figures)
    if source is None or source in _READ_BY_THE_PROCESSOR:
        return good(found, "", figures)
    available = machine.read(f"{_CLOCK_SOURCES}/available_clocksource") or ""
    better = next((name for name in available.split() if name in _READ_BY_THE_PROCESSOR), None)
    advice = (
        "two readings per sample do no harm; the kernel's log says why it does not use the "
        "processor's own counter"
    )
    return mind(found, f"boot with clocksource={better}" if better else advice, figures)


_NO_RANDOMISATION = 0x0040000  # ADDR_NO_RANDOMIZE of personality(2)


@check("ASLR")
def check_aslr(machine: MachineFiles) -> Finding:
    """Checks whether addresses are randomised. That helps here: the processes of each round have other
    addresses, so lucky and unlucky ones average out."""
    setting = machine.number("proc/sys/kernel/randomize_va_space")
    if setting is None:
        return unknown("this system does not report whether addresses are randomized")
    personality = machine.read("proc/self/personality") or "0"
    is_number = re.fullmatch(r"[0-9a-f]+", personality)
    off_here = bool(is_number and int(personality, 16) & _NO_RANDOMISATION)
    if setting == 0 or off_here:
        return mind(
            "off: addresses are the same in every round, so a codec may look better by luck with its "
            "addresses",
            "start serbench without setarch -R" if off_here else "sysctl -w kernel.randomize_va_space=2",
        )
    return good(f"on ({setting}): addresses differ in every round, so their effects average out")


@check("code placement")
def check_placement(copies_run: bool | None) -> Finding:
    """Checks whether code lies at other places in memory in each process, as it does if copies of it run."""
    if copies_run is None:
        return unknown("this system has no program 'true' to try it with")
    if not copies_run:
        return mind(
            "the system cannot execute files in memory: code lies at the same physical place in "
            "every round, so a codec may look better by luck",
            "sysctl -w vm.memfd_noexec=0, or allow it in the security module's policy",
        )
    return good(
        "every process runs a copy of its executable at a different place in memory, so effects of "
        "the place average out"
    )


@check("swap")
def check_swap(machine: MachineFiles) -> Finding:
    text = machine.read("proc/swaps")
    if text is None:
        return unknown("this system has no /proc/swaps")
    used = sum(
        int(fields[3])
        for line in text.splitlines()[1:]
        if len(fields := line.split()) >= 4 and fields[3].isdigit()
    )
    moved = _vm_count(machine, "pswpin") + _vm_count(machine, "pswpout")
    available = re.search(r"^MemAvailable:\s*(\d+) kB", machine.read("proc/meminfo") or "", re.MULTILINE)
    memory = f"; {int(available[1]) / 1e6:.1f} GB of memory are available" if available else ""
    if moved:
        found = f"{moved} pages were swapped in or out just now{memory}"
        return bad(found, "free some memory, or use a machine with more")
    if used:
        found = f"{used / 1000:,.0f} MB are in use, but nothing was swapped just now{memory}"
        return mind(found, "swapoff -a && swapon -a, if there is enough free memory")
    return good(f"none in use{memory}")


def _vm_count(machine: MachineFiles, name: str) -> int:
    """How much a counter of /proc/vmstat has grown since ``machine.earlier``; 0 if there is none."""
    counts = []
    for read in (machine.earlier, machine.read):
        found = re.search(rf"^{name} (\d+)$", read("proc/vmstat") or "", re.MULTILINE)
        counts.append(int(found[1]) if found else 0)
    return counts[1] - counts[0]


@check("CPU quota")
def check_quota(machine: MachineFiles) -> Finding:
    """Checks whether a control group takes the core away when the process has used up its share."""
    if machine.read("proc/self/cgroup") is None:
        return unknown("this system does not report the control group of a process")
    quotas = [(quota / period, where) for where, quota, period in _quotas(machine) if period > 0]
    if not quotas:
        return good("none: no control group limits this process")
    cores, where = min(quotas)
    found = f"{cores:g} cores, by {where}"
    advice = "give the container whole cores: --cpuset-cpus instead of --cpus"
    if cores < 1:
        return bad(f"{found}: a runner that exceeds it is paused for the rest of each period", advice)
    if cores < 2:
        found += ": enough for one runner, but not if it has JIT compiler threads, nor for serbench beside it"
        return mind(found, advice)
    return good(found)


def quota_of(machine: MachineFiles) -> float | None:
    """The cores that control groups let this process have; None where none limits it."""
    return min((quota / period for _, quota, period in _quotas(machine) if period > 0), default=None)


def _quotas(machine: MachineFiles) -> Iterator[tuple[str, int, int]]:
    """The control groups with a limit, from that of this process up to the root: the file that says so, the
    microseconds that may be used, and the period in microseconds."""
    for line in (machine.read("proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        groups = [str(group).lstrip("/") for group in (PurePosixPath(path), *PurePosixPath(path).parents)]
        for group in groups:
            if not controllers:  # version 2: one hierarchy
                for base in ("sys/fs/cgroup", "sys/fs/cgroup/unified"):
                    where = str(PurePosixPath(base, group, "cpu.max"))
                    words = (machine.read(where) or "max").split()
                    if words[0] != "max" and len(words) == 2:
                        yield f"/{where}", int(words[0]), int(words[1])
            elif "cpu" in controllers.split(","):
                folder = PurePosixPath("sys/fs/cgroup", controllers, group)
                quota = whole_number(machine.read(f"{folder}/cpu.cfs_quota_us"))
                period = whole_number(machine.read(f"{folder}/cpu.cfs_period_us"))
                if quota is not None and period is not None and quota > 0:
                    yield f"/{folder}/cpu.cfs_quota_us", quota, period


@check("tools")
def check_tools(languages: Iterable[Language], which: Callable[[str], str | None]) -> Finding:
    """Checks whether the programs that builds start exist; ``which`` gives a program's path, or None."""
    needed = {program: each.traits.title for each in languages for program in each.tools.needed}
    useful = {program: use for each in languages for program, use in each.tools.useful.items()}
    missing = [program for program in needed if not which(program)]
    absent = gathered((use, program) for program, use in useful.items() if not which(program))
    there = [program for program in (*needed, *useful) if which(program)]
    found = f"found: {', '.join(there) or 'none'}"
    found += "".join(f"; no {', '.join(programs)} ({use})" for use, programs in absent.items())
    if missing:
        of = " and ".join(dict.fromkeys(needed[program] for program in missing))
        return bad(f"{of} cells need {', '.join(missing)}; {found}", install_command(missing))
    return good(found)
