"""Code as a careful programmer writes it without a library: ``struct`` and ``array``, and a function for each
type."""

from cell import glue


class Handwritten:
    class Encoder:
        encode = staticmethod(glue.write)

    class Decoder:
        decode = staticmethod(glue.read)
