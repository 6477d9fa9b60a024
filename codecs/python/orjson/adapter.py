"""orjson: JSON in Rust; it reads dicts, lists, text and numbers."""

from typing import Any

import orjson
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        encode = staticmethod(orjson.dumps)

    class Decoder:
        decode = staticmethod(orjson.loads)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to dicts and back."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return orjson.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(orjson.loads(data))
