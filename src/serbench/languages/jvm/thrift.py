"""The package and the scalar types that Thrift's compilers for the JVM have in common."""

from __future__ import annotations

from serbench.idl.thrift import NAMESPACE, SCALARS

PACKAGES = f"serbench.{NAMESPACE}"

_SCALA = {
    "bool": "Boolean",
    "i8": "Byte",
    "i16": "Short",
    "i32": "Int",
    "i64": "Long",
    "double": "Double",
    "string": "String",
    "binary": "java.nio.ByteBuffer",
}

STRUCT_SCALARS = {name: _SCALA[thrift] for name, thrift in SCALARS.items()}
"""Name of a scalar in the type model → the Scala type that Thrift's structs have for it."""
