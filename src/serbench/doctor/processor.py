"""Checks of the processor: its frequency, what shares its cores, and whether other guests do. All are pure
functions over files."""

from __future__ import annotations

from serbench.doctor.files import THROTTLINGS, MachineFiles, core_list
from serbench.system.finding import Finding, Meaning

_BOOST = (  # file, what it holds if frequencies above the nominal one are off, command that turns them off
    (
        "sys/devices/system/cpu/intel_pstate/no_turbo",
        "1",
        "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
    ),
    ("sys/devices/system/cpu/cpufreq/boost", "0", "echo 0 > /sys/devices/system/cpu/cpufreq/boost"),
)


def check_core(machine: MachineFiles, allowed: set[int]) -> Finding:
    """Tells which core is measured on, and whether there is another one for everything else; ``allowed`` are
    the cores that this process may use."""
    if machine.core is None:
        return Finding(
            "measuring core",
            Meaning.mind,
            "this system cannot pin processes: runners move between cores",
            "take more rounds: --rounds 20",
        )
    online = core_list(machine.files.read("sys/devices/system/cpu/online") or "") or allowed
    found = (
        f"runners are pinned to core {machine.core}, the last allowed one; online: {len(online)}, "
        f"allowed: {len(allowed)}"
    )
    if machine.core in core_list(machine.files.read("sys/devices/system/cpu/isolated") or ""):
        return Finding(
            "measuring core",
            Meaning.good,
            f"{found}, which is isolated: the scheduler runs nothing else there",
        )
    if len(online) == 1:
        return Finding(
            "measuring core",
            Meaning.mind,
            f"{found}: everything else runs on it too",
            "give the machine a second core",
        )
    return Finding("measuring core", Meaning.good, found)


def check_governor(machine: MachineFiles) -> Finding:
    governor = machine.files.read(f"{machine.own}/cpufreq/scaling_governor")
    if governor is None:
        who = "the hypervisor" if machine.virtual else "the firmware or the processor"
        return Finding(
            "governor",
            Meaning.unknown,
            f"this system does not control frequencies; {who} does, and does not report them",
        )
    driver = machine.files.read(f"{machine.own}/cpufreq/scaling_driver") or "unknown"
    if governor == "performance":
        return Finding("governor", Meaning.good, f"performance (driver {driver})")
    return Finding(
        "governor",
        Meaning.mind,
        f"{governor} (driver {driver}): the frequency follows the load, so work after a pause starts slowly",
        "cpupower frequency-set -g performance",
    )


def check_boost(machine: MachineFiles) -> Finding:
    # Since Linux 6.11, drivers also have this setting per core.
    own = f"{machine.own}/cpufreq/boost"
    for path, off, command in (*_BOOST, (own, "0", f"echo 0 > /{own}")):
        value = machine.files.read(path)
        if value == off:
            return Finding(
                "turbo", Meaning.good, "off: the frequency does not depend on temperature or on other cores"
            )
        if value is not None:
            return Finding(
                "turbo",
                Meaning.mind,
                "on: the frequency depends on temperature and on what other cores do",
                command,
            )
    who = "the hypervisor does not report" if machine.virtual else "this system does not report"
    return Finding("turbo", Meaning.unknown, f"{who} whether frequencies above the nominal one are used")


def check_siblings(machine: MachineFiles) -> Finding:
    name = "SMT siblings"
    text = machine.files.read(f"{machine.own}/topology/thread_siblings_list")
    if text is None:
        return Finding(name, Meaning.unknown, "this system does not report which cores share execution units")
    online = core_list(machine.files.read("sys/devices/system/cpu/online") or "")
    siblings = sorted((core_list(text) & online if online else core_list(text)) - {machine.core or 0})
    if siblings:
        which = ", ".join(map(str, siblings))
        first = f"/sys/devices/system/cpu/cpu{siblings[0]}/online"
        return Finding(
            name,
            Meaning.mind,
            f"core {machine.core or 0} shares its execution units and nearest caches with {which}",
            f"keep {which} idle, or switch it off: echo 0 > {first}",
        )
    if machine.virtual:
        return Finding(
            name, Meaning.unknown, "none visible to a guest; the host may run another guest on the same core"
        )
    return Finding(name, Meaning.good, f"none: core {machine.core or 0} does not share its execution units")


def check_virtual(machine: MachineFiles) -> Finding:
    if machine.virtual is None:
        return Finding(
            "virtualisation",
            Meaning.unknown,
            "this processor does not report whether this is a virtual machine",
        )
    if not machine.virtual:
        return Finding("virtualisation", Meaning.good, "none detected: the processor reports no hypervisor")
    names = (machine.files.read(f"sys/class/dmi/id/{field}") for field in ("sys_vendor", "product_name"))
    vendor = " ".join(name for name in names if name)
    return Finding(
        "virtualisation",
        Meaning.mind,
        f"this is a virtual machine{f' ({vendor})' if vendor else ''}: other guests share its "
        "caches, memory and power",
        "rely on ratios and ranks rather than times, and compare only figures of one run",
    )


def check_throttling(machine: MachineFiles) -> Finding:
    paths = {name: f"{machine.own}/thermal_throttle/{name}" for name in THROTTLINGS}
    counts = {name: machine.number(path) for name, path in paths.items()}
    if all(count is None for count in counts.values()):
        who = "a guest cannot see" if machine.virtual else "Linux shows no counter of"
        return Finding("throttling", Meaning.unknown, f"{who} how often heat lowered the frequency")
    grown = sum(machine.grown(path) or 0 for path in paths.values())
    said = ", ".join(
        f"{name.partition('_')[0]} {count}" for name, count in counts.items() if count is not None
    )
    if grown:
        return Finding(
            "throttling",
            Meaning.bad,
            f"the processor is too hot: its frequency was lowered {grown} times during this check",
            "let it cool down, and check its fan",
        )
    if any(counts.values()):
        return Finding(
            "throttling",
            Meaning.mind,
            f"heat has lowered the frequency since boot (times: {said}), but not during this check",
            "check again after a run: if the count has grown, its figures are doubtful",
        )
    return Finding("throttling", Meaning.good, "heat has not lowered the frequency since boot")
