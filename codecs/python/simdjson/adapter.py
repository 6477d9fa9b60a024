"""pysimdjson: simdjson from Python, which reads JSON, and only that."""

import json
from typing import Any

import simdjson
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    only_reads = True

    class Encoder:
        """An encoder of the standard library, so that there is something to read; it is not measured."""

        def __init__(self) -> None:
            self._encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

        def encode(self, message: Any) -> bytes:
            return self._encode(message).encode()

    class Decoder:
        def __init__(self) -> None:
            self._parser = simdjson.Parser()

        def decode(self, data: bytes) -> Any:
            return self._parser.parse(data, recursive=True)


class Dataclasses:
    """An adapter whose messages are dataclasses: it makes them from the dicts that simdjson reads."""

    only_reads = True

    class Encoder(Plain.Encoder):
        def encode(self, message: Any) -> bytes:
            return super().encode(glue.plain(message))

    class Decoder(Plain.Decoder):
        def decode(self, data: bytes) -> Any:
            return glue.made(super().decode(data))
