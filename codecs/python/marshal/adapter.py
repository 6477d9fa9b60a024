"""marshal: the format in which Python keeps its own compiled code."""

import marshal
from typing import Any

from cell import glue


class Plain:
    """Messages are plain dicts."""

    class Encoder:
        encode = staticmethod(marshal.dumps)

    class Decoder:
        decode = staticmethod(marshal.loads)


class Dataclasses:
    """Messages are dataclasses; the adapter converts them to lists to encode, and back after decoding."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return marshal.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(marshal.loads(data))
