"""Checks of the processor (frequency, what shares its cores, other guests): pure functions over files."""

from __future__ import annotations

from serbench.doctor.files import THROTTLINGS, MachineFiles, core_list
from serbench.doctor.verdicts import bad, check, good, mind, unknown
from serbench.system.finding import Finding

_BOOST = {
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
    "sys/devices/system/cpu/cpufreq/boost": "0",
}
"""Files, with what they hold if frequencies above the nominal one are off."""


@check("measuring core")
def check_core(machine: MachineFiles, allowed: set[int]) -> Finding:
    """Tells which of the ``allowed`` cores is measured on, and whether there is another for all else."""
    if machine.core is None:
        found = "this system cannot pin processes: runners move between cores"
        return mind(found, "take more rounds: --rounds 20")
    online = core_list(machine.read("sys/devices/system/cpu/online") or "") or allowed
    found = (
        f"runners are pinned to core {machine.core}, the last allowed one; online: {len(online)}, "
        f"allowed: {len(allowed)}"
    )
    if machine.core in core_list(machine.read("sys/devices/system/cpu/isolated") or ""):
        return good(f"{found}, which is isolated: the scheduler runs nothing else there")
    if len(online) == 1:
        return mind(f"{found}: everything else runs on it too", "give the machine a second core")
    return good(found)


@check("governor")
def check_governor(machine: MachineFiles) -> Finding:
    governor = machine.read(f"{machine.own}/cpufreq/scaling_governor")
    if governor is None:
        who = "the hypervisor" if machine.virtual else "the firmware or the processor"
        return unknown(f"this system does not control frequencies; {who} does, and does not report them")
    driver = machine.read(f"{machine.own}/cpufreq/scaling_driver") or "unknown"
    if governor == "performance":
        return good(f"performance (driver {driver})")
    return mind(
        f"{governor} (driver {driver}): the frequency follows the load, so work after a pause starts slowly",
        "cpupower frequency-set -g performance",
    )


@check("turbo")
def check_boost(machine: MachineFiles) -> Finding:
    # Since Linux 6.11, drivers also have this setting per core.
    for path, off in {**_BOOST, f"{machine.own}/cpufreq/boost": "0"}.items():
        value = machine.read(path)
        if value == off:
            return good("off: the frequency does not depend on temperature or on other cores")
        if value is not None:
            found = "on: the frequency depends on temperature and on what other cores do"
            return mind(found, f"echo {off} > /{path}")
    who = "the hypervisor does not report" if machine.virtual else "this system does not report"
    return unknown(f"{who} whether frequencies above the nominal one are used")


@check("SMT siblings")
def check_siblings(machine: MachineFiles) -> Finding:
    text = machine.read(f"{machine.own}/topology/thread_siblings_list")
    if text is None:
        return unknown("this system does not report which cores share execution units")
    online = core_list(machine.read("sys/devices/system/cpu/online") or "")
    siblings = sorted((core_list(text) & online if online else core_list(text)) - {machine.core or 0})
    if siblings:
        which = ", ".join(map(str, siblings))
        first = f"/sys/devices/system/cpu/cpu{siblings[0]}/online"
        return mind(
            f"core {machine.core or 0} shares its execution units and nearest caches with {which}",
            f"keep {which} idle, or switch it off: echo 0 > {first}",
        )
    if machine.virtual:
        return unknown("none visible to a guest; the host may run another guest on the same core")
    return good(f"none: core {machine.core or 0} does not share its execution units")


@check("virtualisation")
def check_virtual(machine: MachineFiles) -> Finding:
    if machine.virtual is None:
        return unknown("this processor does not report whether this is a virtual machine")
    if not machine.virtual:
        return good("none detected: the processor reports no hypervisor")
    names = (machine.read(f"sys/class/dmi/id/{field}") for field in ("sys_vendor", "product_name"))
    vendor = " ".join(name for name in names if name)
    return mind(
        f"this is a virtual machine{f' ({vendor})' if vendor else ''}: other guests share its "
        "caches, memory and power",
        "rely on ratios and ranks rather than times, and compare only figures of one run",
    )


@check("throttling")
def check_throttling(machine: MachineFiles) -> Finding:
    paths = {name: f"{machine.own}/thermal_throttle/{name}" for name in THROTTLINGS}
    counts = {name: machine.number(path) for name, path in paths.items()}
    if all(count is None for count in counts.values()):
        who = "a guest cannot see" if machine.virtual else "Linux shows no counter of"
        return unknown(f"{who} how often heat lowered the frequency")
    if grown := sum(machine.grown(path) or 0 for path in paths.values()):
        return bad(
            f"the processor is too hot: its frequency was lowered {grown} times during this check",
            "let it cool down, and check its fan",
        )
    if any(counts.values()):
        said = ", ".join(f"{name.partition('_')[0]} {n}" for name, n in counts.items() if n is not None)
        return mind(
            f"heat has lowered the frequency since boot (times: {said}), but not during this check",
            "check again after a run: if the count has grown, its figures are doubtful",
        )
    return good("heat has not lowered the frequency since boot")
