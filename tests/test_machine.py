"""Tests of the description of a run's machine, on ordinary and unusual ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import archspec.cpu  # type: ignore[import-untyped]
import pytest

from serbench.measure import machine
from serbench.measure.machine import Machine, describe_machine
from serbench.measure.manifest import Manifest, other_machine

X86 = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1
microcode\t: 0xa101148

processor\t: 1
vendor_id\t: other
"""
ARM = """processor\t: 0
BogoMIPS\t: 243.75
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
"""


def described(monkeypatch: pytest.MonkeyPatch, cpuinfo: str | None) -> Machine:
    monkeypatch.setattr(machine, "_read", lambda path: cpuinfo if path == "/proc/cpuinfo" else None)
    return describe_machine()


def test_the_numbers_of_a_processor_are_those_of_its_first_core(monkeypatch: pytest.MonkeyPatch) -> None:
    found = described(monkeypatch, X86)
    numbers = (found.processor, found.vendor, found.family, found.model, found.stepping, found.microcode)
    assert numbers == ("AMD EPYC", "AuthenticAMD", "25", "17", "1", "0xa101148")


@pytest.mark.parametrize("cpuinfo", [ARM, "", None, "no colon\n:\n"])
def test_an_odd_machine_is_described_by_what_it_tells(
    monkeypatch: pytest.MonkeyPatch, cpuinfo: str | None
) -> None:
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    found = described(monkeypatch, cpuinfo)
    assert found.processor == "aarch64"
    assert (found.vendor, found.family, found.model) == (
        ("0x41", "8", "0xd0c") if cpuinfo == ARM else (None, None, None)
    )


def test_where_archspec_fails_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> object:
        raise RuntimeError("no such processor")

    monkeypatch.setattr("archspec.cpu.host", fail)
    found = described(monkeypatch, X86.replace("25", "7"))
    assert found.microarchitecture is None and found.vendor == "AuthenticAMD"


def x86(vendor: str, family: int, model: int, stepping: int = 1) -> str:
    """The text of /proc/cpuinfo for a processor whose features a hypervisor hides: it lists only flags that
    every 64-bit processor has."""
    return (
        X86.replace("AuthenticAMD", vendor)
        .replace(": 25", f": {family}")
        .replace(": 17", f": {model}")
        .replace("stepping\t: 1", f"stepping\t: {stepping}")
        .replace("\n\n", "\nflags\t\t: fpu sse2\n\n", 1)
    )


def arm(implementer: int, part: int) -> str:
    return ARM.replace("0x41", f"0x{implementer:02x}").replace("0xd0c", f"0x{part:03x}")


@pytest.mark.parametrize(
    ("cpuinfo", "expected"),
    [
        (x86("AuthenticAMD", 26, 2), "zen5"), (x86("AuthenticAMD", 26, 0x44), "zen5"),
        (x86("AuthenticAMD", 26, 0x50), "zen6"), (x86("AuthenticAMD", 25, 17), "zen4"),
        (x86("AuthenticAMD", 25, 0x61), "zen4"), (x86("AuthenticAMD", 25, 1), "zen3"),
        (x86("AuthenticAMD", 23, 49), "zen2"), (x86("AuthenticAMD", 23, 1), "zen"),
        (x86("GenuineIntel", 6, 0xAD), "graniterapids"), (x86("GenuineIntel", 6, 0xBD), "lunarlake"),
        (x86("GenuineIntel", 6, 0xCF), "emeraldrapids"), (x86("GenuineIntel", 6, 143, 8), "sapphirerapids"),
        (x86("GenuineIntel", 6, 106), "icelake"), (x86("GenuineIntel", 6, 85, 4), "skylake_avx512"),
        (x86("GenuineIntel", 6, 85, 7), "cascadelake"), (x86("GenuineIntel", 6, 85, 11), "cooperlake"),
        (x86("GenuineIntel", 6, 79), "broadwell"), (x86("GenuineIntel", 6, 158), "skylake"),
        (x86("GenuineIntel", 6, 151), "alderlake"), (x86("GenuineIntel", 19, 1), "diamondrapids"),
        (arm(0x41, 0xD0C), "neoverse_n1"), (arm(0x41, 0xD49), "neoverse_n2"),
        (arm(0x41, 0xD40), "neoverse_v1"), (arm(0x41, 0xD4F), "neoverse_v2"),
        (arm(0x41, 0xD08), "cortex_a72"), (arm(0x41, 0xD0B), "cortex_a76"), (arm(0x41, 0xD41), "cortex_a78"),
        (arm(0x61, 0x022), "m1"), (arm(0x61, 0x029), "m1"), (arm(0x61, 0x033), "m2"),
        (arm(0x61, 0x049), "m3"), (arm(0x61, 0x053), "m4"), (arm(0xC0, 0xAC3), "ampere1"),
        (arm(0x6D, 0xD49), "neoverse_n2"),
    ],
)  # fmt: skip
def test_a_microarchitecture_is_known_by_its_numbers(
    monkeypatch: pytest.MonkeyPatch, cpuinfo: str, expected: str
) -> None:
    assert described(monkeypatch, cpuinfo).microarchitecture == expected


