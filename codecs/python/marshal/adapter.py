"""marshal: what Python writes its own compiled code by."""

import marshal
from typing import Any

from cell import glue


class Plain:
    """Messages are plain dicts."""

    class Encoder:
        encode = staticmethod(marshal.dumps)

    class Decoder:
        decode = staticmethod(marshal.loads)


class Dataclasses:
    """Messages are dataclasses, which are made lists of and from."""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            return marshal.dumps(glue.plain(message))

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return glue.made(marshal.loads(data))
