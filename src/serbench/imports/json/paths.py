"""Paths of parts of JSON values: ``orders[].lines{}.price``; ``[]`` is every item of a list, ``{}`` every
value of a map."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from serbench.text import shortened

WHOLE = "$"
"""The path of a message itself."""

ITEM, VALUE = "[]", "{}"

_PLAIN = re.compile(r"[^.\[\]{}\"=\s$]+")
_LONGEST = 1000


def member(path: str, key: str) -> str:
    """The path of a member of the object at ``path``; a key that a path would be misread with stands in
    quotes."""
    written = key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)
    return written if path == WHOLE else f"{path}.{written}"


def inside(path: str, step: str) -> str:
    """The path of the items or the values of what is at ``path``."""
    return step if path == WHOLE else f"{path}{step}"


def shown(path: str) -> str:
    """The path as it is told; hostile ones are long."""
    return shortened(path, _LONGEST)


def joined(steps: Iterable[str]) -> str:
    """The path that single steps from a message inwards make, each as ``member`` writes it, or ``[3]``."""
    text = ""
    for step in steps:
        text += f".{step}" if text and not step.startswith(("[", "{")) else step
    return shown(text) or WHOLE
