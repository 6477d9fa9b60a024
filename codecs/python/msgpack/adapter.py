"""The official MessagePack for Python."""

from typing import Any

import msgpack
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        def __init__(self) -> None:
            self.encode = msgpack.Packer().pack

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return msgpack.unpackb(data, strict_map_key=False)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to lists and back."""

    class Encoder:
        def __init__(self) -> None:
            self._pack = msgpack.Packer(use_single_float=glue.SINGLE).pack

        def encode(self, message: Any) -> bytes:
            return self._pack(glue.plain(message))

    class Decoder(Plain.Decoder):
        def decode(self, data: bytes) -> Any:
            return glue.made(msgpack.unpackb(data, strict_map_key=False))
