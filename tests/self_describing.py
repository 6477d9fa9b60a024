"""Small strict readers of binary formats that describe themselves, for the tests of catalogues. They are
written from the specifications and share nothing with serbench. Each raises ValueError for what is no
message."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any


class Bytes:
    """The bytes of a message, taken from its beginning on."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.at:
            raise ValueError(f"{count} bytes at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def through(self, last: bytes) -> bytes:
        """The bytes up to the next ``last``, which is passed over."""
        found = self.take(self.data.find(last, self.at) - self.at)
        self.take(len(last))
        return found


def whole(read: Callable[[Bytes], Any]) -> Callable[[bytes], Any]:
    """A reader of a message that ends with its value."""

    def of(message: bytes) -> Any:
        data = Bytes(message)
        value = read(data)
        if data.at != len(message):
            raise ValueError(f"{len(message) - data.at} bytes behind the value")
        return value

    return of


_BREAK = object()


def _cbor(data: Bytes, may_end: bool = False) -> Any:
    head = data.number("B")
    major, info = head >> 5, head & 31
    if head == 0xFF and may_end:
        return _BREAK
    if major == 7:
        return _cbor_simple(data, info)
    if info in (28, 29, 30) or (info == 31 and major in (0, 1, 6)):
        raise ValueError(f"the head {head:#x}")
    size = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}.get(info)
    if major in (0, 1):
        number = data.number(size) if size else info
        return -1 - number if major else number
    count = None if info == 31 else data.number(size) if size else info
    if major in (2, 3):
        chunks = [data.take(count)] if count is not None else _chunks(data, major)
        return b"".join(chunks) if major == 2 else "".join(each.decode() for each in chunks)
    if major == 6:
        return ("tag", count, _cbor(data))
    per = major - 3
    values: list[Any] = []
    while count is None or len(values) < count * per:
        each = _cbor(data, may_end=count is None and len(values) % per == 0)
        if each is _BREAK:
            break
        values.append(each)
    return values if major == 4 else list(zip(values[::2], values[1::2], strict=True))


def _chunks(data: Bytes, major: int) -> list[bytes]:
    found = []
    while (head := data.number("B")) != 0xFF:
        if head >> 5 != major or head & 31 > 27:
            raise ValueError(f"a chunk with the head {head:#x}")
        size = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}.get(head & 31)
        found.append(data.take(data.number(size) if size else head & 31))
    return found


def _cbor_simple(data: Bytes, info: int) -> Any:
    if info in (25, 26, 27):
        return data.number({25: ">e", 26: ">f", 27: ">d"}[info])
    value = data.number("B") if info == 24 else info
    if info > 27 or (info == 24 and value < 32):
        raise ValueError(f"the simple value {value}")
    return {20: False, 21: True}.get(value, ("simple", value))


_MP_NUMBERS = dict(enumerate((">f", ">d", ">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q"), 0xCA))
_MP_SIZES = {
    **dict.fromkeys((0xC4, 0xC7, 0xD9), ">B"),
    **dict.fromkeys((0xC5, 0xC8, 0xDA, 0xDC, 0xDE), ">H"),
    **dict.fromkeys((0xC6, 0xC9, 0xDB, 0xDD, 0xDF), ">I"),
}


def _messagepack(data: Bytes) -> Any:
    head = data.number("B")
    if head < 0x80 or head >= 0xE0:
        return head if head < 0x80 else head - 256
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head]
    if head in _MP_NUMBERS:
        return data.number(_MP_NUMBERS[head])
    if 0xD4 <= head <= 0xD8:
        return ("ext", data.take(1), data.take(1 << head - 0xD4))
    if head < 0xC0:
        count = head & (31 if head >= 0xA0 else 15)
    elif head in _MP_SIZES:
        count = data.number(_MP_SIZES[head])
    else:
        raise ValueError(f"the head {head:#x}")
    if head in (0xC4, 0xC5, 0xC6):
        return data.take(count)
    if head in (0xC7, 0xC8, 0xC9):
        return ("ext", data.take(1), data.take(count))
    if 0xA0 <= head < 0xC0 or 0xD9 <= head <= 0xDB:
        return data.take(count).decode()
    if head >= 0xDE or head < 0x90:
        return [(_messagepack(data), _messagepack(data)) for _ in range(count)]
    return [_messagepack(data) for _ in range(count)]


