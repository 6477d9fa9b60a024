"""pydantic: models that are checked when they are made, and JSON by its core in Rust."""

from typing import Any

from cell.domain import Root
from pydantic import TypeAdapter

ADAPTER = TypeAdapter(Root)
"""The pydantic ``TypeAdapter`` that all messages share, as pydantic's documentation advises."""


class Json:
    class Encoder:
        def encode(self, message: Any) -> bytes:
            return ADAPTER.dump_json(message, by_alias=True)

    class Decoder:
        def decode(self, encoded: bytes) -> Any:
            return ADAPTER.validate_json(encoded, by_alias=True, by_name=False)
