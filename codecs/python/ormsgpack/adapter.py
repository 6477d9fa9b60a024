"""ormsgpack: MessagePack in Rust."""

from typing import Any

import ormsgpack
from cell import glue


class Plain:
    """Messages are plain dicts."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ormsgpack.packb(message, option=ormsgpack.OPT_NON_STR_KEYS)

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS)


class Dataclasses(Plain):
    """Messages are dataclasses; the adapter converts them to lists to encode, and back after decoding."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ormsgpack.packb(glue.plain(message), option=ormsgpack.OPT_NON_STR_KEYS)

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS))
