"""Tests of doctor's findings on machines that are made of files: a good one, and many with one thing
wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.test_cli import serbench

from serbench.doctor.checkup import check_up
from serbench.doctor.files import MachineFiles, core_list, core_times, files_below, observe
from serbench.doctor.processor import (
    check_boost,
    check_core,
    check_governor,
    check_siblings,
    check_throttling,
    check_virtual,
)
from serbench.doctor.system import (
    Clock,
    check_aslr,
    check_clock,
    check_load,
    check_quota,
    check_steal,
    check_swap,
    look_at_clock,
)
from serbench.doctor.verdicts import findings_table
from serbench.paths import Paths
from serbench.report.show import markdown
from serbench.system.finding import Finding, Meaning, summary

OWN = "sys/devices/system/cpu/cpu1"
GUEST = {"proc/cpuinfo": "processor : 0\nflags\t\t: fpu hypervisor sse2"}
BARE = {"proc/cpuinfo": "processor : 0\nflags\t\t: fpu sse2"}

Texts = Mapping[str, str | None]


def machine(now: Texts, earlier: Texts | None = None, core: int | None = 1) -> MachineFiles:
    return MachineFiles(now.get, (earlier or {}).get, core)


def stat(*cores: tuple[int, int, int]) -> str:
    """The text of /proc/stat for cores with these ticks of work, idleness and stolen time."""
    lines = [
        f"cpu{n} {busy - 3} 1 2 {idle - 4} 4 0 0 {stolen} 9 9" for n, (busy, idle, stolen) in enumerate(cores)
    ]
    total = [sum(column) for column in zip(*cores, strict=True)]
    return "\n".join([f"cpu  {total[0]} 0 0 {total[1]} 0 0 0 {total[2]} 0 0", *lines, "intr 12345 0 0"])


def holds(finding: Finding, verdict: str, *said: str) -> None:
    assert finding.verdict.value == verdict, finding
    for words in said:
        assert words in f"{finding.found} → {finding.advice}"
    assert bool(finding.advice) or verdict in ("good", "unknown")


def test_lists_of_cores_and_their_times_are_read_as_the_kernel_writes_them() -> None:
    assert core_list("0-2,5,8-9\n") == {0, 1, 2, 5, 8, 9}
    assert core_list("") == set()
    times = core_times({"proc/stat": stat((100, 50, 7), (10, 20, 0))}.get)
    assert (times[0].all, times[0].busy, times[0].idle, times[0].stolen) == (157, 100, 50, 7)
    assert set(times) == {0, 1}


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        ({f"{OWN}/cpufreq/scaling_governor": "performance"}, "good", "performance"),
        (
            {f"{OWN}/cpufreq/scaling_governor": "powersave", f"{OWN}/cpufreq/scaling_driver": "intel_pstate"},
            "warning",
            "powersave (driver intel_pstate)",
        ),
        (
            {f"{OWN}/cpufreq/scaling_governor": "schedutil"},
            "warning",
            "→ cpupower frequency-set -g performance",
        ),
        (GUEST, "unknown", "the hypervisor does, and does not report them"),
        (BARE, "unknown", "the firmware or the processor does"),
    ],
)
def test_the_governor(now: Texts, verdict: str, said: str) -> None:
    holds(check_governor(machine(now)), verdict, said)


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        ({"sys/devices/system/cpu/intel_pstate/no_turbo": "1"}, "good", "off"),
        (
            {"sys/devices/system/cpu/intel_pstate/no_turbo": "0"},
            "warning",
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
        ),
        ({"sys/devices/system/cpu/cpufreq/boost": "0"}, "good", "off"),
        (
            {"sys/devices/system/cpu/cpufreq/boost": "1"},
            "warning",
            "echo 0 > /sys/devices/system/cpu/cpufreq/boost",
        ),
        ({f"{OWN}/cpufreq/boost": "1"}, "warning", f"echo 0 > /{OWN}/cpufreq/boost"),
        (GUEST, "unknown", "the hypervisor does not report"),
    ],
)
def test_turbo(now: Texts, verdict: str, said: str) -> None:
    holds(check_boost(machine(now)), verdict, said)


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        (
            {f"{OWN}/topology/thread_siblings_list": "1", **BARE},
            "good",
            "core 1 does not share its execution units",
        ),
        (
            {f"{OWN}/topology/thread_siblings_list": "1,5"},
            "warning",
            "echo 0 > /sys/devices/system/cpu/cpu5/online",
        ),
        (
            {f"{OWN}/topology/thread_siblings_list": "1,5", "sys/devices/system/cpu/online": "0-3", **BARE},
            "good",
            "does not share its execution units",
        ),
        (
            {f"{OWN}/topology/thread_siblings_list": "1", **GUEST},
            "unknown",
            "the host may run another guest on the same core",
        ),
        ({}, "unknown", "does not report which cores share"),
    ],
)
def test_siblings(now: Texts, verdict: str, said: str) -> None:
    holds(check_siblings(machine(now)), verdict, said)


HEAT = f"{OWN}/thermal_throttle/core_throttle_count"


@pytest.mark.parametrize(
    ("now", "earlier", "verdict", "said"),
    [
        ({HEAT: "0"}, {HEAT: "0"}, "good", "has not lowered"),
        ({HEAT: "12"}, {HEAT: "12"}, "warning", "(times: core 12), but not during this check"),
        ({HEAT: "15"}, {HEAT: "12"}, "bad", "lowered 3 times"),
        ({}, {}, "unknown", "no counter"),
        (GUEST, {}, "unknown", "a guest cannot see"),
    ],
)
def test_throttling(now: Texts, earlier: Texts, verdict: str, said: str) -> None:
    holds(check_throttling(machine(now, earlier)), verdict, said)


def test_the_measuring_core() -> None:
    online = {"sys/devices/system/cpu/online": "0-3"}
    holds(check_core(machine(online), {0, 1}), "good", "pinned to core 1", "online: 4, allowed: 2")
    holds(
        check_core(machine({**online, "sys/devices/system/cpu/isolated": "1-2"}), {0, 1}), "good", "isolated"
    )
    holds(check_core(machine({"sys/devices/system/cpu/online": "0"}, core=0), {0}), "warning", "second core")
    holds(check_core(machine({}, core=None), set()), "warning", "cannot pin processes")


def test_virtualisation() -> None:
    holds(check_virtual(machine(BARE)), "good")
    holds(
        check_virtual(machine({**GUEST, "sys/class/dmi/id/sys_vendor": "QEMU"})),
        "warning",
        "a virtual machine (QEMU)",
    )
    holds(check_virtual(machine({**BARE, "sys/hypervisor/type": "xen"})), "warning", "virtual machine")
    holds(check_virtual(machine({})), "unknown", "does not report whether")
    holds(
        check_virtual(machine({"proc/cpuinfo": "processor : 0\nFeatures : fp asimd"})),
        "unknown",
        "does not report",
    )


@pytest.mark.parametrize(
    ("own", "other", "verdict"),
    [
        (0, 0, "good"),
        (1, 49, "good"),
        (2, 0, "warning"),
        (14, 0, "warning"),
        (15, 0, "bad"),
        (0, 50, "warning"),
    ],
)
def test_load_is_what_the_measuring_core_and_the_others_do_now(own: int, other: int, verdict: str) -> None:
    before = {"proc/stat": stat((1000, 1000, 0), (1000, 1000, 0))}
    now = {
        "proc/stat": stat((1000 + other, 1100 - other, 0), (1000 + own, 1100 - own, 0)),
        "proc/loadavg": "1.25 1 1 2/3 4",
    }
    finding = check_load(machine(now, before))
    holds(finding, verdict, f"core 1: {own} % busy", f"the others: {other} %", "load 1.25")
    assert finding.to_json()["busy"] == own / 100


def test_load_without_counters_is_not_known() -> None:
    holds(check_load(machine({})), "unknown")
    holds(check_load(machine({"proc/stat": stat((10, 10, 0))}, {"proc/stat": stat((10, 10, 0))})), "unknown")


@pytest.mark.parametrize(
    ("stolen", "ever", "verdict"),
    [(0, 0, "unknown"), (0, 1, "good"), (0, 90, "warning"), (1, 0, "warning"), (10, 0, "bad")],
)
def test_stolen_time_is_told_of_guests(stolen: int, ever: int, verdict: str) -> None:
    before = {"proc/stat": stat((1000, 1000, ever), (100, 100, 0))}
    now = {"proc/stat": stat((1050, 1050, ever), (150, 150 - stolen, stolen))}
    holds(check_steal(machine({**now, **GUEST}, before)), verdict)
    holds(check_steal(machine(now, before)), verdict)  # whether it is a guest is not known
    holds(check_steal(machine({**now, **BARE}, before)), "good", "no hypervisor")


CLOCKS = "sys/devices/system/clocksource/clocksource0"


@pytest.mark.parametrize(
    ("now", "clock", "verdict", "said"),
    [
        (
            {f"{CLOCKS}/current_clocksource": "tsc"},
            Clock(30, 45.4),
            "good",
            "tsc; steps of 30 ns at most, a reading takes 45 ns",
        ),
        ({f"{CLOCKS}/current_clocksource": "kvm-clock"}, Clock(1, 60), "good", "kvm-clock"),
        (
            {f"{CLOCKS}/current_clocksource": "hpet", f"{CLOCKS}/available_clocksource": "hpet acpi_pm"},
            Clock(70, 900),
            "warning",
            "the kernel's log says why",
        ),
        (
            {f"{CLOCKS}/current_clocksource": "acpi_pm", f"{CLOCKS}/available_clocksource": "tsc acpi_pm"},
            Clock(280, 900),
            "warning",
            "clocksource=tsc",
        ),
        (
            {f"{CLOCKS}/current_clocksource": "jiffies"},
            Clock(4e6, 50),
            "bad",
            "more than a thousandth of a sample",
        ),
        ({}, Clock(41, 60), "good", "unknown source"),
    ],
)
def test_the_clock(now: Texts, clock: Clock, verdict: str, said: str) -> None:
    holds(check_clock(machine(now), clock), verdict, said)


def test_this_machines_clock_goes_forward_in_steps() -> None:
    clock = look_at_clock(200, 3)
    assert 0 < clock.resolution_ns < 1e9 and 0 < clock.reading_ns < 1e9


SETTING = "proc/sys/kernel/randomize_va_space"


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        ({SETTING: "2", "proc/self/personality": "00000000"}, "good", "on (2)"),
        ({SETTING: "0"}, "warning", "sysctl -w kernel.randomize_va_space=2"),
        ({SETTING: "2", "proc/self/personality": "00040000"}, "warning", "without setarch -R"),
        ({}, "unknown", "does not report"),
    ],
)
def test_address_space_layout(now: Texts, verdict: str, said: str) -> None:
    holds(check_aslr(machine(now)), verdict, said)


NO_SWAP = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"
SWAP = f"{NO_SWAP}\n/dev/sda2                               partition\t8388604\t\t524288\t\t-2"


@pytest.mark.parametrize(
    ("now", "earlier", "verdict", "said"),
    [
        (
            {"proc/swaps": NO_SWAP, "proc/meminfo": "MemFree: 1 kB\nMemAvailable:   2500000 kB"},
            {},
            "good",
            "none in use; 2.5 GB",
        ),
        ({"proc/swaps": SWAP}, {}, "warning", "524 MB are in use, but nothing was swapped"),
        (
            {"proc/swaps": SWAP, "proc/vmstat": "pswpin 110\npswpout 30"},
            {"proc/vmstat": "pswpin 100\npswpout 25"},
            "bad",
            "15 pages were swapped in or out just now",
        ),
        ({}, {}, "unknown", "/proc/swaps"),
    ],
)
def test_swap(now: Texts, earlier: Texts, verdict: str, said: str) -> None:
    holds(check_swap(machine(now, earlier)), verdict, said)


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        ({"proc/self/cgroup": "0::/"}, "good", "none"),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"}, "good", "none"),
        (
            {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"},
            "bad",
            "0.5 cores, by /sys/fs/cgroup/cpu.max",
        ),
        (
            {"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/cpu.max": "150000 100000"},
            "warning",
            "1.5 cores, by /sys/fs/cgroup/a/",
        ),
        (
            {
                "proc/self/cgroup": "0::/a/b",
                "sys/fs/cgroup/a/cpu.max": "400000 100000",
                "sys/fs/cgroup/a/b/cpu.max": "80000 100000",
            },
            "bad",
            "0.8 cores, by /sys/fs/cgroup/a/b/",
        ),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "400000 100000"}, "good", "4 cores"),
        (
            {
                "proc/self/cgroup": "5:memory:/\n4:cpu,cpuacct:/docker/x",
                "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us": "25000",
                "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000",
            },
            "bad",
            "0.25 cores, by /sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us",
        ),
        (
            {
                "proc/self/cgroup": "1:cpu:/",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            "good",
            "none",
        ),
        ({}, "unknown", "does not report"),
    ],
)
def test_quotas_of_control_groups(now: Texts, verdict: str, said: str) -> None:
    holds(check_quota(machine(now)), verdict, said)


def test_counters_are_compared_with_what_they_were_before(tmp_path: Path) -> None:
    """The counters in a made-up /proc go up while doctor sleeps, and the load that it finds is of their
    increase alone. Each of doctor's checks gives one finding."""
    path = tmp_path / "proc" / "stat"
    path.parent.mkdir()
    cores = 1 + (observe(0).core or 0)
    path.write_text(stat(*[(100, 100, 0)] * cores))
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        path.write_text(stat(*[(180, 120, 0)] * cores))

    seen = observe(0.25, tmp_path, sleep)
    assert slept == [0.25]
    assert check_load(seen).figures["busy"] == 0.8
    findings = check_up(seen, Paths(tmp_path, tmp_path / "home"))
    assert len({finding.check for finding in findings}) == len(findings) == 17
    by_name = {finding.check: finding.verdict for finding in findings}
    assert by_name["load"] is Meaning.bad and by_name["flags"] is by_name["governor"] is Meaning.unknown


