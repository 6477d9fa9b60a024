"""Parses the command line: commands with ``+`` between them, each with options that take a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench_runner.errors import Refused

COMMANDS = ("describe", "measure", "calls", "encode", "decode", "relay", "probe", "check")
POLICIES = ("reuse", "fresh")


@dataclass(frozen=True)
class Arguments:
    """A command with its options."""

    command: str
    options: Mapping[str, str]

    def get(self, name: str, fallback: str | None = None) -> str:
        """The value of an option, or ``fallback``; raises Refused if the option is missing and there is no
        fallback."""
        if (value := self.options.get(name, fallback)) is None:
            raise Refused(f"{self.command} needs --{name}")
        return value

    def number(self, name: str, fallback: int) -> int:
        """The value of an option that is a whole number, or ``fallback``."""
        text = self.options.get(name, str(fallback))
        try:
            return int(text)
        except ValueError as error:
            raise Refused(f"found --{name} {text}, expected a whole number") from error

    @property
    def place(self) -> int:
        """The seed from which places in memory are drawn."""
        text = self.options.get("place", "0")
        if not (text.isascii() and text.isdigit() and len(text) <= 19):
            raise Refused(f"found --place {text}, expected a whole number below 10^19")
        return int(text)

    @property
    def memory(self) -> str:
        return policy(self.options.get("memory", "reuse"))


def policy(text: str) -> str:
    """Returns ``text`` if it is a memory policy; raises Refused otherwise."""
    if text not in POLICIES:
        raise Refused(f"found memory policy '{text}', expected reuse or fresh")
    return text


def writer_schema(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The text of the file that ``--writer-schema`` names in front of all commands, None without it; and the
    words behind it."""
    if not words or words[0] != "--writer-schema":
        return None, words
    if len(words) < 2:
        raise Refused("expected --writer-schema FILE, found no file")
    return Path(words[1]).read_text(encoding="utf-8"), words[2:]


def parse(words: Sequence[str]) -> list[Arguments]:
    """The commands of a command line."""
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            commands.append([])
        else:
            commands[-1].append(word)
    return [_one(each) for each in commands]


def _one(words: Sequence[str]) -> Arguments:
    if not words:
        raise Refused(f"no command; expected one of {', '.join(COMMANDS)}")
    command, *options = words
    if command not in COMMANDS:
        raise Refused(f"found command '{command}', expected one of {', '.join(COMMANDS)}")
    for name in options[::2]:
        if not name.startswith("--") or (options[-1] == name and len(options) % 2):
            raise Refused(f"expected --NAME VALUE, found {name}")
    return Arguments(
        command, {n.removeprefix("--"): v for n, v in zip(options[::2], options[1::2], strict=True)}
    )
