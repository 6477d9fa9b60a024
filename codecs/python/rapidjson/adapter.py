"""RapidJSON: JSON of dicts, lists, text and numbers."""

from typing import Any

import rapidjson
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        def __init__(self) -> None:
            self._encode = rapidjson.Encoder(ensure_ascii=False)

        def encode(self, message: Any) -> bytes:
            return self._encode(message).encode()

    class Decoder:
        def __init__(self) -> None:
            self.decode = rapidjson.Decoder()


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to dicts and back."""

    class Encoder(Plain.Encoder):
        def encode(self, message: Any) -> bytes:
            return self._encode(glue.plain(message)).encode()

    class Decoder:
        def __init__(self) -> None:
            self._decode = rapidjson.Decoder()

        def decode(self, data: bytes) -> Any:
            return glue.made(self._decode(data))
