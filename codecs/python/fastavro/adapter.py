"""fastavro: Avro's binary encoding, in Cython."""

import json
from io import BytesIO
from typing import Any

from cell import WRITER_SCHEMA, glue
from fastavro import parse_schema, schemaless_reader, schemaless_writer


class Reading:
    """Reads messages that were written by the program's own schema."""

    def decode(self, data: bytes) -> Any:
        return glue.made(schemaless_reader(BytesIO(data), glue.SCHEMA, None, return_named_type=True))


class Resolving:
    """Reads messages that were written by another schema."""

    def __init__(self) -> None:
        self._written = parse_schema(json.loads(WRITER_SCHEMA))

    def decode(self, data: bytes) -> Any:
        read = schemaless_reader(BytesIO(data), self._written, glue.SCHEMA, return_named_type=True)
        return glue.made(read)


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

    Decoder = Resolving if WRITER_SCHEMA else Reading
