"""What a run was measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import msgspec

from serbench.files import Count, Text
from serbench.paths import PROJECT


class Machine(msgspec.Struct, kw_only=True):
    """What a run was measured on, as its manifest has it; None for what the system or an older serbench does not tell.

    Attributes:
        governor: of frequency scaling.
        virtual: whether it is a guest.
        load_at_start: of the last minute.
    """

    processor: Text
    cores: Count | None = None
    memory_bytes: Count | None = None
    system: Text | None = None
    architecture: Text | None = None
    governor: Text | None = None
    virtual: bool | None = None
    load_at_start: float | None = None


def describe_machine() -> Machine:
    """Processor, cores, memory, kernel and what is known of frequency scaling and virtualisation."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count(),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=platform.platform(),
        architecture=platform.machine(),
        governor=_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        virtual="hypervisor" in (_read("/proc/cpuinfo") or ""),
        load_at_start=os.getloadavg()[0],
    )


def git_revision() -> str:
    """The revision of this project, with ``+`` where files were changed; empty outside a checkout."""
    try:
        revision = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=PROJECT, capture_output=True, text=True)
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=PROJECT, capture_output=True, text=True)
    except OSError:
        return ""
    return revision.stdout.strip() + ("+" if changed.stdout.strip() else "") if revision.returncode == 0 else ""


def _processor() -> str:
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
