"""Tells C whether a line has a price."""

from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The text of the file ``glue.h`` of a workload."""
    fields = {field.name for record in schema.records for field in record.fields}
    price = "((line).price)" if "price" in fields else "0"
    return f"#define PRICE(line) {price}\n"
