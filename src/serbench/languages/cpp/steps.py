"""Translates Ninja's progress for the person who waits: the codec and workload that a step is for, in place
of the file that Ninja names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from serbench.languages.base import Pair, Progress

_TARGETS = (
    re.compile(r"(?:^|/)([^/\s]+)\.dir/"),  # CMake has the objects of a target in a folder of its name
    re.compile(r" cells/(\S+)$"),
    re.compile(r"/?lib([^/\s]+)\.(?:a|so)$"),
)
"""Patterns that find the name of a step's target in CMake's description of the step."""


def telling(targets: Mapping[str, Pair], progress: Progress) -> Progress:
    """A callback for Ninja's progress that tells ``progress`` which codec and workload each step is for;
    ``targets`` are those that are built."""
    names: dict[str, str] = {}
    for target, (variant, workload) in targets.items():
        codec = variant.codec
        names[".".join(target.split(".")[:3])] = f"{variant.id} for {workload}"
        names[f"serbench_idl_{codec.name}_{workload}"] = f"{codec.id} for {workload}"
        names[f"serbench_workload_{workload}"] = f"all codecs for {workload}"

    def told(done: int, total: int, step: str) -> None:
        progress(done, total, _whom(step, names))

    return told


def _whom(step: str, names: Mapping[str, str]) -> str:
    """The codec and workload that a step is for; ``all codecs`` for a part of the measuring program. For a
    step without a target: Ninja's description, or nothing where that is a path."""
    found = next((match[1] for each in _TARGETS if (match := each.search(step))), None)
    if found is None:
        return "" if "/" in step else step
    name = names.get(found) or names.get(".".join(found.split(".")[:3]))
    return name or ("all codecs" if found.startswith("serbench_") else found)
