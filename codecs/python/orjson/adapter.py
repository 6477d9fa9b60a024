"""orjson: JSON in Rust; it reads dicts, lists, text and numbers."""

from typing import Any

import orjson
from cell import glue


class Plain:
    """Messages are plain dicts."""

    class Encoder:
        encode = staticmethod(orjson.dumps)

    class Decoder:
        decode = staticmethod(orjson.loads)


class Dataclasses:
    """Messages are dataclasses; the adapter converts them to dicts to encode, and back after decoding."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return orjson.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(orjson.loads(data))
