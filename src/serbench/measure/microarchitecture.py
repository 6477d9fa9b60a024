"""The microarchitecture of a processor, by its model's numbers or by what it can do."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).with_name("microarchitectures.toml")


def microarchitecture(cpuinfo: Mapping[str, str]) -> str | None:
    """The microarchitecture of the processor that /proc/cpuinfo describes by ``cpuinfo``; None if unknown.

    Its numbers come first. What it can do is less certain, since a hypervisor that masks a feature makes a
    processor look like an older one, or like none that archspec knows.
    """
    return _by_model(cpuinfo) or _by_part(cpuinfo) or _by_features()


def _by_model(cpuinfo: Mapping[str, str]) -> str | None:
    """The microarchitecture of an x86 processor, by vendor, family, model and stepping."""
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
    """The microarchitecture of an Arm processor, by implementer and part, as archspec or the table
    has it."""
    implementer, part = cpuinfo.get("CPU implementer", ""), cpuinfo.get("CPU part", "")
    if not (implementer and part):
        return None
    if name := _parts_of_archspec().get((implementer, part)):
        return name
    return _named(_table()["arm"].get(implementer.removeprefix("0x"), {}), _number(part, 16))


@cache
def _parts_of_archspec() -> dict[tuple[str, str], str]:
    """Implementer and part → microarchitecture; nothing where archspec fails."""
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
    """The microarchitecture that archspec infers from what this machine's processor can do; None where that
    fails, which is no reason not to measure."""
    try:
        import archspec.cpu

        return str(archspec.cpu.host().name)
    except Exception:
        return None


def _named(ranges: Mapping[str, str], number: int | None) -> str | None:
    """The name whose ranges, such as ``00-2f 50``, have the number."""
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
