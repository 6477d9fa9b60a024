"""FlatBuffers with the code that flatc generates: the builder's own bytes, read in place."""

from typing import Any

import flatbuffers
from cell import glue

_FIRST_SIZE = 1024  # as in the library's tutorial


class _Encoder:
    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(_FIRST_SIZE)

    def build(self, message: Any) -> Any:
        builder = self.builder
        builder.Clear()
        builder.Finish(glue.build(builder, message))
        return builder

    encode = staticmethod(flatbuffers.Builder.Output)


class _Decoder:
    """Base of the decoders, which check nothing, since the library has no verifier in Python."""

    decode = staticmethod(glue.root_of)
    extract = staticmethod(glue.extract)
    traverse = staticmethod(glue.traverse)
    walk = staticmethod(glue.walk)


class Plain:
    """The variant that writes and reads vectors of numbers item by item."""

    relays = False  # a builder cannot take a table that was read

    class Encoder(_Encoder):
        pass

    class Decoder(_Decoder):
        pass


class ByNumpy:
    """The variant that writes and reads vectors of numbers as arrays of numpy."""

    relays = False

    class Encoder(_Encoder):
        pass

    class Decoder(_Decoder):
        pass
