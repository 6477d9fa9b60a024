"""cbor2: CBOR by the library of most users."""

from typing import Any

import cbor2
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        encode = staticmethod(cbor2.dumps)

    class Decoder:
        decode = staticmethod(cbor2.loads)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to dicts and back."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return cbor2.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(cbor2.loads(data))
