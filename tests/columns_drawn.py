"""Parquet and Arrow files for tests: a column of each type with its values in the type model, and random
schemas with rows, both as pyarrow and as the type model has them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

KINDS = ("parquet", "arrow", "arrows", "feather")
"""The suffixes of Parquet and Arrow files; by the suffix, ``written`` chooses how to write a file."""

Drawn = tuple[Any, Any]
"""A value in the form that pyarrow takes, and the same value in the type model."""


def written(folder: Path, kind: str, table: Any, name: str = "m", rows: int = 3) -> Path:
    """Writes a table into a file in parts of ``rows`` rows, and returns the file's path; ``kind``, such as
    ``parquet`` or ``arrow``, is the file's suffix."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    file = folder / f"{name}.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(table, file, row_group_size=rows)
    elif kind == "feather":
        pa.feather.write_feather(table, str(file), compression="lz4", chunksize=rows)
    else:
        make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        options = pa.ipc.IpcWriteOptions(
            compression="zstd" if kind == "arrow" else None, emit_dictionary_deltas=kind == "arrow"
        )
        with make(str(file), table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=rows)
    return file


class DrawnTable:
    """A random table.

    Attributes:
        table: the table as pyarrow has it.
        rows: the rows of this table in the type model.
    """

    def __init__(self, draws: random.Random, rows: int):
        import pyarrow as pa

        self._pa, self._draws = pa, draws
        fields = [self._field(f"c{n}", 3) for n in range(draws.randint(1, 6))]
        drawn = [[self._value(field) for field in fields] for _ in range(rows)]
        columns = [pa.array([row[n][0] for row in drawn], field.type) for n, field in enumerate(fields)]
        self.table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
        self.rows = [tuple(each for _, each in row) for row in drawn]

    def _field(self, name: str, levels: int) -> Any:
        return self._pa.field(name, self._type(levels), nullable=self._draws.random() < 0.6)

    def _type(self, levels: int) -> Any:
        pa, draws = self._pa, self._draws
        if levels and draws.random() < 0.45:
            match draws.randrange(5):
                case 0:
                    return pa.struct([self._field(f"f{n}", levels - 1) for n in range(draws.randint(1, 3))])
                case 1:
                    return pa.map_(draws.choice((pa.string(), pa.int32())), self._field("value", levels - 1))
                case 2:
                    return pa.large_list(self._field("item", levels - 1))
                case _:
                    return pa.list_(self._field("item", levels - 1))
        plain = (
            pa.bool_(),
            pa.int8(),
            pa.uint16(),
            pa.int64(),
            pa.uint64(),
            pa.float32(),
            pa.float64(),
            pa.string(),
        )
        more = (pa.large_string(), pa.binary(), pa.binary(5), pa.timestamp("us", "UTC"), pa.date32())
        return draws.choice((*plain, *more, pa.dictionary(pa.int32(), pa.string())))

    def _value(self, field: Any) -> Drawn:
        draws, type = self._draws, field.type
        types = self._pa.types
        if field.nullable and draws.random() < 0.3:
            return None, None
        if types.is_struct(type):
            parts = [(each.name, self._value(each)) for each in type]
            return {name: each for name, (each, _) in parts}, tuple(each for _, (_, each) in parts)
        if types.is_map(type):
            keys = {self._plain(type.key_type)[0] for _ in range(draws.randint(0, 3))}
            entries = [(key, self._value(type.item_field)) for key in keys]
            return [(key, each) for key, (each, _) in entries], {key: each for key, (_, each) in entries}
        if types.is_list(type) or types.is_large_list(type):
            items = [self._value(type.value_field) for _ in range(draws.randint(0, 4))]
            return [each for each, _ in items], [each for _, each in items]
        return self._plain(type)

    def _plain(self, type: Any) -> Drawn:
        draws, types = self._draws, self._pa.types
        if types.is_boolean(type):
            value: Any = draws.random() < 0.5
        elif types.is_integer(type):
            bits = type.bit_width
            value = draws.randint(0, 2**bits - 1) - (
                0 if types.is_unsigned_integer(type) else 2 ** (bits - 1)
            )
        elif types.is_floating(type):
            value = draws.randint(-1000, 1000) / 8
        elif types.is_binary(type) or types.is_fixed_size_binary(type):
            value = draws.randbytes(5)
        elif types.is_timestamp(type) or types.is_date32(type):
            value = draws.randint(-20_000, 20_000)
        else:
            value = "".join(draws.choices("aé€😀 ", k=draws.randint(0, 6)))
        return value, value
