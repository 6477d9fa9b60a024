"""UltraJSON: JSON of dicts, lists, text and numbers."""

from typing import Any

import ujson
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ujson.dumps(message, ensure_ascii=False, escape_forward_slashes=False).encode()

    class Decoder:
        decode = staticmethod(ujson.loads)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to dicts and back."""

    class Encoder(Plain.Encoder):
        def encode(self, message: Any) -> bytes:
            return super().encode(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(ujson.loads(data))
