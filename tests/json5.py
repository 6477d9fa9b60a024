"""A small strict reader of JSON5, for the tests of its profile. It is written from the specification and
shares nothing with serbench; it raises ValueError for what is no message."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_SPACE = re.compile(r"(?:[\t\v\f\n\r\u00a0\u2028\u2029\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)+", re.DOTALL)
_NUMBER = re.compile(
    r"[+-]?(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<word>Infinity|NaN)"
    r"|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_LITERALS = {"null": None, "true": True, "false": False}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LINE_ENDS = "\n\r\u2028\u2029"


class _Text:
    def __init__(self, text: str):
        self.text, self.at = text, 0

    def space(self) -> None:
        while True:
            if found := _SPACE.match(self.text, self.at):
                self.at = found.end()
            elif self.text[self.at : self.at + 1] and unicodedata.category(self.text[self.at]) == "Zs":
                self.at += 1
            else:
                return

    def next(self, count: int = 1) -> str:
        found = self.text[self.at : self.at + count]
        if len(found) < count:
            raise ValueError("the text ends")
        self.at += count
        return found

    def takes(self, sign: str) -> bool:
        """Whether a sign stands behind white space; it is then passed over."""
        self.space()
        is_there = self.text.startswith(sign, self.at)
        self.at += len(sign) * is_there
        return is_there


def read(message: bytes) -> Any:
    """The value of a message; of a name that is there twice, the last one."""
    text = _Text(message.decode())
    value = _value(text)
    text.space()
    if text.at != len(text.text):
        raise ValueError(f"'{text.text[text.at :]}' behind the value")
    return value


def _value(text: _Text) -> Any:
    if text.takes("{"):
        return dict(_members(text))
    if text.takes("["):
        return list(_items(text))
    for quote in "\"'":
        if text.takes(quote):
            return _string(text, quote)
    if found := _NUMBER.match(text.text, text.at):
        value: int | float | bool | None = _number(found)
    elif (found := re.compile(r"\w+").match(text.text, text.at)) and found[0] in _LITERALS:
        value = _LITERALS[found[0]]
    else:
        raise ValueError(f"'{text.text[text.at :][:10]}' is no value")
    text.at = found.end()
    if re.compile(r"[\w$\\.]").match(text.text, text.at):
        raise ValueError("a value without an end")
    return value


def _members(text: _Text) -> Any:
    while not text.takes("}"):
        name = _name(text)
        if not text.takes(":"):
            raise ValueError("no colon")
        yield name, _value(text)
        if not text.takes(","):
            if text.takes("}"):
                return
            raise ValueError("no comma")


def _items(text: _Text) -> Any:
    while not text.takes("]"):
        yield _value(text)
        if not text.takes(","):
            if text.takes("]"):
                return
            raise ValueError("no comma")


def _name(text: _Text) -> str:
    for quote in "\"'":
        if text.takes(quote):
            return _string(text, quote)
    found = re.compile(r"[^\W\d][\w$]*|\$[\w$]*").match(text.text, text.at)
    if not found:
        raise ValueError("no name")
    text.at = found.end()
    return found[0]


def _number(found: re.Match[str]) -> int | float:
    sign = -1 if found[0].startswith("-") else 1
    if found["hex"]:
        return sign * int(found["hex"], 16)
    plain = found[0].lstrip("+")
    return int(plain) if re.fullmatch(r"-?[0-9]+", plain) else float(plain)


def _string(text: _Text, quote: str) -> str:
    units = ""
    while (sign := text.next()) != quote:
        if sign == "\\":
            units += _escaped(text)
        elif sign in "\n\r":
            raise ValueError("a line ends within a string")
        else:
            units += sign
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _escaped(text: _Text) -> str:
    sign = text.next()
    if sign in "xu":
        digits = text.next(2 if sign == "x" else 4)
        if not re.fullmatch("[0-9a-fA-F]+", digits):
            raise ValueError(f"the escape {digits}")
        return chr(int(digits, 16))
    if sign in "123456789" or (sign == "0" and text.text[text.at : text.at + 1].isdigit()):
        raise ValueError("an escape of a digit")
    if sign in _LINE_ENDS:
        text.at += sign == "\r" and text.text.startswith("\n", text.at)
        return ""
    return "\0" if sign == "0" else _ESCAPES.get(sign, sign)
