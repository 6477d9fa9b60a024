"""cbor2: CBOR by the library of most users."""

from typing import Any

import cbor2
from cell import glue


class Plain:
    """Messages are plain dicts."""

    class Encoder:
        encode = staticmethod(cbor2.dumps)

    class Decoder:
        decode = staticmethod(cbor2.loads)


class Dataclasses:
    """Messages are dataclasses; the adapter converts them to dicts to encode, and back after decoding."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return cbor2.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(cbor2.loads(data))
