from serbench.languages.cpp import protobuf
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return protobuf.emit(schema, "proto2")
