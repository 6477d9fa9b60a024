"""avro: Avro's own library, in Python."""

from io import BytesIO
from typing import Any

import avro.schema
from avro.io import BinaryDecoder, BinaryEncoder, DatumReader, DatumWriter
from cell import WRITER_SCHEMA, glue


class Reading:
    """Reads messages that were written by the program's own schema."""

    def __init__(self) -> None:
        self._reader = DatumReader(glue.SCHEMA)

    def decode(self, data: bytes) -> Any:
        return glue.made(self._reader.read(BinaryDecoder(BytesIO(data))))


class Resolving(Reading):
    """Reads messages that were written by another schema."""

    def __init__(self) -> None:
        self._reader = DatumReader(avro.schema.parse(WRITER_SCHEMA), glue.SCHEMA)


class Datums:
    class Encoder:
        def __init__(self) -> None:
            self._writer = DatumWriter(glue.SCHEMA)

        def encode(self, message: Any) -> bytes:
            buffer = BytesIO()
            self._writer.write(glue.plain(message), BinaryEncoder(buffer))
            return buffer.getvalue()

    Decoder = Resolving if WRITER_SCHEMA else Reading
