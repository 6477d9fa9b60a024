"""The machine that a run was measured on, and the microarchitecture of its processor."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from serbench.paths import INSTALLED, PROJECT
from serbench.system.files import Count, Text

_TABLE = Path(__file__).with_name("microarchitectures.toml")


class Machine(msgspec.Struct, kw_only=True):
    """The machine of a run, as the manifest describes it; None for what the system or an older serbench does
    not report.

    A virtual machine often has a processor's name that several generations share, which differ by 40 % in a
    ratio. So the numbers by which processors are told apart are kept too.

    Attributes:
        vendor, family, model, stepping, microcode: as in /proc/cpuinfo; on processors other than x86 some of
            these are missing.
        microarchitecture: its name, such as ``zen4``.
        caches: the caches of the first core, such as ``L1d 32 KiB, L1i 32 KiB, L2 1 MiB, L3 32 MiB``.
        kernel: the kernel's release.
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
        """The processor in words, as far as it is known: ``AMD EPYC (AuthenticAMD zen4, family 25, model 17,
        stepping 1, microcode 0xa101148)``."""
        numbers = [
            f"{name} {value}"
            for name in ("family", "model", "stepping", "microcode")
            if (value := getattr(self, name))
        ]
        known = [" ".join(filter(None, (self.vendor, self.microarchitecture))), *numbers]
        told = ", ".join(filter(None, known))
        return f"{self.processor} ({told})" if told else self.processor

    @property
    def data_caches(self) -> dict[str, int]:
        """The name of each cache that holds data, such as ``L2``, with its bytes, the nearest first; empty
        where the system tells of none."""
        found = re.findall(r"(L\d)d? (\d+) (KiB|MiB)", self.caches or "")
        return {name: int(size) << (10 if unit == "KiB" else 20) for name, size, unit in found}

    @property
    def surroundings(self) -> str:
        """Caches, kernel and C library in words, as far as they are known."""
        kernel = (
            f"Linux {self.kernel}" if self.kernel and (self.system or "").startswith("Linux") else self.kernel
        )
        return " · ".join(filter(None, (self.caches, kernel, self.c_library)))


def describe_machine() -> Machine:
    """Return a description of this machine."""
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
    """Return the git revision of this project, with ``+`` where files were changed since; empty outside a
    checkout."""
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
    """Return the entries of the first processor in the text of /proc/cpuinfo, by name."""
    lines = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    return {name.strip(): value.strip() for name, colon, value in lines if colon and value.strip()}


def _caches(folder: Path) -> str | None:
    """Return the caches in words, from the kernel's description
    (Documentation/ABI/testing/sysfs-devices-system-cpu); None where the kernel describes none."""
    caches = []
    for index in sorted(folder.glob("index*")):
        level, kind, size = (_read(str(index / name)) for name in ("level", "type", "size"))
        if level and size:
            letter = {"Data": "d", "Instruction": "i"}.get(kind or "", "")
            caches.append(f"L{level}{letter} {_size(size)}")
    return ", ".join(caches) or None


def _size(text: str) -> str:
    """Return a size such as ``32K`` in words: ``32 KiB``, or in MiB if it is a whole number of them."""
    if not (text.endswith("K") and text[:-1].isdigit()):
        return text
    kib = int(text[:-1])
    return f"{kib // 1024} MiB" if kib and kib % 1024 == 0 else f"{kib} KiB"


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def microarchitecture(cpuinfo: Mapping[str, str]) -> str | None:
    """Return the microarchitecture of the processor that /proc/cpuinfo describes by ``cpuinfo``; None if it
    is unknown.

    The processor's numbers decide first. Its features are less certain, since a hypervisor that masks a
    feature makes a processor look like an older one, or like none that archspec knows.
    """
    return _by_model(cpuinfo) or _by_part(cpuinfo) or _by_features()


def _by_model(cpuinfo: Mapping[str, str]) -> str | None:
    """Return the microarchitecture of an x86 processor by vendor, family, model and stepping; None if
    unknown."""
    family, model, stepping = (_number(cpuinfo.get(key), 10) for key in ("cpu family", "model", "stepping"))
    for vendor in _table()["x86"]:
        if vendor["vendor"] != cpuinfo.get("vendor_id") or family is None or model is None:
            continue
        models = {int(key, 16): names for key, names in vendor["families"].items()}.get(family, {})
        if name := _named(models, model):
            return name
        steppings = vendor.get("steppings", {}).get(f"{family:02x}", {}).get(f"{model:02x}", {})
        return _named(steppings, stepping)
    return None


def _by_part(cpuinfo: Mapping[str, str]) -> str | None:
    """Return the microarchitecture of an Arm processor by implementer and part, from archspec or our table;
    None if unknown."""
    implementer, part = cpuinfo.get("CPU implementer", ""), cpuinfo.get("CPU part", "")
    if not (implementer and part):
        return None
    if name := _parts_of_archspec().get((implementer, part)):
        return name
    return _named(_table()["arm"].get(implementer.removeprefix("0x"), {}), _number(part, 16))


@cache
def _parts_of_archspec() -> dict[tuple[str, str], str]:
    """Return archspec's microarchitectures of Arm by implementer and part; nothing where archspec fails."""
    try:
        import archspec.cpu  # type: ignore[import-untyped]  # reads its tables, a tenth of a second
        from archspec.cpu.schema import TARGETS_JSON  # type: ignore[import-untyped]

        codes = {vendor: code for code, vendor in TARGETS_JSON["conversions"]["arm_vendors"].items()}
        return {
            (codes[each.vendor], each.cpu_part): name
            for name, each in archspec.cpu.TARGETS.items()
            if each.vendor in codes and each.cpu_part.startswith("0x")
        }
    except Exception:  # as in _by_features
        return {}


def _by_features() -> str | None:
    """Return the microarchitecture that archspec infers from the features of this processor; None where
    archspec fails, which is no reason not to measure."""
    try:
        import archspec.cpu

        return str(archspec.cpu.host().name)
    except Exception:
        return None


def _named(ranges: Mapping[str, str], number: int | None) -> str | None:
    """Return the name whose ranges, such as ``00-2f 50`` (hexadecimal), contain the number; None if there is
    none."""
    for name, text in ranges.items():
        for first, _, last in (each.partition("-") for each in text.split()):
            if number is not None and int(first, 16) <= number <= int(last or first, 16):
                return name
    return None


def _number(text: str | None, base: int) -> int | None:
    try:
        return int(text or "", base)
    except ValueError:
        return None


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
