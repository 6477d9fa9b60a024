"""msgspec: reads and checks straight into dataclasses, or into its own Struct."""

import msgspec
from cell.domain import Root


class Json:
    class Encoder:
        def __init__(self) -> None:
            self.encode = msgspec.json.Encoder().encode

    class Decoder:
        def __init__(self) -> None:
            self.decode = msgspec.json.Decoder(Root).decode


class MessagePack:
    class Encoder:
        def __init__(self) -> None:
            self.encode = msgspec.msgpack.Encoder().encode

    class Decoder:
        def __init__(self) -> None:
            self.decode = msgspec.msgpack.Decoder(Root).decode
