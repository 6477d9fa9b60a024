"""marshal: the format in which Python keeps its own compiled code."""

import marshal
from typing import Any

from cell import glue


class Plain:
    """An adapter whose messages are plain dicts."""

    class Encoder:
        encode = staticmethod(marshal.dumps)

    class Decoder:
        decode = staticmethod(marshal.loads)


class Dataclasses:
    """An adapter whose messages are dataclasses, which it converts to lists and back."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return marshal.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(marshal.loads(data))
