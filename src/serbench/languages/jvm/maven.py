"""Reads from the output of Maven why something was not resolved or built."""

from __future__ import annotations

import re


def errors(log: str) -> list[str]:
    lines = (line for line in log.splitlines() if line.startswith(("[ERROR]", "[FATAL]")))
    return [line.removeprefix("[ERROR] ") for line in lines]


def failure(log: str, module: str) -> str:
    """The reason why Maven failed on a module, without addresses; empty where it did not."""
    at = f"on project {module}: "
    failures = (line for line in errors(log) if line.startswith("Failed to execute goal") and at in line)
    return without_addresses(next(failures, "").partition(at)[2].partition(" -> [Help")[0])


def cut_off(log: str) -> str:
    """The reason where Maven names none, as where it was killed: the last line that it wrote."""
    last = next(filter(None, map(str.strip, reversed(without_addresses(log).splitlines()))), "nothing")
    return f"Maven ended before it was built; it last said: {last}"


def without_addresses(text: str) -> str:
    """A text without the addresses of Maven's repositories, which say nothing to a reader of a table."""
    return re.sub(r"\s*\((?:https?|file):[^)]*\)|\b(?:https?|file)://\S+", "", text)


def unresolved(log: str, module: str) -> str:
    """Return in short the artifacts that Maven could not find for a module."""
    reason = failure(log, module)
    artifacts = dict.fromkeys(re.findall(r"([\w.-]+:[\w.-]+):(?:jar|pom)(?::[\w.-]+)?:([\w.-]+)", reason))
    names = [f"{name}:{version}" for name, version in artifacts if not name.startswith("serbench:")]
    told = f"Maven cannot resolve {', '.join(names)}" if names else reason
    return told or "Maven could not resolve its dependencies"
