"""ormsgpack: MessagePack in Rust."""

from typing import Any

import ormsgpack
from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ormsgpack.packb(message, option=ormsgpack.OPT_NON_STR_KEYS)

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS)


class Dataclasses(Plain):
    """An adapter whose messages are dataclasses, which it converts to lists and back."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ormsgpack.packb(glue.plain(message), option=ormsgpack.OPT_NON_STR_KEYS)

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS))
