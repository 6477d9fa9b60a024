"""Programs that change values in the messages that programs of the whole schema write.

The program is handed the other one's bytes, also those of messages with an edit in force. The bytes that it
leaves are decoded by the program of the whole schema, in another process, which knows nothing of updates. So
no codec confirms itself; and since the writer does not know which values will change, it cannot write the
changed message beside its own. Then timed passes are watched, and judged in the same way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from serbench.codecs.codec import IN_PLACE, REWRITTEN
from serbench.dataset.file import write_like
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.conversation import Answers
from serbench.measure.differences import find_difference
from serbench.measure.process import apart, option_words, run_to_end
from serbench.measure.unit import Given, Unit
from serbench.measure.updates import mask_of, masked
from serbench.paths import Paths
from serbench.selecting.selection import POLICIES, UPDATING
from serbench.verification.contract import describe
from serbench.verification.partial import (
    Written,
    failed,
    folder_of,
    handed,
    passed,
    watch_until_agreed,
    written_of,
)


def update_of(paths: Paths, unit: Unit, whole: Unit) -> Unit:
    """Return a unit that changes values in what ``whole`` writes, verified. It fails where that one has
    failed, and where what it leaves has other values."""
    if unit.variant.codec.floor or unit.status != "ok":
        return unit
    if whole.status != "ok" or not whole.verification:
        return replace(unit, status=whole.status, reason=whole.reason)
    try:
        return _updating(paths, unit, whole)
    except (SerbenchError, OSError) as error:
        return failed(unit, error)


def _updating(paths: Paths, unit: Unit, whole: Unit) -> Unit:
    """Return the unit with the files that it starts from, verified.

    Raises:
        RunnerError: what it leaves has other values than it should have.
    """
    hello = describe(unit)
    if UPDATING not in hello.operations:
        return replace(unit, status="unsupported", reason="its library does not write")
    written = written_of(str(whole.data.path), str(unit.data.path), unit.variant.tells_floats)
    bodies, encoded, edits = handed(whole, written, folder_of(paths, unit))
    _compare(unit, whole, encoded, written)
    updates = unit.spec.workload.updates
    given = Given(str(encoded), str(edits) if written.edits else None, whole.command, updates)
    unit = replace(unit, given=given, way=IN_PLACE if hello.in_place else REWRITTEN)
    watch_until_agreed(unit, given)
    return replace(unit, verification=passed(unit, bodies, UPDATING, UPDATING))


def _compare(unit: Unit, whole: Unit, encoded: Path, written: Written) -> None:
    """Raise RunnerError where what a unit leaves of the messages in a file, and ``whole`` decodes, are other
    values than it should be."""
    root = unit.spec.workload.schema.root
    updates = unit.spec.workload.updates
    first = len(written.part) - len(written.edits)
    masks = [mask_of(root, each, updates) for each in written.part[:first]]
    masks += [masks[edit.message] for edit in written.edits]
    messages = [masked(each, mask) for each, mask in zip(written.part, masks, strict=True)]
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        expected = write_like(folder, unit.data, messages)
        for memory in POLICIES:
            changed, decoded = folder / f"changed-{memory}", folder / f"decoded-{memory}"
            words = option_words(encoded=encoded, out=changed, memory=memory)
            _do(unit, folder, "updated", ["update", *words])
            _do(whole, folder, "decoded", ["decode", *option_words(encoded=changed, out=decoded)])
            if found := find_difference(expected, decoded.read_bytes(), unit.variant.tolerance):
                raise RunnerError(f"{UPDATING} under {memory} leaves other values: {found}")


def _do(unit: Unit, folder: Path, answer: str, words: Sequence[str]) -> None:
    """Give a unit's program a command, in a process that cannot read the dataset."""
    starter = apart(folder, [unit.data.path.parent])
    run_to_end([*starter, *unit.command, *words], Answers(answer), unit.silence_limit_s)
