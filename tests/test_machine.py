"""What a run says of its machine, on ordinary and odd ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.measure import machine
from serbench.measure.machine import Machine, describe_machine

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
    found = described(monkeypatch, X86)
    assert found.microarchitecture is None and found.vendor == "AuthenticAMD"


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
