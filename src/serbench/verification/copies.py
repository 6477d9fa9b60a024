"""Finds values that an encoder has written a second time: an edit then changes bytes in several places, and
one of these places alone holds the value.

A program of the whole schema could write sums of its values behind them, for a reader that reads these sums
and no values. So messages are made in which the value has changed, and what else depends on it has not. Where
the reader itself decodes the new value from such a message, its sum has to be that of the new value too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from serbench.dataset.edits import Edit
from serbench.dataset.file import join_messages, split_messages
from serbench.errors import EncodingError, RunnerError
from serbench.measure.conversation import Answers
from serbench.measure.differences import comparing
from serbench.measure.process import apart, option_words, run_to_end
from serbench.measure.unit import Unit
from serbench.verification.checks import fed

APART = 16
"""Bytes that differ are of one place where fewer bytes than this lie between them."""

PLACES = 4
"""The most places that an edit may change for them to be tried: formats that compress change many."""

TRIED = 32
"""The most edits that are tried, evenly spread."""


def without_copies(
    reader: Unit, bodies: Sequence[bytes], edits: Sequence[Edit], part: Sequence[bytes]
) -> Mapping[int, bytes]:
    """Return other bytes for some edited messages, by their index in ``bodies``: those of the message without
    the edit, but for one of the places that the edit changes. ``reader`` decodes the edited message from
    them.

    Args:
        bodies: the encoded messages, and behind them one for each of the ``edits``.
        part: the canonical bytes that the reader has to find in them.
    """
    first = len(bodies) - len(edits)
    several = {
        first + n: tried
        for n, edit in enumerate(edits)
        if (tried := list(_one_place(bodies[edit.message], bodies[first + n])))
    }
    chosen = list(several)[:: len(several) // TRIED + 1]
    candidates = [(n, body) for n in chosen for body in several[n]]
    if not candidates:
        return {}
    answers = fed(reader, {str(n): [body] for n, (_, body) in enumerate(candidates)})
    taken = [each for n, each in enumerate(candidates) if answers[str(n)] == [True]]
    difference = comparing(reader.data, reader.variant.tolerance)
    found: dict[int, bytes] = {}
    for (n, body), values in zip(taken, _decoded(reader, [body for _, body in taken]), strict=False):
        try:
            if not difference(part[n], values):
                found[n] = body
        except EncodingError:
            continue
    return found


def _one_place(before: bytes, after: bytes) -> Iterator[bytes]:
    """Yield ``before`` with the bytes of ``after`` in one of the places where they differ; nothing where that
    is but one, or they are too many."""
    if len(before) != len(after):
        return
    differing = [n for n, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    begins = [n for n, at in enumerate(differing) if n == 0 or at - differing[n - 1] > APART]
    if not 1 < len(begins) <= PLACES:
        return
    for begin, end in zip(begins, [*begins[1:], len(differing)], strict=True):
        low, high = differing[begin], differing[end - 1] + 1
        yield before[:low] + after[low:high] + before[high:]


def _decoded(reader: Unit, bodies: Sequence[bytes]) -> list[bytes]:
    """Return what a reader decodes from messages, as canonical bytes; fewer where it refuses one."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        encoded, out = folder / "encoded", folder / "out"
        encoded.write_bytes(join_messages(bodies))
        words = ["decode", *option_words(encoded=encoded, out=out, memory="fresh")]
        try:
            command = [*apart(folder, [reader.data.path.parent]), *reader.command, *words]
            run_to_end(command, Answers("decoded"), reader.silence_limit_s)
        except RunnerError:
            return []
        return [bytes(each) for each in split_messages(out.read_bytes())]
