"""pycapnp: messages that the C++ library builds and reads, by schemas that it loads when a program starts."""

from abc import ABC, abstractmethod
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

_USUAL_LIMIT_WORDS = 8 << 20
"""The library's own limit for what is read of a message."""

_NESTING_LIMIT = max(64, glue.DEEPEST)


def _built(message: Any) -> Any:
    native = _ROOT.new_message()
    native.from_dict(glue.plain(message))
    return native


class _View(ABC):
    """A message that was opened for reading, as often as one likes, as long as this object exists.

    The words that may be read of it are limited, so that one whose pointers lead to the same things again and
    again cannot grow beyond all bounds: by the library's default or, for long messages, by as many as one of
    that length can have. A reader's limit is for all times together, so every now and then there is another.

    Attributes:
        words_of_two_bytes: how many words are read of two bytes of a message at most.
    """

    __slots__ = ("_data", "_left", "_root")
    words_of_two_bytes: int

    def __init__(self, data: bytes):
        self._data = data
        self._open()

    @property
    def root(self) -> Any:
        """The library's reader, by which the message is read once."""
        if not self._left:
            self._open()
        self._left -= 1
        return self._root

    def _open(self) -> None:
        most = self.words_of_two_bytes * (len(self._data) // 2 + 1)
        limit = max(_USUAL_LIMIT_WORDS, most)
        self._left = min(limit // most, 100)
        self._root = self.opened(limit)

    @abstractmethod
    def opened(self, limit: int) -> Any:
        """Return a reader by which so many words can be read."""


class _Lying(_View):
    """A message that is read where it lies, each part of it four times at most."""

    __slots__ = ("_context",)
    words_of_two_bytes = 1

    def opened(self, limit: int) -> Any:
        self._context = _ROOT.from_bytes(self._data, limit, _NESTING_LIMIT)
        return self._context.__enter__()


class _Unpacked(_View):
    """A message that is unpacked: a tag and a count are up to 256 words of zeros."""

    __slots__ = ()
    words_of_two_bytes = 256

    def opened(self, limit: int) -> Any:
        return _ROOT.from_bytes_packed(self._data, limit, _NESTING_LIMIT)


class _Decoder:
    """Base of the decoders, which differ in their views."""

    @staticmethod
    def extract(view: _View) -> Any:
        return glue.made(view.root)


class Unpacked:
    class Encoder:
        build = staticmethod(_built)

        def encode(self, native: Any) -> bytes:
            data: bytes = native.to_bytes()
            native.clear_write_flag()  # else the library warns where it is written again
            return data

        def relay(self, view: _View) -> bytes:
            return self.encode(view.root.as_builder())

    class Decoder(_Decoder):
        decode = staticmethod(_Lying)


class Packed:
    class Encoder:
        build = staticmethod(_built)

        def encode(self, native: Any) -> bytes:
            data: bytes = native.to_bytes_packed()
            native.clear_write_flag()
            return data

        def relay(self, view: _View) -> bytes:
            return self.encode(view.root.as_builder())

    class Decoder(_Decoder):
        decode = staticmethod(_Unpacked)
