"""Finds which malformed messages ``deserialize`` refuses: a codec that checks its input does more work than
one that does not.

Malformed messages are made from well-formed ones that the codec itself wrote, without knowing its format: a
string is found in them by its characters, an enum by the bytes that change with its value. What cannot be
found that way (compressed or packed bytes) stays unknown.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from serbench.codecs.codec import CHECKS
from serbench.dataset.canonical import encode as canonical
from serbench.dataset.edges import edge_values
from serbench.dataset.file import join_messages
from serbench.dataset.recursion import leads_back, soonest
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.conversation import Answers
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Probed
from serbench.measure.unit import Unit
from serbench.model import types
from serbench.model.parts import types_in
from serbench.verification.contract import encoded_by

Found = Mapping[str, bool | None]
"""Check of ``CHECKS`` → whether the codec makes it; None where this schema or format does not tell."""

TEXT = "serbench-text-16"
"""The text of every string in a well-formed message. It has sixteen bytes, so that formats which align words
add none."""

_BAD_TEXT = (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80")
"""Bytes that are no UTF-8 (RFC 3629, section 4): one that occurs nowhere, an overlong form, a surrogate."""

_OTHER_TEXT = b"+"
_CONTROL = "control"
"""The name of messages whose text was replaced by one that is as valid. A codec that refuses them notices by
a checksum that bytes were changed, and not what is wrong with them."""

_WITHIN = "within"
"""The name of messages that end within a text. A codec that reads one makes up what is missing, or does
without it, and so does not look where its input ends."""

_BAD_ENUMS = (0x64, 0x39, 0x7F, 0x17)
"""Bytes that replace a byte with a number below three. Each is a number above that, also when read as a
zigzag varint or as a digit. The last is a number in CBOR as well, where the others begin another kind of
item, which a decoder refuses without a look at the enum."""

_TAILS = (b"\x00" * 16, b"\xff" * 16, b"\x01" * 16, b"{}" * 8)
"""Bytes behind a message. The last are messages of JSON, at whose ends some readers of text look."""

_PREFIXES = 48
"""The most places at which a message is cut off."""

_PATIENCE_S = 10.0
"""The seconds for which a runner may print nothing while its checks are tried: no answer is no check."""

_ALIGNED = 16
"""Messages are cut to multiples of this many bytes, so that memory which must not be read begins right behind
them."""


def seen_checks(unit: Unit) -> Found:
    """Return for each check that a unit's codec declares whether malformed messages confirm it; None if they
    tell nothing, and for all checks of a runner that cannot answer."""
    declared = unit.variant.checks or ()
    try:
        limit_s = min(unit.silence_limit_s, _PATIENCE_S)
        found = find_checks(replace(unit, silence_limit_s=limit_s), declared) if declared else {}
    except (SerbenchError, OSError):
        found = {}
    return {name: found.get(name) for name in declared}


def find_checks(unit: Unit, asked: Collection[str] = CHECKS) -> Found:
    """Feed malformed messages to the runner of ``unit``, in one process as long as that lives, to find which
    of the checks ``asked`` it makes.

    Returns:
        ``bounds``: no process died of a message that was cut off, and those that end within a text were
            refused. ``enums``, ``utf8``, ``trailing``: all messages that are wrong in this way were refused.
            ``enums`` and ``utf8`` are None for a codec that refuses whatever was changed.

    Raises:
        RunnerError: the runner cannot encode well-formed values.
    """
    root = unit.data.schema().root
    # Some formats leave out the first member of an enum.
    values = [well_formed(root, 1), well_formed(root, 2), well_formed(root, 1, items=4)]
    whole, other, long = encoded_by(unit, [canonical(root, value) for value in values])
    cuts = range(0, len(long), _ALIGNED)
    ends = [found.start() + len(TEXT) // 2 for found in re.finditer(TEXT.encode(), long)]
    enums = [type for type in types_in(root) if isinstance(type, types.Enum) and not type.open]
    members = {enum.members[1 % len(enum.members)][0] for enum in enums}
    wrong = {
        _CONTROL: _with_text(whole, _OTHER_TEXT),
        "bounds": [long[:end] for end in cuts[:: len(cuts) // _PREFIXES + 1]],
        _WITHIN: [long[:end] for end in ends[:: len(ends) // _PREFIXES + 1]],
        "enums": _with_bad_enums(whole, other, members) if members else [],
        "utf8": _with_text(whole, *_BAD_TEXT),
        "trailing": [whole + tail for tail in _TAILS],
    }
    needed = {_CONTROL, *asked} | ({_WITHIN} if "bounds" in asked else set())
    wrong = {name: messages for name, messages in wrong.items() if name in needed}
    answers = fed(unit, wrong)
    found = {name: _judged(name, answers[name]) for name in wrong}
    if found.pop(_WITHIN, None) is False:
        found["bounds"] = False
    if found.pop(_CONTROL):
        found |= dict.fromkeys({"enums", "utf8"} & found.keys())
    return found


def checks_others(writer: Unit, reader: Unit) -> bool | None:
    """Return whether a reader refuses text that is no UTF-8 where it stands in a field that the reader has
    not; None where that cannot be told. The texts of a message of the writer are spoilt one after the other.

    Args:
        writer: a unit of the whole schema.
        reader: a unit of the same codec, of a schema that lacks some of the fields.

    Raises:
        RunnerError: the writer cannot encode well-formed values.
    """
    roots = [unit.data.schema().root for unit in (writer, reader)]
    message, own = (canonical(root, well_formed(root, 1)) for root in roots)
    texts, kept = (each.count(TEXT.encode()) for each in (message, own))
    if "utf8" not in (reader.variant.checks or ()) or kept == texts:
        return None
    (whole,) = encoded_by(writer, [message])
    places = [found.start() for found in re.finditer(TEXT.encode(), whole)]
    if len(places) != texts:
        return None
    wrong = {f"{at}": _spoilt(whole, at, *_BAD_TEXT) for at in places}
    answers = fed(reader, {_CONTROL: [_spoilt(whole, at, _OTHER_TEXT)[0] for at in places], **wrong})
    if not all(answers.pop(_CONTROL)):
        return None
    return all(_judged("utf8", each) for each in answers.values())


def _judged(name: str, answers: Sequence[bool | None]) -> bool | None:
    """Return whether the codec makes a check, by its answers to the messages that are wrong in this way; None
    where there are no answers."""
    if not answers:
        return None
    # A message that was cut off at the end of a field can be whole, and be accepted; see ``_WITHIN``.
    return (
        all(answer is not None for answer in answers)
        if name == "bounds"
        else all(answer is False for answer in answers)
    )


def _with_text(whole: bytes, *written: bytes) -> list[bytes]:
    """Return the message once for each of ``written``, which then stands inside a text; nothing where no text
    is found."""
    at = whole.find(TEXT.encode())
    return [] if at < 0 else _spoilt(whole, at, *written)


def _spoilt(whole: bytes, at: int, *written: bytes) -> list[bytes]:
    """Return the message once for each of ``written``, which then stands inside the text that begins ``at`` a
    byte."""
    return [whole[: at + 4] + each + whole[at + 4 + len(each) :] for each in written]


def _with_bad_enums(whole: bytes, other: bytes, names: Iterable[str]) -> list[bytes]:
    """Return copies of the message with an enum value that does not exist: another name where members are
    written by name, else other bytes where ``other``, which has another member, differs. Nothing where
    neither is found."""
    named = [
        whole.replace(name.encode(), b"?" + name.encode()[1:]) for name in names if name.encode() in whole
    ]
    if named:
        return named
    if len(other) != len(whole):
        return []
    places = {n for n in range(len(whole)) if other[n] != whole[n]}
    return [
        bytes(bad if n in places else byte for n, byte in enumerate(whole)) for bad in _BAD_ENUMS if places
    ]


def fed(unit: Unit, wrong: Mapping[str, Sequence[bytes]]) -> dict[str, list[bool | None]]:
    """Return, by what is wrong, whether each message was accepted; None where the process died of it. Then
    the codec does not make this check, and another process continues with the next check."""
    left = [(name, message) for name, messages in wrong.items() for message in messages]
    answers: dict[str, list[bool | None]] = {name: [] for name in wrong}
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        file = Path(folder) / "messages"
        while left:
            file.write_bytes(join_messages(message for _, message in left))
            answered = 0
            try:
                command = [*unit.command, "probe", *option_words(encoded=file)]
                expected = Answers(*["probed"] * len(left))
                for event in run_runner(command, expected, silence_limit_s=unit.silence_limit_s):
                    if isinstance(event, Probed):
                        answers[left[answered][0]].append(event.accepted)
                        answered += 1
                left = []
            except RunnerError:
                fatal = left[min(answered, len(left) - 1)][0]
                answers[fatal].append(None)
                left = [(name, message) for name, message in left[answered:] if name != fatal]
    return answers


def well_formed(type: types.Type, enum: int, items: int = 1, inside: bool = False) -> Any:
    """Return a value of the type that has everything: lists of ``items``, optionals with a value, and of each
    enum the member with the index ``enum``. ``inside``: whether recursion has begun, and goes no deeper."""
    match type:
        case types.Scalar():
            if type == types.string:
                return TEXT
            return (
                b"bytes"
                if type == types.bytes_
                else True
                if type.name == "bool"
                else 1.0
                if type.is_float
                else 1
            )
        case types.FixedBytes(length):
            return b"b" * length
        case types.Logical():
            return edge_values(types.Record("R", [types.Field("value", type)]))[1][0]
        case types.Ref():
            return well_formed(type.target, enum, items, True)
        case types.Optional() | types.List() | types.Map() if leads_back(type, inside):
            # recursion ends here
            return None if isinstance(type, types.Optional) else [] if isinstance(type, types.List) else {}
        case types.Union(_, alternatives):
            ending = soonest(type)
            chosen = next((k for k in ending if alternatives[k].type is not None), ending[0])
            inner = alternatives[chosen].type
            return chosen, None if inner is None else well_formed(inner, enum, items, inside)
        case types.Enum(_, _, members):
            return members[enum % len(members)][1]
        case types.Optional(item):
            return well_formed(item, enum, items, inside)
        case types.Array(item, length):
            return [well_formed(item, enum, items, inside)] * length
        case types.List(item):
            return [well_formed(item, enum, items, inside)] * items
        case types.Map(key, item):
            return {well_formed(key, enum): well_formed(item, enum, items, inside)}
        case types.Record(_, fields):
            return tuple(well_formed(field.type, enum, items, inside) for field in fields)
    raise TypeError(f"{type!r} has no values")
