"""Apache Thrift with its accelerator, which writes and reads objects of generated classes in C."""

from typing import Any

from cell import glue
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated, TBinaryProtocolAcceleratedFactory
from thrift.protocol.TCompactProtocol import TCompactProtocolAccelerated, TCompactProtocolAcceleratedFactory
from thrift.transport.TTransport import TMemoryBuffer
from thrift.TSerialization import serialize


def _read(protocol: Any, data: bytes) -> Any:
    # No message has strings or containers of more items than it has bytes.
    most = len(data)
    native = glue.Root()
    native.read(
        protocol(TMemoryBuffer(data), string_length_limit=most, container_length_limit=most, fallback=False)
    )
    return native


class Binary:
    class Encoder:
        def __init__(self) -> None:
            self._protocols = TBinaryProtocolAcceleratedFactory(fallback=False)

        build = staticmethod(glue.build)

        def encode(self, native: Any) -> bytes:
            data: bytes = serialize(native, self._protocols)
            return data

    class Decoder:
        extract = staticmethod(glue.extract)
        traverse = staticmethod(glue.traverse)
        walk = staticmethod(glue.walk)

        def decode(self, data: bytes) -> Any:
            return _read(TBinaryProtocolAccelerated, data)


class Compact:
    class Encoder:
        def __init__(self) -> None:
            self._protocols = TCompactProtocolAcceleratedFactory(fallback=False)

        build = staticmethod(glue.build)

        def encode(self, native: Any) -> bytes:
            data: bytes = serialize(native, self._protocols)
            return data

    class Decoder:
        extract = staticmethod(glue.extract)
        traverse = staticmethod(glue.traverse)
        walk = staticmethod(glue.walk)

        def decode(self, data: bytes) -> Any:
            return _read(TCompactProtocolAccelerated, data)
