"""The first pass over messages of JSON, which finds their shape. Messages that add nothing to it are
skimmed."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.imports.base import refused
from serbench.imports.json.files import LARGE, JsonFile
from serbench.imports.json.parsing import NoJson, may_repeat, no_json, parse, repeated_keys, too_deep
from serbench.imports.json.shape import Shape, TooManyPaths
from serbench.imports.json.skim import Skimmer, skimmer

SAMPLE_MESSAGES = 2000
SAMPLE_BYTES = 16 << 20
"""How often a key is present, and how many different strings there are, is counted in the first messages
only, until there are so many messages or bytes. Everything else is found out from all messages."""

_NEWS = 32
"""After so many messages that may have something new, the skimmer is made anew from what is known by then;
the next time after twice as many, and so on."""

_MOST_REPEATED = 100


class Scan:
    """The first reading of messages, and its findings.

    Attributes:
        shape: the shape of the messages.
        messages: the number of messages.
        repeated: for each key that an object has more than once, the keys that lead to it, and itself.
    """

    def __init__(self, sources: Sequence[JsonFile], skims: bool = True) -> None:
        """Reads all messages. Without ``skims``, it takes longer and has the same result.

        Raises:
            InputError: a text is not JSON, has too many levels, all messages together have too many different
                paths, or there is no message.
        """
        self.shape = Shape()
        self.messages = 0
        self.repeated: dict[tuple[str, ...], None] = {}
        self._skims = skims
        self._skimmer: Skimmer | None = None
        self._bytes = self._news = self._times = 0
        for source in sources:
            for number, piece in source.pieces():
                skim = self._skimmer
                if skim and len(piece) < LARGE and (messages := skim.add_nothing(piece)):
                    self.messages += messages
                    continue
                for own, text in source.messages_in(number, piece):
                    self.messages += 1
                    if self._skimmer is None or not self._skimmer.adds_nothing(text):
                        self._learn(source, own, text)
        if not self.messages:
            raise refused(", ".join(str(s.file) for s in sources[:3]), "", "no message", "at least one")

    def _learn(self, source: JsonFile, number: int, text: bytes) -> None:
        place = source.place(number)
        value = parsed(source, number, text)
        try:
            self.shape.add(value)
        except RecursionError:
            raise no_json(source.file, too_deep(text), place) from None
        except TooManyPaths as error:
            expected = "records with fields, and maps with values of one shape"
            remedy = "if the keys are data, use a list of pairs, or values of one shape"
            raise refused(source.file, place, str(error), expected, remedy) from None
        if may_repeat(text, value) and len(self.repeated) < _MOST_REPEATED:
            self.repeated.update(dict.fromkeys(repeated_keys(text)))
        self._skim_on(len(text))

    def _skim_on(self, size: int) -> None:
        """Counts a message of ``size`` bytes that was added to the shape. When the sample is complete, and
        each time that enough others were added, makes a new skimmer for the messages that follow."""
        self._bytes += size
        self._news += 1
        if self.shape.in_sample:
            self.shape.in_sample = self.messages < SAMPLE_MESSAGES and self._bytes < SAMPLE_BYTES
            is_due = not self.shape.in_sample
        else:
            is_due = self._news > _NEWS * self._times
        if is_due and self._skims:
            self._skimmer = skimmer(self.shape.root)
            self._news, self._times = 0, self._times + 1


def parsed(source: JsonFile, number: int, text: bytes) -> object:
    """Reads the text of a message; raises InputError, which names file and place, if it is not JSON."""
    try:
        return parse(text)
    except NoJson as fault:
        raise no_json(source.file, fault, source.place(number)) from None


def find_members(shape: Shape, sources: Sequence[JsonFile]) -> None:
    """Reads all messages once more, and notes all different strings wherever the user wants an enum."""
    shape.in_sample = False
    for source in sources:
        for number, text in source.messages():
            shape.add(parsed(source, number, text))
