"""Settings of builds that several languages have alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class OneOf:
    """The settings of a build with a single key, which has one of a few values.

    Attributes:
        key: the name of the setting.
        default: its value in the usual build.
        others: its values besides.
    """

    key: str
    default: str
    others: Sequence[str]

    @property
    def usual(self) -> str:
        return f"{self.key}={self.default}"

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        return {self.key: self.others}

    @property
    def examples(self) -> str:
        return f"{self.key}={self.others[0]}"

    def problem(self, text: str) -> str:
        key, _, name = text.partition("=")
        if key != self.key or name not in self.others:
            expected = f"{self.usual}, or {self.key}= with one of {', '.join(self.others)}"
            return f"found '{text}', expected {expected}"
        return ""
