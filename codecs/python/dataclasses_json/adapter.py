"""dataclasses-json: methods that it adds to dataclasses, and JSON of the standard library."""

from dataclasses import fields
from typing import Any

from cell import domain, glue
from dataclasses_json import config, dataclass_json

for dataclass, names in glue.NAMES.items():
    for field in fields(dataclass):
        if field.name in names:
            field.metadata = config(field_name=names[field.name])

dataclass_json(domain.Root)


class Json:
    class Encoder:
        def encode(self, message: Any) -> bytes:
            data: bytes = message.to_json().encode()
            return data

    class Decoder:
        decode = staticmethod(domain.Root.from_json)
