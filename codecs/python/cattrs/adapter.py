"""cattrs: conversions of dataclasses that it generates, and JSON by orjson; unions by its tagged ones."""

from typing import Any

from cattrs.preconf.orjson import OrjsonConverter, make_converter
from cattrs.strategies import configure_tagged_union
from cell import glue
from cell.domain import Root


def _converter() -> OrjsonConverter:
    converter = make_converter()
    for union in glue.UNIONS:
        configure_tagged_union(union, converter)
    return converter


class Json:
    class Encoder:
        def __init__(self) -> None:
            self._converter = _converter()

        def encode(self, message: Any) -> bytes:
            return self._converter.dumps(message)

    class Decoder:
        def __init__(self) -> None:
            self._converter = _converter()

        def decode(self, data: bytes) -> Any:
            return self._converter.loads(data, Root)
