"""thriftpy2: objects of classes that it makes of an IDL file when it loads it, written and read in Cython or
Python."""

from typing import Any

from cell import glue
from thriftpy2.protocol.compact import TCompactProtocolFactory
from thriftpy2.protocol.cybin import TCyBinaryProtocolFactory
from thriftpy2.utils import deserialize, serialize


class _Encoder:
    protocols: Any

    build = staticmethod(glue.build)

    def encode(self, native: Any) -> bytes:
        data: bytes = serialize(native, self.protocols)
        return data


class _Decoder:
    protocols: Any

    extract = staticmethod(glue.extract)
    traverse = staticmethod(glue.traverse)
    walk = staticmethod(glue.walk)

    def decode(self, data: bytes) -> Any:
        return deserialize(glue.Root(), data, self.protocols)


class Binary:
    # The library's own way to write and read more than 64 values inside each other.
    class Encoder(_Encoder):
        def __init__(self) -> None:
            self.protocols = TCyBinaryProtocolFactory(max_depth=glue.DEEPEST)

    class Decoder(_Decoder):
        def __init__(self) -> None:
            self.protocols = TCyBinaryProtocolFactory(max_depth=glue.DEEPEST)


class Compact:
    class Encoder(_Encoder):
        def __init__(self) -> None:
            self.protocols = TCompactProtocolFactory()

    class Decoder(_Decoder):
        def __init__(self) -> None:
            self.protocols = TCompactProtocolFactory()
