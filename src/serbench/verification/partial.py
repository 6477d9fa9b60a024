"""Programs that read a part of the messages that programs of the whole schema write.

The program of the part is handed the other one's bytes, also those of messages with an edit in force, and has
to find the values that the part has of them. Then its timed passes over these bytes are watched. Where it
cannot read them, the codec reads everything: the program of the whole schema is measured in its place.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from serbench.changes.reading import put_back
from serbench.codecs.codec import WHOLE
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edits import Edit, edits_of, write_edits
from serbench.dataset.file import join_messages, read_dataset, write_like
from serbench.errors import RunnerError, SerbenchError, reason_of
from serbench.measure.agreement import agreed
from serbench.measure.conversation import Answers, Samples
from serbench.measure.differences import find_difference
from serbench.measure.judging import Differing, Judging, judged
from serbench.measure.process import apart, measuring_words, option_words, run_runner, run_to_end
from serbench.measure.said import Event
from serbench.measure.unit import Given, Unit, Verification
from serbench.paths import Paths
from serbench.selecting.selection import POLICIES, READING
from serbench.system.whole import write_atomically
from serbench.verification.checks import checks_others
from serbench.verification.contract import describe, encoded_by
from serbench.verification.copies import without_copies
from serbench.verification.watching import (
    WATCHED_BYTES,
    WATCHED_SAMPLE_NS,
    WATCHED_SAMPLES,
    first_raised,
    judge_of,
    place_of,
)
from serbench.verification.writers import given as with_schema

EDITED_BYTES, LEAST_EDITS = 8_000_000, 8
"""About the most canonical bytes of all messages that are written with an edit in force, since each edit
takes a whole message; and the edits of a message where messages are longer."""


class CannotRead(SerbenchError):
    """Raised where a program cannot read a part of what the program of the whole schema wrote."""


def part_of(paths: Paths, unit: Unit, whole: Unit) -> Unit:
    """Return a unit that reads a part of what ``whole`` writes, verified; where its program cannot read that,
    it reads everything by the program of ``whole``. It fails where that one has failed, and where its timed
    passes leave other values."""
    if unit.variant.codec.floor:
        return unit
    if whole.status != "ok" or not whole.verification:
        return replace(unit, status=whole.status, reason=whole.reason)
    if unit.status != "ok":
        return _everything(unit, whole, unit.reason)
    try:
        return _read(paths, unit, whole)
    except CannotRead as error:
        return _everything(unit, whole, str(error))
    except (SerbenchError, OSError) as error:
        return failed(unit, error)


def failed(unit: Unit, error: SerbenchError | OSError) -> Unit:
    """Return a unit that could not be verified, with the reason."""
    reason = f"not verified: {reason_of(error, unit.data.is_private)}"
    signal = error.signal if isinstance(error, RunnerError) else 0
    found = Verification(False, reason, signal=signal)
    return replace(unit, status="failed", reason=reason, verification=found)


def _everything(unit: Unit, whole: Unit, reason: str) -> Unit:
    """The unit that reads everything by the program of ``whole``, with the reason why it has to."""
    assert whole.verification
    if READING not in whole.verification.operations:
        return replace(unit, status="unsupported", reason="its runner does not offer to read")
    found = replace(whole.verification, operations=(READING,), views=())
    program = whole.spec.workload.name
    return replace(whole, spec=unit.spec, way=WHOLE, way_reason=reason, verification=found, program=program)


def _read(paths: Paths, unit: Unit, whole: Unit) -> Unit:
    """Return the unit with the files that it reads from, verified.

    Raises:
        CannotRead: it cannot read what ``whole`` wrote, or finds other values.
        RunnerError: its timed passes leave other values than it found.
    """
    assert whole.verification
    written = written_of(str(whole.data.path), str(unit.data.path), unit.variant.tells_floats)
    folder = folder_of(paths, unit)
    bodies, encoded, edits = handed(whole, written, folder)
    reader = with_schema(unit, whole, folder)
    if READING not in describe(reader).operations:
        raise CannotRead("its runner does not offer to read")
    _compare(reader, encoded, written)
    if tried := without_copies(reader, bodies, written.edits, written.part):
        write_atomically(encoded, join_messages(tried.get(n, body) for n, body in enumerate(bodies)))
    given = Given(str(encoded), str(edits) if written.edits else None)
    watch_until_agreed(reader, given)
    found = passed(unit, bodies, READING, "part decode")
    return replace(
        reader,
        way=unit.variant.reads,
        unchecked=_leaves_unchecked(whole, reader),
        given=given,
        verification=found,
    )


def handed(whole: Unit, written: Written, folder: Path) -> tuple[list[bytes], Path, Path]:
    """Have ``whole`` encode the messages; return their bytes, and the files with these and with the edits."""
    bodies = encoded_by(whole, written.whole, set_apart=True)
    encoded, edits = folder / "encoded", folder / "edits"
    write_atomically(encoded, join_messages(bodies))
    write_edits(edits, written.edits)
    return bodies, encoded, edits


def passed(unit: Unit, bodies: Sequence[bytes], operation: str, checked: str) -> Verification:
    """Return the verification of a unit that was handed messages and passed, of whose bytes those of edits
    come last; ``checked`` names what was compared under each memory policy."""
    size, messages = sum(map(len, bodies[: unit.data.messages])), unit.data.messages
    ways = tuple(f"{checked}:{memory}" for memory in POLICIES)
    return Verification(True, "", size, messages, (operation,), ways, edits=True)


def _leaves_unchecked(whole: Unit, reader: Unit) -> bool:
    """Whether a reader was seen to accept wrong text in what it passes over, and nowhere else."""
    try:
        return checks_others(whole, reader) is False
    except RunnerError:  # values of our own, which the codec need not be able to write
        return False


def folder_of(paths: Paths, unit: Unit) -> Path:
    """Return the folder for the messages that another program writes for a unit's, which is made."""
    folder = paths.encoded / hashlib.sha256("\0".join(unit.identity).encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass(frozen=True)
class Written:
    """The messages that the program of the whole schema writes: all of a dataset, and behind them those with
    an edit in force. ``part`` are the values that a program of the part has to find in them."""

    whole: Sequence[bytes]
    part: Sequence[bytes]
    edits: Sequence[Edit]


@lru_cache(maxsize=4)
def written_of(whole: str, part: str, floats: bool) -> Written:
    """Return the messages to write, of the files ``whole`` and ``part``: datasets of the same messages."""
    of_whole, of_part = read_dataset(Path(whole)), read_dataset(Path(part))
    roots = of_whole.schema().root, of_part.schema().root
    messages = [bytes(each) for each in of_whole.read_messages()]
    parts = [bytes(each) for each in of_part.read_messages()]
    all_edits = edits_of(of_part, floats, resizes=True)
    edits = list(_few(all_edits, EDITED_BYTES // max(of_whole.canonical_bytes, 1)))
    values = {number: decode(roots[0], messages[number]) for number in {edit.message for edit in edits}}
    for edit in edits:
        seen = bytearray(parts[edit.message])
        seen[edit.offset : edit.offset + len(edit.bytes)] = edit.bytes
        value = put_back(roots[0], values[edit.message], roots[1], decode(roots[1], bytes(seen)))
        messages.append(encode(roots[0], value))
        parts.append(bytes(seen))
    return Written(messages, parts, edits)


def _few(edits: Sequence[Edit], most: int) -> Iterator[Edit]:
    """Yield about so many edits of each message, or a few, evenly spread and in their order: of the next
    message others, so that some message has those of each path."""
    by_message: dict[int, list[Edit]] = {}
    for edit in edits:
        by_message.setdefault(edit.message, []).append(edit)
    for n, own in enumerate(by_message.values()):
        step = -(-len(own) // max(most, LEAST_EDITS))
        yield from own[n % step :: step]


def _compare(reader: Unit, encoded: Path, written: Written) -> None:
    """Raise CannotRead where the reader cannot decode the messages in a file, or finds other values."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        expected = write_like(folder, reader.data, written.part)
        outs = {memory: folder / memory for memory in POLICIES}
        commands = [
            ["decode", *option_words(encoded=encoded, out=out, memory=memory)] for memory, out in outs.items()
        ]
        starter = apart(folder, [reader.data.path.parent])
        for memory, words in zip(POLICIES, commands, strict=True):
            try:
                run_to_end([*starter, *reader.command, *words], Answers("decoded"), reader.silence_limit_s)
            except RunnerError as error:
                reason = reason_of(error, reader.data.is_private)
                told = reason.partition("; it printed: ")[0]
                raise CannotRead(f"its reader refuses what the whole program wrote: {told}") from error
            found = find_difference(expected, outs[memory].read_bytes(), reader.variant.tolerance)
            if found:
                raise CannotRead(f"its reader finds other values: {found}")


def watch_until_agreed(reader: Unit, given: Given) -> None:
    """Watch a reader as ``_watch`` does; where nothing but times speaks against it, as often as it takes for
    several looks to agree."""

    def suspects(_: Sequence[str]) -> list[str]:
        try:
            _watch(reader, given)
        except RunnerError as error:
            if not error.by_times:
                raise
            return [error.cell]
        return []

    try:
        _watch(reader, given)
    except RunnerError as error:
        if not error.by_times or agreed(suspects, [error.cell]):
            raise


def _watch(reader: Unit, given: Given) -> None:
    """Hold the sums of a reader to the values that it extracts, and watch its timed passes over what it is
    given. Data that are long are watched only in rounds.

    Raises:
        RunnerError: a sum is of other values, or what passes leave differs.
    """
    operation = reader.spec.operation or READING
    data, cells = reader.data, [f"{operation}:{memory}" for memory in POLICIES]
    if data.canonical_bytes > WATCHED_BYTES:
        return
    watches = not reader.variant.codec.traits.quick_looks
    _check(reader, given, cells if watches else [])
    if watches or given.edits is None:
        return
    sample = (WATCHED_SAMPLE_NS, WATCHED_SAMPLES, place_of(data), given.edits)
    words = measuring_words(data.path, cells, *sample, encoded=given.encoded)

    def run(further: Sequence[str]) -> Iterator[Event]:
        command = [*reader.command, *words, *further]
        expected = Samples(cells, WATCHED_SAMPLES)
        return run_runner(command, expected, silence_limit_s=reader.silence_limit_s)

    events = judged(judge_of(reader, data, given.edits), run)
    first_raised([each for each in events if isinstance(each, Differing)], cells)


def _check(reader: Unit, given: Given, cells: Sequence[str]) -> None:
    """Have a runner check its sums, and judge what its passes over these cells leave, if it watches them
    there."""
    files = {"dataset": reader.data.path, "encoded": given.encoded, "edits": given.edits}
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        left = Path(name) / "left"
        words = option_words(**files, place=place_of(reader.data), left=left)
        run_to_end([*reader.command, "check", *words], Answers("checked"), reader.silence_limit_s)
        if cells and given.edits:
            judging = Judging(judge_of(reader, reader.data, given.edits), left, Path(name))
            first_raised(judging.differing(dict.fromkeys(cells, 1)), cells)
