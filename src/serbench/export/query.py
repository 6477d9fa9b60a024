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
    """Answer a query over the tables of runs: the names of the columns, and the rows.

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
            known = [f"  {name}: {', '.join(each.name for each in own)}" for name, own in TABLES.items()]
            raise SelectionError("\n".join([f"{error}\n\ntables and their columns:", *known])) from error
