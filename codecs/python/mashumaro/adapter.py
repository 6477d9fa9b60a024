"""mashumaro: conversions that it generates for dataclasses, and JSON by orjson."""

from cell.domain import Root
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder

# One for all, as programs have them: to make them is to generate their functions.
ENCODER = ORJSONEncoder(Root)
DECODER = ORJSONDecoder(Root)


class Json:
    class Encoder:
        def __init__(self) -> None:
            self.encode = ENCODER.encode

    class Decoder:
        def __init__(self) -> None:
            self.decode = DECODER.decode