def _document(data: Bytes) -> list[tuple[str, Any]]:
    size = data.number("<i")
    inner = Bytes(data.take(size - 4))
    found = []
    while (kind := inner.number("B")) != 0:
        name = inner.through(b"\0").decode()
        found.append((name, _element(inner, kind)))
    if inner.at != len(inner.data):
        raise ValueError("bytes behind the end of a document")
    return found


def _element(data: Bytes, kind: int) -> Any:
    if kind in (0x01, 0x10, 0x12):
        return data.number({0x01: "<d", 0x10: "<i", 0x12: "<q"}[kind])
    if kind == 0x02:
        text = data.take(data.number("<i"))
        if text[-1:] != b"\0":
            raise ValueError("a text without its NUL")
        return text[:-1].decode()
    if kind in (0x03, 0x04):
        inner = _document(data)
        return inner if kind == 0x03 else [value for _, value in inner]
    if kind == 0x05:
        size, subtype = data.number("<i"), data.take(1)
        return data.take(size) if subtype == b"\0" else ("binary", subtype, data.take(size))
    if kind == 0x08 and (flag := data.number("B")) in (0, 1):
        return bool(flag)
    raise ValueError(f"an element of type {kind:#x}")


_UB_NUMBERS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q", "d": ">f", "D": ">d"}


def _ubjson(data: Bytes, marker: str = "") -> Any:
    marker = marker or chr(data.number("B"))
    if marker in _UB_NUMBERS:
        return data.number(_UB_NUMBERS[marker])
    if marker in "ZTF":
        return {"Z": None, "T": True, "F": False}[marker]
    if marker == "S":
        return data.take(_ub_count(data)).decode()
    if marker in "[{":
        return _ub_container(data, marker == "{")
    raise ValueError(f"the marker {marker!r}")


def _ub_count(data: Bytes) -> int:
    count = _ubjson(data)
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"a count of {count}")
    return count


def _ub_container(data: Bytes, is_object: bool) -> Any:
    kind, count = "", None
    end = b"}" if is_object else b"]"
    if data.data[data.at : data.at + 1] == b"$":
        kind = chr(data.take(2)[1])
    if data.data[data.at : data.at + 1] == b"#":
        data.take(1)
        count = _ub_count(data)
    elif kind:
        raise ValueError("a type without a count")
    found: list[Any] = []
    while len(found) != count:
        if count is None and data.data[data.at : data.at + 1] == end:
            data.take(1)
            break
        name = data.take(_ub_count(data)).decode() if is_object else ""
        value = _ubjson(data, kind)
        found.append((name, value) if is_object else value)
    return found


READERS: dict[str, Callable[[bytes], Any]] = {
    "cbor": whole(_cbor),
    "messagepack": whole(_messagepack),
    "bson": whole(_document),
    "ubjson": whole(_ubjson),
}


def shortest_cbor(value: Any) -> bytes:
    """The bytes of a value as a reader of CBOR has made it, in the form of its deterministic encoding but for
    the order of keys; raise ValueError where it has none."""
    match value:
        case bool():
            return b"\xf5" if value else b"\xf4"
        case int():
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        case float():
            return _shortest_float(value)
        case bytes():
            return _head(2, len(value)) + value
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case ("tag", number, content):
            if number in (2, 3) and len(content.lstrip(b"\0")) <= 8:
                raise ValueError("a number of 64 bits as a bignum")
            return _head(6, number) + shortest_cbor(content)
        case [(str(), _), *_]:
            keys = [key for key, _ in value]
            if len({*keys}) != len(keys):
                raise ValueError("a key twice")
            return _head(5, len(value)) + b"".join(shortest_cbor(each) for pair in value for each in pair)
        case list():
            return _head(4, len(value)) + b"".join(map(shortest_cbor, value))
    raise ValueError(f"{value!r}")


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    info, size = next((n, size) for n, size in enumerate((1, 2, 4, 8), 24) if number < 1 << 8 * size)
    return bytes([major << 5 | info]) + number.to_bytes(size, "big")


def _shortest_float(value: float) -> bytes:
    if value != value:  # the one that Section 4.2.2 names; payloads are of other cases
        return b"\xf9\x7e\x00"
    for head, layout in ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d")):
        try:
            made = struct.pack(layout, value)
        except OverflowError:
            continue
        if struct.unpack(layout, made)[0] == value:
            return bytes([head]) + made
    raise ValueError(f"{value}")
