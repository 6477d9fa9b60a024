"""mashumaro: conversions that it generates for dataclasses, and JSON by orjson."""

from cell.domain import Root
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder


class Json:
    class Encoder:
        def __init__(self) -> None:
            self.encode = ORJSONEncoder(Root).encode

    class Decoder:
        def __init__(self) -> None:
            self.decode = ORJSONDecoder(Root).decode
