"""betterproto2: dataclasses that it generates, written and read in Python."""

from cell import glue


class Messages:
    class Encoder:
        build = staticmethod(glue.build)
        encode = staticmethod(bytes)

    class Decoder:
        decode = staticmethod(glue.Root.parse)
        extract = staticmethod(glue.extract)
        traverse = staticmethod(glue.traverse)
        walk = staticmethod(glue.walk)
