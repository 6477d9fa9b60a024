"""Tells keys of JSON objects that are data, such as versions, dates and identifiers, from names of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""Matches a UUID in small letters, as libraries write it: they would not give capitals back."""

_VERSION = r"[\^~=v]?\d+(\.(\d+|[x*]))+([-+.]?[a-z][\w.+-]*|[-+][\w.+-]+)?"
_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = (
    r"\d{4}-(\d\d|W\d\d|Q[1-4])(-\d\d)?|\d\d?\.\d\d?\.\d{4}"
    rf"|\d{{4}} ?[QHMW]\d\d?|[QH][1-4][ -]\d{{4}}|(FY|CY) ?\d{{2,4}}|{_MONTH}[ -]\d{{4}}|\d{{4}}[ -]{_MONTH}"
)
_DIGEST = r"((sha\d+[:-])?[0-9a-f]{16,}|sha\d+-[\w+/]{20,}=*)"
_HOST = r"([\w-]+\.)+(com|org|net|gov|edu|internal|example)|localhost"
_RATE = r"\w+/(s|s2|sec|m|min|h|hr|hour|d|day)"
"""Matches units of what happens in a time, such as ``km/h``, which are no paths."""

_FILE = (
    r"[\w .-]+\.(cpp|css|csv|html?|java|jpe?g|jsx?|json|md|pdf|php|png|py|rb|rs|svg|toml|tsx?|txt|xml|ya?ml)"
)
"""Matches names of files. Endings that field names have too, such as ``error.log``, are left out."""

_KINDS = {
    "UUIDs": UUID,
    "hashes": rf"(?=.*[a-f]){_DIGEST}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{{7,15}}",
    "dates": rf"[\w-]*\d{{4}}([-._])\d\d([-._])\d\d[\w.-]*|({_DAY})([T ][\d:.]+(Z|[+-]\d\d:?\d\d)?)?",
    "times": r"\d\d?:\d\d(:\d\d([.,]\d+)?)?",
    "addresses": r"(\d{1,3}\.){3}\d{1,3}(:\d+)?|[0-9a-f]{0,4}(:[0-9a-f]{0,4}){3,7}",
    "numbers": r"-?\d+(\.\d+)?(e[+-]?\d+)?%?|\d+(\.\d+)?-\d+(\.\d+)?|[<>]=?\d+(\.\d+)?",
    "versions": rf"{_VERSION}|.+@([\^~]|npm:)?\d[\w.+-]*",
    "e-mail addresses": r"[^\s@/]+@[^\s@/]+\.[^\s@/]+",
    "host names": rf"({_HOST})(:\d+)?|(com|org|net|io|dev)(\.[\w-]+){{2,}}",
    "telephone numbers": r"\+\d{7,15}",
    "colours": "#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})",
    "URLs": r"[a-z][a-z0-9+.-]*://\S+|(urn|arn|mailto|tel):\S+",
    "names with a version": r"[a-z][\w./-]*:v?\d[\w.+-]*",
    "paths": rf"\.{{1,2}}|(?!{_RATE}$)\S*[/\\]\S*( *; *\S+)?|[A-Z]+ /\S*",
    "file names": _FILE,
    "identifiers": r"[a-z]+[_-]\d{5,}|(?=.*\d)([a-z]{1,8}-[0-9a-f]{8,17}|[0-9A-HJKMNP-TV-Z]{26}|-[\w-]{19})",
}
"""The kinds of keys that are data, each with what matches them; the first that does counts. Names of fields
are hardly ever like that, except numbers and ranges, which may be columns of a table or places of a tuple."""

CODES = r"[A-Z]{2}|[A-Z]{3}"
"""Matches codes of countries, currencies and airports, which may also be abbreviations."""

_LANGUAGES = re.compile(
    "a[fmrs]|b[egns]|c[asy]|d[ae]|e[lnostu]|f[air]|g[alu]|h[eiruy]|i[dst]|ja|k[akmno]|l[tv]|m[klnrsty]"
    "|n[blno]|or|p[alt]|r[ou]|s[klqorvw]|t[aehr]|u[krz]|vi|zh|zu"
)
_WORDS = frozenset(("am", "as", "be", "id", "is", "it", "my", "no", "or", "so"))
"""Codes of languages that are words too, such as Indonesian and Norwegian, and often names of fields."""

_LOCALE = re.compile(r"([a-z]{2})([-_]([A-Z][a-z]{3}))?([-_]([A-Z]{2}|\d{3})|-([a-z]{2}))?")

_PATTERNS = {name: re.compile(pattern, re.ASCII | re.IGNORECASE) for name, pattern in _KINDS.items()}
_CODES = re.compile(CODES)
_ANY = re.compile("|".join(f"(?:{each.pattern})" for each in _PATTERNS.values()), re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Keys:
    """Facts about the keys of the objects at a path.

    Attributes:
        names: the kinds of the keys that are data, such as ``versions``; empty if none is.
        data: how many keys are data.
        count: how many keys there are, apart from an empty key, which lists of paths have for the whole.
        sure: whether most keys are of a kind that names of fields hardly ever are.
    """

    names: tuple[str, ...]
    data: int
    count: int
    sure: bool

    @property
    def are_data(self) -> bool:
        """Whether there are keys, all of them data, and none is the name of a field."""
        return 0 < self.data == self.count


def looked_at(keys: Iterable[str]) -> Keys:
    """Returns facts about keys. Languages and codes count as data only if all keys are languages, or
    codes."""
    keys = [key for key in keys if key]
    found: dict[str, int] = {}
    for key in keys:
        if name := _kind(key):
            found[name] = found.get(name, 0) + 1
    data = sum(found.values())
    if not data and len(keys) > 1:
        if _are_languages(keys):
            return Keys(("languages",), len(keys), len(keys), min(map(len, keys)) > 2)
        if all(map(_CODES.fullmatch, keys)) and len({*map(len, keys)}) == 1:
            return Keys(("codes",), len(keys), len(keys), False)
    names = tuple(sorted(found, key=lambda name: -found[name]))
    return Keys(names, data, len(keys), data - found.get("numbers", 0) > data / 2)


@lru_cache(1 << 16)
def _kind(key: str) -> str:
    if not _ANY.fullmatch(key):
        return ""
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(key)), "")


def _are_languages(keys: list[str]) -> bool:
    found = [_LOCALE.fullmatch(key) for key in keys]
    codes = [each[1] for each in found if each and _LANGUAGES.fullmatch(each[1])]
    clear = [each for each in found if each and (each[2] or each[4] or each[1] not in _WORDS)]
    return len(codes) == len(keys) and 2 * len(clear) > len(keys)
