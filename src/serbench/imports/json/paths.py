"""Paths of parts of JSON values, such as ``orders[].lines{}.price``; ``[]`` stands for every item of a list,
``{}`` for every value of a map."""

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
_LONGEST_BRIEFLY = 80


def member(path: str, key: str) -> str:
    """The path of a member of the object at ``path``. A key that would make the path ambiguous stands in
    quotes."""
    written = key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)
    return written if path == WHOLE else f"{path}.{written}"


def inside(path: str, step: str) -> str:
    """The path of the items of the list at ``path``, or of the values of the map there; ``step`` says
    which."""
    return step if path == WHOLE else f"{path}{step}"


def shown(path: str) -> str:
    """The path as messages show it: shortened, since hostile data may have long ones."""
    return shortened(path, _LONGEST)


def shown_briefly(path: str) -> str:
    """The path for a message in which its beginning and end are enough, as all of it is too deep."""
    return shortened(path, _LONGEST_BRIEFLY)


def joined(steps: Iterable[str]) -> str:
    """The path that single steps make, from the message inwards; each step is as ``member`` writes it, or
    ``[3]``."""
    text = ""
    for step in steps:
        text += f".{step}" if text and not step.startswith(("[", "{")) else step
    return shown(text) or WHOLE
