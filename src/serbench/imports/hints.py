"""Makes up values that fields are likely to have, judging by their names, from syllables and templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from serbench.dataset.edges import PER_SECOND
from serbench.drawing.draws import to_f32
from serbench.imports.figures import TEXT_BYTES, Draws
from serbench.model import Scalar, string

Maker = Callable[[], Any]
"""A function that makes up one value of a field."""

FIRST_SECOND, LAST_SECOND = 1_704_067_200, 1_767_225_599
"""Times are of the years 2024 and 2025, and not of the years before today, since the same seed has to give
the same data tomorrow."""

_SYLLABLES = (
    "ba", "ben", "cor", "da", "del", "e", "fi", "gar", "hol", "i", "jo", "ka", "kel", "lam", "li", "mar",
    "mo", "na", "nor", "o", "pel", "po", "ra", "rin", "sa", "sel", "sto", "ta", "ter", "tu", "u", "va", "vi",
    "wen", "za",
)  # fmt: skip
_ACCENTED = ("bé", "dö", "ñi", "ša", "ły", "åsa", "çel", "žo")

_WORDS = 3000
_ACCENTED_NAMES = 0.1


class Texts:
    """Makes up strings from the random numbers of ``draws``.

    Attributes:
        words: the words of which sentences consist; the first ones are the most frequent, as in real
            languages.
    """

    def __init__(self, draws: Draws):
        self.draws = draws
        self.words = [self.word() for _ in range(_WORDS)]
        self._length = draws.from_knots(TEXT_BYTES)

    def word(self, accented: float = 0.0) -> str:
        """Makes up a word; the share ``accented`` of all words (0 to 1) begins with a letter beyond ASCII."""
        made = "".join(self.draws.of(_SYLLABLES) for _ in range(self.draws.between(1, 4)))
        return self.draws.of(_ACCENTED) + made if self.draws.share() < accented else made

    def text(self, longest: int) -> str:
        """Makes up a sentence, whose length is drawn from those that were published, up to ``longest``
        bytes."""
        length = min(self._length(), longest)
        words, share, count = self.words, self.draws.share, len(self.words)
        made = words[int(share() * share() * count)]
        while len(made) < length:
            made = f"{made} {words[int(share() * share() * count)]}"
        return made[:length]

    def name(self) -> str:
        """Makes up a name: one or two words that begin with a capital."""
        return " ".join(self.word(_ACCENTED_NAMES).capitalize() for _ in range(self.draws.between(1, 2)))

    def below(self, *ends: int) -> str:
        """Makes up a number below each of ``ends``, and joins these numbers with dots."""
        return ".".join(str(self.draws.below(end)) for end in ends)

    def phone(self) -> str:
        between = self.draws.between
        return f"+{between(1, 99)} {between(100, 999)} {between(1_000_000, 9_999_999)}"

    def uuid(self) -> str:
        return str(UUID(int=self.draws.bits(128), version=4))

    def hexadecimal(self, octets: int) -> str:
        return f"{self.draws.bits(8 * octets):0{2 * octets}x}"

    def moment(self) -> str:
        """Makes up a time as RFC 3339 writes it."""
        draws = self.draws
        date = f"{draws.between(2024, 2025)}-{draws.between(1, 12):02}-{draws.between(1, 28):02}"
        return f"{date}T{draws.below(24):02}:{draws.below(60):02}:{draws.below(60):02}Z"


def _each(make: Callable[[Texts], str]) -> Callable[[Texts], Maker]:
    """Returns a function that returns, for any field, a maker of strings by ``make``."""
    return lambda texts: lambda: make(texts)


def _codes(letters: int, count: int) -> Callable[[Texts], Maker]:
    """Returns a function that returns, for a field, a maker that chooses among ``count`` codes of capital
    letters."""

    def among(texts: Texts) -> Maker:
        draws = texts.draws
        few = ["".join(chr(65 + draws.below(26)) for _ in range(letters)) for _ in range(count)]
        return lambda: draws.of(few)

    return among


def _few_words(texts: Texts) -> Maker:
    """Returns a maker of strings for a field that has few different words, like an enum written as a
    string."""
    draws = texts.draws
    few = [texts.word() for _ in range(draws.between(3, 9))]
    few = [word.upper() for word in few] if draws.share() < 0.5 else few
    return lambda: draws.of(few)


def _identifiers(texts: Texts) -> Maker:
    """Returns a maker of identifiers for a field; all that it makes are of one kind, such as UUIDs."""
    octets = texts.draws.of((0, 8, 12, 16))
    return (lambda: texts.hexadecimal(octets)) if octets else texts.uuid


def _rows(*rows: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Returns rows of a table whose first column, a string of words, becomes a set of words."""
    return [(frozenset(words.split()), *rest) for words, *rest in rows]