@pytest.mark.parametrize(
    "cpuinfo",
    [
        x86("AuthenticAMD", 26, 0x30), x86("AuthenticAMD", 99, 1), x86("GenuineIntel", 6, 0xFF),
        arm(0x41, 0xFFF), arm(0x99, 0xD0C), x86("someone", 25, 17), ARM.replace("0xd0c", "?"),
        X86.replace("17", "x"), "",
    ],
)  # fmt: skip
def test_unknown_numbers_leave_it_to_what_the_processor_can_do(
    monkeypatch: pytest.MonkeyPatch, cpuinfo: str
) -> None:
    monkeypatch.setattr(archspec.cpu, "host", lambda: archspec.cpu.TARGETS["haswell"])
    assert described(monkeypatch, cpuinfo).microarchitecture == "haswell"


def ranges() -> Iterator[tuple[str, str, str]]:
    """For each entry in the table of processors: its vendor and family, the name of the processors, and the
    text of their model ranges."""
    table = machine._table()
    for vendor in table["x86"]:
        for family, names in vendor["families"].items():
            yield from ((f"{vendor['vendor']} {family}", name, text) for name, text in names.items())
    for implementer, parts in table["arm"].items():
        yield from ((f"arm {implementer}", name, text) for name, text in parts.items())


def test_no_number_has_two_names_and_none_that_archspec_has_is_in_the_table() -> None:
    seen: dict[tuple[str, int], str] = {}
    for place, name, text in ranges():
        for first, _, last in (each.partition("-") for each in text.split()):
            for number in range(int(first, 16), int(last or first, 16) + 1):
                assert seen.setdefault((place, number), name) == name
    known = machine._parts_of_archspec()
    assert ("0x41", "0xd0c") in known
    assert not [key for key in known if (f"arm {key[0][2:]}", int(key[1], 16)) in seen]


def measured_on(model: str, microarchitecture: str) -> Manifest:
    processor = Machine(
        processor="AMD EPYC",
        vendor="AuthenticAMD",
        family="26",
        model=model,
        microarchitecture=microarchitecture,
    )
    return Manifest(
        version=4,
        codecs=(),
        workloads=(),
        operations=(),
        datasets={},
        rounds=1,
        toolchains=(),
        machine=processor,
    )


def test_a_machine_that_is_named_better_is_no_other_machine() -> None:
    before, after, other = measured_on("2", "x86_64_v4"), measured_on("2", "zen5"), measured_on("80", "zen6")
    assert other_machine(before, after) == ""
    assert "microarchitecture zen5, now zen6" in other_machine(after, other)


def test_caches_are_told_in_words(tmp_path: Path) -> None:
    for n, (level, kind, size) in enumerate(
        [("1", "Data", "32K"), ("1", "Instruction", "48K"), ("2", "Unified", "1024K"), ("3", "", "x")]
    ):
        folder = tmp_path / f"index{n}"
        folder.mkdir()
        for name, text in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(text + "\n")
    assert machine._caches(tmp_path) == "L1d 32 KiB, L1i 48 KiB, L2 1 MiB, L3 x"
    assert machine._caches(tmp_path / "none") is None


def test_a_machine_is_named_with_all_that_is_known() -> None:
    assert Machine(processor="AMD EPYC").processor_in_words == "AMD EPYC"
    found = Machine(
        processor="AMD EPYC", vendor="AuthenticAMD", microarchitecture="zen4",
        family="25", model="17", stepping="1", microcode="0xa1",
        caches="L2 1 MiB", kernel="6.1.0", c_library="glibc 2.36", system="Linux-6.1.0",
    )  # fmt: skip
    assert (
        found.processor_in_words
        == "AMD EPYC (AuthenticAMD zen4, family 25, model 17, stepping 1, microcode 0xa1)"
    )
    assert found.surroundings == "L2 1 MiB · Linux 6.1.0 · glibc 2.36"
    assert Machine(processor="x").surroundings == ""
