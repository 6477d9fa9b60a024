"""Paths of parts of JSON values, such as ``orders[].lines{}.price``, where ``[]`` stands for every item of a
list, and ``{}`` for every value of a map."""

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
    """Returns the path of a member of the object at ``path``. A key that would make it ambiguous is
    quoted."""
    written = key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)
    return written if path == WHOLE else f"{path}.{written}"


def inside(path: str, step: str) -> str:
    """Returns the path of the items of the list, or the values of the map, at ``path``; ``step`` is ``ITEM``
    or ``VALUE``."""
    return step if path == WHOLE else f"{path}{step}"


def shown(path: str) -> str:
    """Returns a path as the user is shown it: shortened, since hostile data may have long paths."""
    return shortened(path, _LONGEST)


def shown_briefly(path: str) -> str:
    """Returns the beginning and end of a path, for the error that the path is too deep."""
    return shortened(path, _LONGEST_BRIEFLY)


def joined(steps: Iterable[str]) -> str:
    """Returns the path of single steps, from the message inwards; a step is a key as ``member`` writes it, or
    the index of an item: ``[3]``."""
    text = ""
    for step in steps:
        text += f".{step}" if text and not step.startswith(("[", "{")) else step
    return shown(text) or WHOLE