def test_a_file_that_may_not_be_read_is_as_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert files_below(tmp_path)("folder") is None
    assert files_below(tmp_path)("none") is None


def test_findings_are_shown_with_their_advice() -> None:
    findings = [
        Finding("swap", Meaning.good, "none"),
        Finding("load", Meaning.bad, "busy", "end it", {"busy": 0.5}),
    ]
    table = findings_table("this machine", findings)
    assert table.rows == [("swap", "good", "none"), ("load", "bad", "busy\n→ end it")]
    assert "| load | bad | busy → end it |" in markdown(table)
    assert summary(findings) == "1 good, 1 bad"
    assert findings[1].to_json() == {
        "check": "load",
        "verdict": "bad",
        "found": "busy",
        "advice": "end it",
        "busy": 0.5,
    }


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_the_command_has_every_format_and_its_status_tells_of_anything_bad(tmp_path: Path, form: str) -> None:
    done = serbench(tmp_path, "doctor", "--format", form)
    assert "measuring core" in done.stdout and "CPU quota" in done.stdout, done.stderr
    bad = {"table": " bad ", "markdown": "| bad |", "csv": ",bad,", "json": '"verdict": "bad"'}[form]
    assert done.returncode == (bad in "\n".join(done.stdout.splitlines()[1:]))
