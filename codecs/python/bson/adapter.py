"""bson of PyMongo: documents as dicts, in C."""

from typing import Any

import bson
from cell import glue


class Documents:
    class Encoder:
        def encode(self, message: Any) -> bytes:
            return bson.encode(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(bson.decode(data))
