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


class _Encoder:
    protocols: Any

    build = staticmethod(glue.build)

    def encode(self, native: Any) -> bytes:
        data: bytes = serialize(native, self.protocols)
        return data


class _Decoder:
    extract = staticmethod(glue.extract)
    traverse = staticmethod(glue.traverse)
    walk = staticmethod(glue.walk)


class Binary:
    class Encoder(_Encoder):
        def __init__(self) -> None:
            self.protocols = TBinaryProtocolAcceleratedFactory(fallback=False)

    class Decoder(_Decoder):
        def decode(self, data: bytes) -> Any:
            return _read(TBinaryProtocolAccelerated, data)


class Compact:
    class Encoder(_Encoder):
        def __init__(self) -> None:
            self.protocols = TCompactProtocolAcceleratedFactory(fallback=False)

    class Decoder(_Decoder):
        def decode(self, data: bytes) -> Any:
            return _read(TCompactProtocolAccelerated, data)
