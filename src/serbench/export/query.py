"""SQL over runs, by DuckDB inside this process."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from serbench.errors import SelectionError
from serbench.export.columns import TABLES
from serbench.export.files import arrow_table
from serbench.export.tables import table_of
from serbench.measure.store import Run
from serbench.system.extras import need_packages

_SETTINGS: dict[str, Any] = {
    "enable_external_access": False,  # a query may read runs, and may neither read nor write anything else
    "autoinstall_known_extensions": False,
    "lock_configuration": True,
}


def ask(query: str, runs: Sequence[Run]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns and the rows that a query over the tables of these runs returns.

    Raises:
        SetupError: DuckDB or pyarrow is not installed.
        SelectionError: the query is not valid SQL, or asks for a table or column that does not exist; says
            which exist.
        FileError: a run cannot be read.
    """
    need_packages("sql", "duckdb", "pyarrow")
    import duckdb

    with duckdb.connect(":memory:", config=_SETTINGS) as connection:
        try:
            for name in TABLES:
                # A million samples take seconds to load, so a table is loaded only if the query names it.
                if re.search(rf"\b{name}\b", query, re.IGNORECASE):
                    connection.register(name, arrow_table(name, table_of(name, runs)))
            found = connection.execute(query)
            return [column[0] for column in found.description or ()], found.fetchall()
        except duckdb.Error as error:
            raise SelectionError(f"{error}\n\n{_known()}") from error


def _known() -> str:
    tables = (f"  {name}: {', '.join(column.name for column in columns)}" for name, columns in TABLES.items())
    return "\n".join(["tables and their columns:", *tables])
