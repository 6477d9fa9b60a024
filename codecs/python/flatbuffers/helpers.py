"""Helper functions as text, each of which is written into the generated modules that call it."""

from __future__ import annotations

HELPERS = {
    "_offsets(to: Any, start: Any, offsets: list[int]) -> Any": [
        "start(to, len(offsets))",
        "for offset in reversed(offsets):",
        "    to.PrependUOffsetTRelative(offset)",
        "return to.EndVector()",
    ],
    "_structs(to: Any, start: Any, build: Any, items: Any) -> Any": [
        "start(to, len(items))",
        "for each in reversed(items):",
        "    build(to, each)",
        "return to.EndVector()",
    ],
    "_numbers(to: Any, start: Any, prepend: Any, dtype: str, items: Any) -> Any": [
        "if BY_NUMPY:",
        "    return to.CreateNumpyVector(numpy.array(items, dtype))",
        "start(to, len(items))",
        "for each in reversed(items):",
        "    prepend(each)",
        "return to.EndVector()",
    ],
    "_listed(at: Any, count: int, together: Any) -> Any": [
        "if BY_NUMPY:",
        "    return together().tolist() if count else []",
        "return [at(n) for n in range(count)]",
    ],
    "_octets(table: Any, slot: int) -> bytes": [
        "offset = table.Offset(slot)",
        "if offset == 0:",
        '    return b""',
        "start, count = table.Vector(offset), table.VectorLen(offset)",
        "if start + count > len(table.Bytes):",
        '    raise ValueError("the bytes end early")',
        "return bytes(table.Bytes[start : start + count])",
    ],
    "_octets_at(table: Any, count: int) -> bytes": [
        "if table.Pos + count > len(table.Bytes):",
        '    raise ValueError("the bytes end early")',
        "return bytes(table.Bytes[table.Pos : table.Pos + count])",
    ],
    "_room(count: int, table: Any) -> int": [
        "if 4 * count > len(table.Bytes):",
        '    raise ValueError(f"a count of {count} exceeds the bytes of the message")',
        "return count",
    ],
}
