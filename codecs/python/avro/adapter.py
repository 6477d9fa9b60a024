"""avro: Avro's own library, in Python."""

from io import BytesIO
from typing import Any

from avro.io import BinaryDecoder, BinaryEncoder, DatumReader, DatumWriter
from cell import glue


class Datums:
    class Encoder:
        def __init__(self) -> None:
            self._writer = DatumWriter(glue.SCHEMA)

        def encode(self, message: Any) -> bytes:
            buffer = BytesIO()
            self._writer.write(glue.plain(message), BinaryEncoder(buffer))
            return buffer.getvalue()

    class Decoder:
        def __init__(self) -> None:
            self._reader = DatumReader(glue.SCHEMA)

        def decode(self, data: bytes) -> Any:
            return glue.made(self._reader.read(BinaryDecoder(BytesIO(data))))
