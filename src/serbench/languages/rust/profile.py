"""How Cargo compiles: the settings of ``--profile rust:…``, and the environment variables that would change
them unseen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from serbench.languages.cpp.allocators import ALLOCATORS, KEY

_PROFILE = {
    "lto": ("false|off|thin|fat|true", "false, off, thin, fat or true"),
    "codegen-units": ("[1-9][0-9]{0,3}", "a whole number from 1 on"),
    "opt-level": ("[0-3sz]", "0 to 3, s or z"),
    "panic": ("abort|unwind", "abort or unwind"),
}
"""The keys of a profile that may be set, with their values as a pattern and in words (the Cargo book,
"Profiles")."""

_TARGET = {
    "target-cpu": (
        "[A-Za-z0-9][A-Za-z0-9._-]*",
        "native or the name of a processor (rustc --print target-cpus)",
    ),
}
"""The settings that are options ``-C`` of rustc, with their values as a pattern and in words."""

_LINKED = {KEY: ("|".join(ALLOCATORS), f"one of {', '.join(ALLOCATORS)}")}
"""The settings of the program that is linked with what Cargo builds."""

_UNSEEN = re.compile(
    "CARGO_PROFILE_.*|CARGO_BUILD_(RUSTFLAGS|TARGET|RUSTC)|CARGO_TARGET_.*_(RUSTFLAGS|LINKER)"
    "|CARGO_ENCODED_RUSTFLAGS|CARGO_INCREMENTAL|RUSTFLAGS|RUSTC|RUSTC_BOOTSTRAP"
)
"""The variables from which Cargo takes settings, flags and another compiler."""


class CargoSettings:
    """The settings of Cargo's profiles and of the target's processor."""

    usual = "release"
    choices: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys((*_PROFILE, *_TARGET), ()),
        KEY: tuple(ALLOCATORS),
    }
    examples = "lto=fat,codegen-units=1,target-cpu=native"

    def problem(self, text: str) -> str:
        known = _PROFILE | _TARGET | _LINKED
        seen = set()
        for each in text.split(","):
            key, _, value = each.partition("=")
            if key not in known:
                return f"found '{each}', expected {self.usual}, or KEY=VALUE with one of {', '.join(known)}"
            pattern, expected = known[key]
            if not re.fullmatch(pattern, value):
                return f"found {key}={value}, expected {expected}"
            if key in seen:
                return f"found {key} twice, expected it once"
            seen.add(key)
        return ""


def cargo_config(settings: str) -> str:
    """The text of ``.cargo/config.toml`` with the ``settings`` of an edition; empty for the usual settings.
    Cargo reads this file from the folders above the one that it is started in."""
    given = _parsed(settings)
    lines = [
        "[profile.release]",
        *(f"{key} = {_toml(value)}" for key, value in given.items() if key in _PROFILE),
    ]
    if cpu := given.get("target-cpu"):
        lines += ["", "[build]", f"rustflags = {json.dumps(['-C', f'target-cpu={cpu}'])}"]
    return "\n".join(lines) + "\n" if given.keys() - _LINKED.keys() else ""


def described(settings: str) -> str:
    """The settings of Cargo in words, for the flags that a table names."""
    given = {"opt-level": "3", "codegen-units": "16", "lto": "false"} | _parsed(settings)
    given = {key: value for key, value in given.items() if key not in _LINKED}
    words = [f"{key}={value}" for key, value in given.items()]
    if "target-cpu" not in given:
        words.append("no target-cpu")
    return f"cargo's release profile with {', '.join(words)}"


def left_out(given: Mapping[str, str]) -> list[str]:
    """The names of the variables that would change unseen how cells are compiled."""
    return sorted(name for name, value in given.items() if value and _UNSEEN.fullmatch(name))


def _parsed(settings: str) -> dict[str, str]:
    return dict(each.split("=", 1) for each in settings.split(",")) if settings else {}


def _toml(value: str) -> str:
    return value if value.isdigit() or value in ("true", "false") else json.dumps(value)
