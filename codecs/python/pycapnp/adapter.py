"""pycapnp: messages that the C++ library builds and reads, by schemas that it loads when a program starts."""

from pathlib import Path
from typing import Any

import capnp
from cell import glue

capnp.remove_import_hook()

# The library has the file that schemas with names for C++ import.
_SCHEMA = capnp.load(
    str(Path(glue.__file__).parents[1] / "messages.capnp"), imports=[str(Path(capnp.__file__).parents[1])]
)
_ROOT = getattr(_SCHEMA, glue.ROOT)

# A reader's limit is for all that is ever read of it, so that a message could not be read again and again.
_LIMITS = {"traversal_limit_in_words": 1 << 62, "nesting_limit": max(64, glue.DEEPEST)}


def _built(message: Any) -> Any:
    native = _ROOT.new_message()
    native.from_dict(glue.plain(message))
    return native


class _Opened:
    """A message that was opened for reading; it can be read as long as this object exists."""

    __slots__ = ("_context", "root")

    def __init__(self, data: bytes):
        self._context = _ROOT.from_bytes(data, **_LIMITS)
        self.root = self._context.__enter__()


class Unpacked:
    class Encoder:
        build = staticmethod(_built)

        def encode(self, native: Any) -> bytes:
            data: bytes = native.to_bytes()
            native.clear_write_flag()  # else the library warns where it is written again
            return data

        def relay(self, view: _Opened) -> bytes:
            return self.encode(view.root.as_builder())

    class Decoder:
        decode = staticmethod(_Opened)

        def extract(self, view: _Opened) -> Any:
            return glue.made(view.root)


class Packed:
    class Encoder:
        build = staticmethod(_built)

        def encode(self, native: Any) -> bytes:
            data: bytes = native.to_bytes_packed()
            native.clear_write_flag()
            return data

        def relay(self, view: Any) -> bytes:
            return self.encode(view.as_builder())

    class Decoder:
        extract = staticmethod(glue.made)

        def decode(self, data: bytes) -> Any:
            return _ROOT.from_bytes_packed(data, **_LIMITS)
