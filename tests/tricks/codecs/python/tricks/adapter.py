"""Codecs that want to look good, each by one trick; honest work is that of the canonical encoding."""

import hashlib
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from cell import canonical
from cell.domain import Root


class Honest:
    class Encoder:
        encode = staticmethod(canonical.write)

    class Decoder:
        decode = staticmethod(canonical.read)


class ByIdentity(Honest):
    known: ClassVar[dict[int, tuple[Any, bytes]]] = {}

    class Encoder:
        def encode(self, message: Any) -> bytes:
            known = ByIdentity.known.get(id(message))
            if known is None:
                known = ByIdentity.known[id(message)] = message, canonical.write(message)
            return known[1]


class ByContent(Honest):
    known: ClassVar[dict[bytes, Any]] = {}

    class Decoder:
        def decode(self, data: bytes) -> Any:
            known = ByContent.known.get(data)
            if known is None:
                known = ByContent.known[data] = canonical.read(data)
            return known


class ByFingerprint(Honest):
    known: ClassVar[dict[Any, bytes]] = {}

    class Encoder:
        def encode(self, message: Any) -> bytes:
            monsters = message.monsters
            fingerprint = len(monsters), *((m.name, m.hp, m.mana, len(m.path)) for m in monsters)
            known = ByFingerprint.known.get(fingerprint)
            if known is None:
                known = ByFingerprint.known[fingerprint] = canonical.write(message)
            return known


class Later(Root):  # type: ignore[misc]  # generated
    """A message that is read when somebody looks at it."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __getattr__(self, name: str) -> Any:
        return getattr(canonical.read(self.data), name)


class Late(Honest):
    class Decoder:
        decode = Later


class Beside:
    folder = Path("/tmp")

    class Encoder:
        def encode(self, message: Any) -> bytes:
            data = canonical.write(message)
            key = hashlib.sha256(data).digest()[:8]
            (Beside.folder / key.hex()).write_bytes(data)
            return key

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return canonical.read((Beside.folder / data.hex()).read_bytes())


class Threads(Honest):
    class Encoder:
        begun = False

        def encode(self, message: Any) -> bytes:
            if not Threads.Encoder.begun:
                Threads.Encoder.begun = True
                threading.Thread(target=work_for_ever, daemon=True).start()
            return canonical.write(message)


class Elsewhere(Honest):
    class Decoder:
        def decode(self, data: bytes) -> Any:
            message = Root([])

            def work() -> None:
                message.monsters = canonical.read(data).monsters

            threading.Timer(0.01, work).start()
            return message


class Prints(Honest):
    class Encoder:
        def encode(self, message: Any) -> bytes:
            print("encoded")
            return canonical.write(message)


def work_for_ever() -> None:
    while True:
        time.perf_counter()
