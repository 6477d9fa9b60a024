"""Protocol Buffers by the official library, whose core is upb, in C."""

from cell import glue

if glue.DEEPEST > 100:
    # The library's own way to read more than 100 messages inside each other.
    from google._upb._message import SetAllowOversizeProtos

    SetAllowOversizeProtos(True)


class Messages:
    class Encoder:
        build = staticmethod(glue.build)
        encode = staticmethod(glue.Root.SerializeToString)

    class Decoder:
        decode = staticmethod(glue.Root.FromString)
        extract = staticmethod(glue.extract)
        traverse = staticmethod(glue.traverse)
        walk = staticmethod(glue.walk)
