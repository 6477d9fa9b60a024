"""Random CSV files, with the types of their columns and the rows that an import of them has to give."""

from __future__ import annotations

import csv
import random
from io import StringIO
from typing import Any

DELIMITERS = (",", ";", "\t", "|")

Drawn = tuple[bytes, dict[str, str], list[tuple[Any, ...]]]


def drawn_csv(draws: random.Random) -> Drawn:
    """A random CSV file, the type of each column by its name, and the rows."""
    columns = {f"col {n}": _column(draws) for n in range(draws.randint(2, 6))}
    rows = draws.choice((2, 20, 1500))
    cells = [[_cell(kind, draws, n) for n in range(rows)] for kind, _ in columns.values()]
    types = {}
    for at, (name, (kind, optional)) in enumerate(columns.items()):
        if optional:
            for n in draws.sample(range(1, rows), max(1, rows // 3)):
                cells[at][n] = ("", None)
        types[name] = f"optional<{kind}>" if optional else kind
    out = StringIO()
    writer = csv.writer(
        out,
        delimiter=draws.choice(DELIMITERS),
        lineterminator=draws.choice(("\n", "\r\n")),
        quoting=draws.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    )
    writer.writerow(columns)
    writer.writerows(zip(*([text for text, _ in column] for column in cells), strict=True))
    mark = draws.choice((b"", b"\xef\xbb\xbf"))
    return (
        mark + out.getvalue().encode(),
        types,
        list(zip(*([value for _, value in column] for column in cells), strict=True)),
    )


def _column(draws: random.Random) -> tuple[str, bool]:
    return draws.choice(
        ("bool", "i32", "i64", "u64", "f64", "string", "uuid over string")
    ), draws.random() < 0.4


def _cell(kind: str, draws: random.Random, row: int) -> tuple[str, Any]:
    """The text of a random cell and its value. The first row has a value from which an import has to infer
    this type, whatever the other rows have."""
    match kind:
        case "bool":
            value = draws.random() < 0.5
            return str(value).lower(), value
        case "i32" | "i64" | "u64":
            least, most = {
                "i32": (-(1 << 31), (1 << 31) - 1),
                "i64": (-(1 << 63), (1 << 63) - 1),
                "u64": (0, (1 << 64) - 1),
            }[kind]
            number = most if row == 0 else draws.randint(least, most)
            return str(number), number
        case "f64":
            real = (
                0.5 if row == 0 else draws.choice((draws.gauss(0, 1), draws.gauss(0, 1) * 1e300, 1e-7, 3.0))
            )
            return repr(real), real
        case "string":
            text = (
                'x, y\n"z"; | \t'
                if row == 0
                else "a" + "".join(draws.choices('aé€😀 ,;|\t"\n0', k=draws.randint(0, 8)))
            )
            return text, text
        case _:
            digits = f"{draws.getrandbits(128):032x}"
            text = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
            return text, text
