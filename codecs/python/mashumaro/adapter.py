"""mashumaro: conversions that it generates for dataclasses, and JSON by orjson."""

from cell import glue
from cell.domain import Root
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder
from mashumaro.config import BaseConfig

for dataclass, names in glue.NAMES.items():
    dataclass.Config = type("Config", (BaseConfig,), {"aliases": names, "serialize_by_alias": True})

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