_TEXTS = _rows(
    ("uuid guid", _each(Texts.uuid)),
    ("email mail", _each(lambda t: f"{t.word()}.{t.word()}@{t.word()}.example")),
    (
        "url uri href link website avatar",
        _each(lambda t: f"https://{t.word()}.example/{t.word()}/{t.word()}/{t.below(1_000_000)}"),
    ),
    ("at time timestamp datetime created updated modified expires", _each(Texts.moment)),
    ("date day birthday", _each(lambda t: t.moment()[:10])),
    ("country region language locale", _codes(2, 20)),
    ("currency", _codes(3, 8)),
    (
        "status state type kind level category role method unit environment env severity priority",
        _few_words,
    ),
    ("phone mobile fax", _each(Texts.phone)),
    ("host hostname domain server", _each(lambda t: f"{t.word()}-{t.below(100)}.{t.word()}.example")),
    ("ip", _each(lambda t: f"10.{t.below(256, 256, 256)}")),
    (
        "path file filename directory",
        _each(lambda t: f"/{t.word()}/{t.word()}/{t.word()}.{t.word()[:3]}"),
    ),
    ("version", _each(lambda t: t.below(10, 30, 20))),
    ("color colour", _each(lambda t: f"#{t.hexadecimal(3)}")),
    ("hash digest sha checksum token signature etag", _each(lambda t: t.hexadecimal(32))),
    ("id key ref reference", _identifiers),
    (
        "name title label city street first last user username login author company brand",
        _each(Texts.name),
    ),
)
"""Words in the names of fields → what makes their strings; the first row that fits counts. Hosts end in
``.example``, which RFC 2606 reserves, and addresses begin with 10, which RFC 1918 keeps private."""

_INTEGERS = _rows(
    ("id key ref reference", 1, 1 << 40),
    ("port", 1024, 65_535),
    ("year", 1990, 2025),
    ("age", 0, 99),
    ("percent percentage", 0, 100),
    ("price amount cost total balance fee", 1, 1_000_000),
    ("count number num quantity qty index position rank attempts retries", 0, 1000),
    ("size bytes length width height", 0, 1 << 20),
    ("status code", 100, 599),
)
"""Words in the names of fields → the least and the greatest of their integers."""

_REALS = _rows(
    ("lat latitude", -90, 90, 6),
    ("lon lng long longitude", -180, 180, 6),
    ("price amount cost total balance fee", 0, 10_000, 2),
    ("percent percentage", 0, 100, 1),
    ("temperature temp celsius", -20, 40, 1),
)
"""Words in the names of fields → the least and the greatest of their floats, and digits behind the point."""

_MOMENTS = frozenset(("at", "time", "timestamp", "created", "updated", "modified", "expires"))
_UNITS = {
    **dict.fromkeys(("ns", "nano", "nanos", "nanoseconds"), "ns"),
    **dict.fromkeys(("us", "micro", "micros", "microseconds"), "us"),
    **dict.fromkeys(("ms", "milli", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
}

_SPLIT = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words_of(name: str) -> list[str]:
    """Returns the words of a name in lower case, and the last word also without the ``s`` of a plural: of
    ``userIDs`` user, ids, id."""
    found = [word.lower() for word in _SPLIT.findall(name)]
    return [*found, found[-1].removesuffix("s")] if found else []


def hinted(name: str, type: Scalar, texts: Texts) -> Maker | None:
    """Returns a maker of values for a field of this name and type; None if the name tells nothing about
    them."""
    words = words_of(name)
    if type == string:
        make = next((make for names, make in _TEXTS if not names.isdisjoint(words)), None)
        return make and make(texts)
    if type.is_integer:
        return _hinted_integer(words, type, texts.draws)
    return _hinted_real(words, type, texts.draws) if type.is_float else None


def _hinted_integer(words: Sequence[str], type: Scalar, draws: Draws) -> Maker | None:
    _, most = type.bounds
    if type.width >= 4 and not _MOMENTS.isdisjoint(words):
        unit = next(
            (_UNITS[word] for word in reversed(words) if word in _UNITS), "ms" if type.width == 8 else "s"
        )
        first, last = FIRST_SECOND * PER_SECOND[unit], LAST_SECOND * PER_SECOND[unit]
        if last <= most:
            return lambda: draws.between(first, last)
    for names, low, high in _INTEGERS:
        if not names.isdisjoint(words) and low <= most:
            beyond = min(high, most)
            return lambda: draws.between(low, beyond)
    return None


def _hinted_real(words: Sequence[str], type: Scalar, draws: Draws) -> Maker | None:
    found = next((bounds for names, *bounds in _REALS if not names.isdisjoint(words)), None)
    if found is None:
        return None
    low, high, digits = found
    scale = 10**digits
    return rounded(type, lambda: draws.between(low * scale, high * scale) / scale)


def rounded(type: Scalar, make: Callable[[], float]) -> Maker:
    """Returns a maker of the floats of ``make``, rounded to single precision if the type has 32 bits."""
    return make if type.width == 8 else lambda: to_f32(make())
