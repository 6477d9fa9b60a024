"""The standard library's JSON."""

import json
from typing import Any

from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        def __init__(self) -> None:
            self._encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

        def encode(self, message: Any) -> bytes:
            return self._encode(message).encode()

    class Decoder:
        decode = staticmethod(json.loads)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to dicts and back."""

    class Encoder(Plain.Encoder):
        def encode(self, message: Any) -> bytes:
            return self._encode(glue.plain(message)).encode()

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(json.loads(data))
