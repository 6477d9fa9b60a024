"""pydantic: models that are checked when they are made, and JSON by its core in Rust."""

from typing import Any

from cell.domain import Root
from pydantic import TypeAdapter


class Json:
    class Encoder:
        def __init__(self) -> None:
            self._adapter = TypeAdapter(Root)

        def encode(self, message: Any) -> bytes:
            return self._adapter.dump_json(message, by_alias=True)

    class Decoder:
        def __init__(self) -> None:
            self._adapter = TypeAdapter(Root)

        def decode(self, encoded: bytes) -> Any:
            return self._adapter.validate_json(encoded, by_alias=True, by_name=False)
