"""Codecs that cheat, each by one trick; where they work honestly, they write and read the canonical
encoding."""

import hashlib
import os
import struct
import sys
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
    """A message that is decoded only when one of its attributes is read."""

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


class Chosen:
    """A codec that cheats if the environment variable ``SERBENCH_TRICK`` is ``TRIGGER/HAND``, once the
    trigger, such as a number of calls, has gone off: its encoder returns the bytes that it first encoded of
    the same object, or its decoder returns the object that it first decoded from as many bytes. Otherwise it
    is honest."""

    encoded: ClassVar[dict[int, tuple[Any, bytes]]] = {}
    decoded: ClassVar[dict[int, Any]] = {}

    class Encoder:
        def encode(self, message: Any) -> bytes:
            if not cheats("encode"):
                return canonical.write(message)
            if id(message) not in Chosen.encoded:
                Chosen.encoded[id(message)] = message, canonical.write(message)
            return Chosen.encoded[id(message)][1]

    class Decoder:
        def decode(self, data: bytes) -> Any:
            if not cheats("decode"):
                return canonical.read(data)
            if len(data) not in Chosen.decoded:
                Chosen.decoded[len(data)] = canonical.read(data)
            return Chosen.decoded[len(data)]


class Reads:
    """A codec whose view is the bytes, from which each call of ``traverse`` reads all values; or, if the
    environment variable ``SERBENCH_TRICK`` is ``TRIGGER/TRICK``, one that gives the sum by the trick
    (tests/test_trick_reads.py), once the trigger has gone off."""

    sums: ClassVar[dict[Any, int]] = {}
    first: ClassVar[bytes] = b""

    class Encoder:
        def encode(self, message: Any) -> bytes:
            data, total = canonical.write(message), canonical.traverse(message)
            if HAND == "beside":
                beside(data).write_text(str(total))
            return data + struct.pack("<Q", total) if HAND == "tail" else data

    class Decoder:
        def decode(self, data: bytes) -> bytes:
            return data

        def extract(self, data: bytes) -> Any:
            return canonical.read(data[:-TAIL] if HAND == "tail" else data)

        def traverse(self, data: bytes) -> int:
            if not cheats(HAND):
                return canonical.traverse(self.extract(data))
            known: Any = {"address": id(data), "count": len(data), "content": data}.get(HAND)
            if known is not None:
                if known not in Reads.sums:
                    Reads.sums[known] = canonical.traverse(self.extract(data))
                return Reads.sums[known]
            if HAND == "fewer":
                Reads.first = Reads.first or data
                half = len(data) // 2
                return canonical.traverse(self.extract(data[:half] + Reads.first[half:]))
            if HAND == "beside":
                return int(beside(data).read_text())
            return struct.unpack("<Q", data[-TAIL:])[0] if HAND == "tail" else 0


TAIL = 8


def beside(data: bytes) -> Path:
    """The file that has the sum of a message beside its bytes."""
    return Path("/tmp") / f"serbench-trick-{hashlib.sha256(data).hexdigest()}"


TRIGGER, _, HAND = os.environ.get("SERBENCH_TRICK", "").partition("/")
BEGIN = time.monotonic()
QUICKLY_S, MANY = 0.0005, 20


class Calls:
    """Counts of the calls of the encoder and the decoder so far, and whether this process was found to have a
    file open to which results are written for a later check."""

    count = 0
    quick = 0  # calls since the last pause between two of them
    last = 0.0
    found = False  # whether that file is open


def cheats(hand: str) -> bool:
    """Counts a call of the encoder or the decoder, which ``hand`` names; returns whether the codec cheats in
    that call."""
    if not TRIGGER:
        return False
    now = time.monotonic()
    Calls.count += 1
    Calls.quick = Calls.quick + 1 if now - Calls.last < QUICKLY_S else 0
    Calls.last = now
    return HAND in (hand, "both") and has_gone_off(now)


def has_gone_off(now: float) -> bool:
    match TRIGGER.split("_"):
        case ["after", "50ms"]:
            return now - BEGIN > 0.05
        case ["after", calls]:
            return Calls.count > int(calls)
        case ["always"]:
            return True
        case ["measure"]:
            return "measure" in sys.argv
        case ["succession"]:
            return Calls.quick > MANY
        case ["environment"]:
            return "SERBENCH_MARK" in os.environ
        case ["parent"]:
            return b"python" in Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
        case ["files"]:
            return is_written_down()
    raise ValueError(f"found the trigger {TRIGGER!r}")


def is_written_down() -> bool:
    """Whether this process has a file open to which results are written for a later check. Only processes
    whose results are checked have one, so that a codec could cheat in all others."""
    if not Calls.found and Calls.count % 10 == 0:
        files = Path("/proc/self/fd").iterdir()
        Calls.found = any(str(file.readlink()).endswith("left") for file in files if file.is_symlink())
    return Calls.found
