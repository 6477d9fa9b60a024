"""Finds the framing of files of data by trying: the way in which messages follow one another.

Each framing is tried on all bytes, message by message, and is given up at its first fault. Where more than
one is left at the end, and they give different messages, the user is asked: a short file may be one message
and a stream of others by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from serbench.imports.base import Imported, Loss, Refusal, Request, refused
from serbench.imports.strangers import HEAD, stranger

AUTO = "auto"

AUTO_MEANING = "the one below in which all bytes are messages; where several fit, you are asked"

_ENOUGH = 100
"""After so many messages, the last framing that is left is taken; the rest is read as data always are."""

_SURE = 10
"""A framing in which so many messages that are not empty were read is the right one: if a fault follows, the
data are wrong and not the framing."""

_MOST_TOLD = 2

Trial = Callable[[], Iterator[bytes]]
"""Begins to read all files in one framing. Returns for each message bytes that are equal for equal messages,
and empty for messages without a field; raises Refusal at the first fault."""


@dataclass
class _Trying:
    """A framing that is being tried.

    Attributes:
        count: how many messages were read in it so far.
        filled: how many of these messages have a field.
        fault: the fault for which the framing was given up.
        digest: the digest of all messages.
    """

    name: str
    messages: Iterator[bytes]
    count: int = 0
    filled: int = 0
    fault: Refusal | None = None
    has_ended: bool = False
    digest: blake2b = field(default_factory=blake2b)

    def step(self, files: Sequence[Path]) -> None:
        """Reads the next message in this framing, and notes a fault or the end instead if there is none."""
        if self.has_ended or self.fault:
            return
        try:
            message = next(self.messages, None)
        except Refusal as fault:
            self.fault = fault
            return
        if message is not None:
            self.count += 1
            self.filled += bool(message)
            self.digest.update(b"%d:" % len(message) + message)
        elif self.count:
            self.has_ended = True
        else:
            self.fault = refused(files[0], "", "no message", "at least one")

    @property
    def told(self) -> str:
        """The name of the framing with the number of its messages, for the user."""
        empty = f", {self.count - self.filled:,} of them empty" if self.filled < self.count else ""
        return f"{self.name} ({self.count:,} message{'' if self.count == 1 else 's'}{empty})"


def tried(
    files: Sequence[Path],
    trials: Mapping[str, Trial],
    type: str,
    of_empty: str = "",
    likely: Callable[[Path], str] = lambda file: "",
) -> str:
    """Returns the framing in which all bytes of files are messages of a type.

    Args:
        trials: the name of each framing → its trial; if several give the same messages, the first is taken.
        type: the type of the messages, for errors.
        of_empty: the advice about files without a byte, if that may be a message.
        likely: tells by a file's text the framing whose fault the user needs to know if none fits; empty if
            the text does not tell.

    Raises:
        InputError: no framing fits, or several that give different messages.
    """
    if all(_is_empty(file) for file in files):
        raise refused(files[0], "", "no message: the file is empty", "at least one", of_empty)
    trying = [_Trying(name, begin()) for name, begin in trials.items()]
    try:
        while left := [each for each in trying if not each.fault]:
            if all(each.has_ended or (len(left) == 1 and each.count >= _ENOUGH) for each in left):
                return _only(files, left)
            for each in left:
                each.step(files)
    finally:
        for each in trying:
            each.messages.close()  # type: ignore[attr-defined]  # ends a program that reads
    raise _none(files, trying, type, likely)


def _is_empty(file: Path) -> bool:
    try:
        return not file.stat().st_size
    except OSError:  # told when it is read
        return False


def _only(files: Sequence[Path], left: Sequence[_Trying]) -> str:
    different = {each.digest.digest(): each for each in reversed(left)}
    if len(different) > 1:
        ways = " and as ".join(each.told for each in reversed(different.values()))
        names = " or ".join(f"--framing {each.name}" for each in reversed(different.values()))
        found = f"bytes that can be read as {ways}"
        raise refused(files[0], "", found, "messages that are read in one way", f"choose {names}")
    return left[0].name


def _none(
    files: Sequence[Path], trying: Sequence[_Trying], type: str, likely: Callable[[Path], str]
) -> Refusal:
    """Returns the error for files that no framing fits: a file that holds no messages at all; or the fault in
    the framing that is surely or likely right, or else the faults in the framings that went furthest."""
    for file in files:
        with file.open("rb") as stream:
            if fault := stranger(file, stream.read(HEAD), f"messages of {type}"):
                return fault
    furthest = sorted(trying, key=lambda each: -each.filled)
    faults = [each.fault for each in furthest if each.fault]
    if furthest[0].filled >= _SURE:
        return faults[0]
    if name := likely(faults[0].file):
        return next(each.fault for each in trying if each.name == name and each.fault)
    told = [
        f"{each.name}: {': '.join(filter(None, (fault.place, fault.found)))}, expected {fault.expected}"
        for each, fault in zip(furthest[:_MOST_TOLD], faults, strict=False)
    ]
    if others := [each.name for each in furthest[_MOST_TOLD:]]:
        told.append(f"nor is it {', '.join(others)}")
    remedy = "change --root, or name the framing with --framing"
    return refused(faults[0].file, "", f"no message {type} in any framing ({'; '.join(told)})", "one", remedy)


def with_data(
    imported: Imported,
    request: Request,
    framings: Mapping[str, str],
    values: Callable[[str], Iterator[Any]],
    type: str,
    newer: str,
) -> Imported:
    """Returns ``imported`` with the data of a request, read in the framing that the user asks for, or in the
    one that is found by trying, of which a note tells the user.

    Args:
        framings: each framing with its meaning.
        values: begins to read all files in a framing.
        type: the type of the messages, for errors.
        newer: the fate of fields of a newer schema, in words, for the loss that the user is told.

    Raises:
        InputError: the files cannot be read as the user asks; or no framing fits, or several that give
            different messages.
    """
    if not request.data:
        return imported
    for file in request.data:
        checked(file, request.framing, framings)
        if not file.is_file():
            raise refused(file, "", "no file", "data that can be read")
    framing, notes = checked(request.data[0], request.framing, framings), []
    if not framing:
        trials = {name: partial(_texts, values, name) for name in framings if name != AUTO}
        framing = tried(request.data, trials, type)
        notes.append(note_of(request.data, framing, framings))
    losses = [*imported.losses, Loss(type, f"fields of a newer schema in the data, if any: {newer}")]
    return replace(imported, losses=losses, values=partial(values, framing), notes=notes)


def _texts(values: Callable[[str], Iterator[Any]], framing: str) -> Iterator[bytes]:
    return (repr(value).encode() for value in values(framing))


def note_of(files: Sequence[Path], framing: str, meanings: Mapping[str, str]) -> str:
    """Returns the note that tells the user which framing was found."""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{files[0]}{more}: taken as --framing {framing}, found by trying: {meanings[framing]}"


def checked(file: Path, asked: str, meanings: Mapping[str, str]) -> str:
    """Returns the framing that the user asks for, empty if it is to be found by trying; raises InputError if
    there is none of that name."""
    if asked and asked not in meanings:
        raise refused(file, "", f"the framing '{asked}'", f"one of {', '.join(meanings)}", "change --framing")
    return "" if asked == AUTO else asked
