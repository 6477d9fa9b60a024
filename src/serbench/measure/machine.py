"""The machine that a run was measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import msgspec

from serbench.measure.microarchitecture import microarchitecture
from serbench.paths import INSTALLED, PROJECT
from serbench.system.files import Count, Text


class Machine(msgspec.Struct, kw_only=True):
    """The machine of a run as its manifest has it; None for what the system or an older serbench does not
    tell.

    A virtual machine is often told a processor's name that several generations share, which differ by 40 % in
    a ratio. So the numbers by which processors are told apart are kept too.

    Attributes:
        vendor, family, model, stepping, microcode: as /proc/cpuinfo has them; other processors than x86's
            have a few.
        microarchitecture: its name, such as ``zen4``.
        caches: the first core's, such as ``L1d 32 KiB, L1i 32 KiB, L2 1 MiB, L3 32 MiB``.
        kernel: its release.
        c_library: its name with its version, such as ``glibc 2.36``.
        governor: the governor of frequency scaling.
        virtual: whether it is a virtual machine.
        load_at_start: the load average of the last minute.
    """

    processor: Text
    vendor: Text | None = None
    family: Text | None = None
    model: Text | None = None
    stepping: Text | None = None
    microcode: Text | None = None
    microarchitecture: Text | None = None
    caches: Text | None = None
    kernel: Text | None = None
    c_library: Text | None = None
    cores: Count | None = None
    memory_bytes: Count | None = None
    system: Text | None = None
    architecture: Text | None = None
    governor: Text | None = None
    virtual: bool | None = None
    load_at_start: float | None = None

    @property
    def processor_in_words(self) -> str:
        """``AMD EPYC (AuthenticAMD zen4, family 25, model 17, stepping 1, microcode 0xa101148)``, with what
        is known."""
        numbers = [
            f"{name} {value}"
            for name in ("family", "model", "stepping", "microcode")
            if (value := getattr(self, name))
        ]
        known = [" ".join(filter(None, (self.vendor, self.microarchitecture))), *numbers]
        told = ", ".join(filter(None, known))
        return f"{self.processor} ({told})" if told else self.processor

    @property
    def surroundings(self) -> str:
        """Caches, kernel and C library, as far as they are known."""
        kernel = (
            f"Linux {self.kernel}" if self.kernel and (self.system or "").startswith("Linux") else self.kernel
        )
        return " · ".join(filter(None, (self.caches, kernel, self.c_library)))


def describe_machine() -> Machine:
    """Processor, caches, memory, kernel, C library and what is known of frequency scaling and
    virtualisation."""
    cpuinfo = _cpuinfo(_read("/proc/cpuinfo") or "")
    return Machine(
        processor=cpuinfo.get("model name") or platform.processor() or platform.machine(),
        vendor=cpuinfo.get("vendor_id") or cpuinfo.get("CPU implementer"),
        family=cpuinfo.get("cpu family") or cpuinfo.get("CPU architecture"),
        model=cpuinfo.get("model") or cpuinfo.get("CPU part"),
        stepping=cpuinfo.get("stepping") or cpuinfo.get("CPU revision"),
        microcode=cpuinfo.get("microcode"),
        microarchitecture=microarchitecture(cpuinfo),
        caches=_caches(Path("/sys/devices/system/cpu/cpu0/cache")),
        kernel=platform.release() or None,
        c_library=" ".join(filter(None, platform.libc_ver())) or None,
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
    if INSTALLED:  # perhaps below somebody else's checkout
        return ""

    def said(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True).stdout.strip()

    try:
        revision = said("rev-parse", "--verify", "--quiet", "--short=12", "HEAD")
        return revision + ("+" if revision and said("status", "--porcelain") else "")
    except OSError:
        return ""


def _cpuinfo(text: str) -> dict[str, str]:
    """The first processor's entries in /proc/cpuinfo, by their names; empty if there is no such file."""
    lines = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    return {name.strip(): value.strip() for name, colon, value in lines if colon and value.strip()}


def _caches(folder: Path) -> str | None:
    """The caches in words, from the kernel's description
    (Documentation/ABI/testing/sysfs-devices-system-cpu); None where there is none."""
    caches = []
    for index in sorted(folder.glob("index*")):
        level, kind, size = (_read(str(index / name)) for name in ("level", "type", "size"))
        if level and size:
            letter = {"Data": "d", "Instruction": "i"}.get(kind or "", "")
            caches.append(f"L{level}{letter} {_size(size)}")
    return ", ".join(caches) or None


def _size(text: str) -> str:
    """``32K`` as ``32 KiB``, and whole MiB as such."""
    if not (text.endswith("K") and text[:-1].isdigit()):
        return text
    kib = int(text[:-1])
    return f"{kib // 1024} MiB" if kib and kib % 1024 == 0 else f"{kib} KiB"


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
