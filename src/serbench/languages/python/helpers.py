"""Functions that generated modules get where they call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from serbench.codegen.source import Source
from serbench.languages.python.code import suite

Helpers = Mapping[str, Sequence[str]]
"""The lines of functions by their heads."""

_HELPERS = {
    "_bits32(number: float) -> int": ['return int.from_bytes(struct.pack("<f", number), "little")'],
    "_bits64(number: float) -> int": ['return int.from_bytes(struct.pack("<d", number), "little")'],
    "_sum(octets: bytes) -> int": ["return len(octets) + sum(octets)"],
    "_exact(items: Any, count: int) -> Any": [
        "if len(items) != count:",
        '    raise ValueError(f"there are {len(items)} items, expected {count}")',
        "return items",
    ],
    "_narrow(number: int, least: int, most: int) -> int": [
        "if not least <= number <= most:",
        '    raise ValueError(f"{number} is not within {least} to {most}")',
        "return number",
    ],
    "_signed(number: int) -> int": ["return number - (1 << 64) if number >> 63 else number"],
}


def write_helpers(out: Source, body: str, more: Helpers = MappingProxyType({})) -> None:
    """Write the helpers, and those among ``more``, that ``body`` calls; helpers for floats need the module
    ``struct``."""
    for head, lines in {**more, **_HELPERS}.items():
        if f"{head.partition('(')[0]}(" in body:
            out("", "")
            with suite(out, f"def {head}:"):
                out(*lines)
