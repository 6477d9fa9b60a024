"""fastavro: Avro's binary encoding, in Cython."""

from io import BytesIO
from typing import Any

from cell import glue
from fastavro import schemaless_reader, schemaless_writer


class Schemaless:
    class Encoder:
        def __init__(self) -> None:
            self._buffer = BytesIO()

        def encode(self, message: Any) -> bytes:
            buffer = self._buffer
            buffer.seek(0)
            buffer.truncate()
            schemaless_writer(buffer, glue.SCHEMA, glue.plain(message))
            return buffer.getvalue()

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(schemaless_reader(BytesIO(data), glue.SCHEMA, None, return_named_type=True))
