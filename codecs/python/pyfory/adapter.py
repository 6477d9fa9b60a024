"""Apache Fory for Python: registered dataclasses, read and written in Cython by their annotations."""

from functools import cache

import pyfory
from cell import glue

for dataclass, annotations in glue.ANNOTATIONS.items():
    dataclass.__annotations__ = annotations


@cache
def _fory(*, xlang: bool, compatible: bool) -> pyfory.Fory:
    """Return the one ``Fory`` with these settings; it makes a serializer for each class that it meets."""
    fory = pyfory.Fory(
        xlang=xlang,
        compatible=compatible,
        max_depth=4_000,  # a thousand steps; by default it is 50, and beyond some 10,000 the stack ends
        max_graph_memory_bytes=(1 << 63) - 1,  # it is 128 MiB unless told otherwise
        # Unless told otherwise, it refuses classes of more than 512 fields, whose names have 4 KiB together,
        # and lists of more than 8,192 items that take no bytes.
        max_type_fields=1 << 16,
        max_type_meta_bytes=1 << 24,
        max_unbacked_container_items=1 << 20,
    )
    # Numbers are shorter than names.
    for number, each in enumerate((*glue.ANNOTATIONS, *glue.ENUMS)):
        fory.register(each, type_id=number)
    if not compatible:
        # Else the library (1.7.7) makes serializers of objects that lie two deep anew with each message.
        resolver = fory.type_resolver
        for each in glue.ANNOTATIONS:
            resolver.get_type_info(each).serializer = pyfory.DataClassSerializer(resolver, each)
    return fory


class Consistent:
    class Encoder:
        def __init__(self) -> None:
            self.encode = _fory(xlang=False, compatible=False).serialize

    class Decoder:
        def __init__(self) -> None:
            self.decode = _fory(xlang=False, compatible=False).deserialize


class Compatible:
    class Encoder:
        def __init__(self) -> None:
            self.encode = _fory(xlang=False, compatible=True).serialize

    class Decoder:
        def __init__(self) -> None:
            self.decode = _fory(xlang=False, compatible=True).deserialize


class Xlang:
    class Encoder:
        def __init__(self) -> None:
            self.encode = _fory(xlang=True, compatible=True).serialize

    class Decoder:
        def __init__(self) -> None:
            self.decode = _fory(xlang=True, compatible=True).deserialize
