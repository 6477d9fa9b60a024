"""Finds the strings that are to be members of enums, in a pass of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.imports.json.files import JsonFile
from serbench.imports.json.scanning import parsed
from serbench.imports.json.settings import MOST_MEMBERS
from serbench.imports.json.shape import Node


def find_members(root: Node, sources: Sequence[JsonFile]) -> None:
    """Sets ``Node.members`` wherever the user wants an enum, in the order of first appearance; at most one
    more than an enum may have."""
    for source in sources:
        for number, text in source.messages():
            _collect(root, parsed(source, number, text))


def _collect(root: Node, message: Any) -> None:
    left = [(root, message)]
    while left:
        node, value = left.pop()
        if isinstance(value, str):
            if node.wanted.kind == "enum":
                node.members = node.members or {}
                if len(node.members) <= MOST_MEMBERS:
                    node.members[value] = None
        elif isinstance(value, list) and node.items:
            left += [(node.items, each) for each in reversed(value)]
        elif isinstance(value, dict):
            if node.values:
                left += [(node.values, each) for each in reversed(value.values())]
            elif fields := node.object:
                left += [
                    (fields.members[key], value[key]) for key in reversed(value) if key in fields.members
                ]
