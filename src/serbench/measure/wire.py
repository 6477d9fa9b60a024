"""Measures what a codec's bytes cost on the wire: their size after compression, and the time to compress and
decompress them.

The bytes are those of the codec's own ``encode``. What is compressed at once is a **parcel**: a single
message, as a sender of single messages would compress, or, where a workload has many messages, also a block
of consecutive ones, each after its length in four bytes, as a file or a batch holds them. Which messages are
used depends only on the canonical bytes, so they are the same for every codec.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.dataset.file import Dataset, join_messages, split_messages
from serbench.errors import DatasetError, RunnerError, SerbenchError, reason_of
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.conversation import Answers, WireSamples
from serbench.measure.events import Parcel
from serbench.measure.identity import Identity
from serbench.measure.plan import Cells, Plan
from serbench.measure.process import option_words, run_runner, run_to_end
from serbench.measure.run import Progress
from serbench.measure.said import Compressed, Failed, WireSampleSaid
from serbench.measure.store import Journal
from serbench.measure.unit import Unit
from serbench.paths import PACKAGE

MESSAGES_ALONE = 1000
"""The most messages that are compressed alone, evenly spread over the dataset. A hundredth of 100,000
messages has their mean size within a per cent, and takes a hundredth of the time."""

ALONE_BYTES = 1 << 20
"""The most canonical bytes of all messages that are compressed alone; there is always at least one
message."""

BLOCK_BYTES = 1 << 16
"""The approximate canonical bytes of a block: the default of file formats that hold many messages."""

BLOCKS = 8
"""The most blocks, evenly spread over the dataset."""

CELLS = tuple(f"{name}:{direction}" for name in COMPRESSORS for direction in ("compress", "decompress"))

_RUNNER = (
    sys.executable,
    "-c",
    (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
        "from serbench.measure.wire_runner import main; main()"
    ),
)


@dataclass
class _Parcels:
    """A file of parcels of one kind that a codec wrote, and which cells of it are still to be measured.

    Attributes:
        unit: the unit that wrote it.
    """

    unit: Identity
    kind: Parcel
    file: Path
    cells: list[str] = field(default_factory=lambda: list(CELLS))
    sized: set[str] = field(default_factory=set)

    @property
    def about(self) -> dict[str, str]:
        """The fields by which an event says which parcels it is about."""
        return {**self.unit.fields, "parcel": self.kind}

    def event(self, word: str, **values: object) -> dict[str, Any]:
        """Return an event of the kind ``word`` about these parcels, for the journal."""
        return {"event": word, **self.about, **values}


def wire_estimate_s(plan: Plan, tasks: Sequence[Cells]) -> float:
    """Return the estimated seconds of ``measure_wire``, if a pass is short: each codec encodes its messages,
    and each round has a process for each file of parcels, that of one byte among them."""
    samples_s = len(CELLS) * (plan.samples + 4) * plan.sample_ns / 1e9
    files = 1 + sum(2 if _fit_blocks(task) else 1 for task in tasks)
    encoded_s = sum(task.traits.start_s + 2 * task.pass_s for task in tasks)
    return plan.rounds * files * (samples_s + 0.1 * plan.slower) + plan.slower * encoded_s


def _fit_blocks(task: Cells) -> bool:
    return 0 < 2 * task.message_bytes <= min(BLOCK_BYTES, task.pass_bytes)


def measure_wire(units: Sequence[Unit], plan: Plan, journal: Journal, progress: Progress) -> bool:
    """Append to the journal the sizes and samples of every compressor on what each unit's codec wrote, or the
    reason why there are none; return whether the time allowed by the plan sufficed for all rounds.

    Rounds, samples, seed, core and limits are the plan's. Each round goes over all files of parcels in
    another order, with one process for each, which also measures its cells in another order.
    """
    draws = random.Random(plan.seed)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        everything = []
        for n, unit in enumerate(units):
            progress.step(n, len(units) * (plan.rounds + 1), f"encoding with {unit.variant.id}")
            own = Path(folder) / str(n)
            own.mkdir()
            everything += _encoded(unit, own, plan, journal)
        if everything:
            everything.append(_one_byte(Path(folder), journal))
        total = len(everything) * (plan.rounds + 1)
        for number in range(1, plan.rounds + 1):
            for n, parcels in enumerate(draws.sample(everything, len(everything))):
                if plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s:
                    return False
                what = f"round {number} of {plan.rounds}, compressing {parcels.unit.codec or 'one byte'}"
                progress.step(number * len(everything) + n, total, what)
                draws.shuffle(parcels.cells)
                _measure_parcels(parcels, number, plan, journal)
    return True


def alone(dataset: Dataset) -> list[int]:
    """Return the indices of the messages that are each compressed alone."""
    return _spread(
        dataset.messages,
        min(MESSAGES_ALONE, ALONE_BYTES * dataset.messages // max(dataset.canonical_bytes, 1)),
    )


def blocks(dataset: Dataset) -> list[range]:
    """Return the indices of the messages of each block; none where a block would hold one message."""
    size = min(BLOCK_BYTES * dataset.messages // max(dataset.canonical_bytes, 1), dataset.messages)
    if size < 2:
        return []
    return [range(n * size, (n + 1) * size) for n in _spread(dataset.messages // size, BLOCKS)]


def _spread(total: int, most: int) -> list[int]:
    """Return at least one and at most ``most`` numbers below ``total``, evenly spread from 0 on."""
    count = max(1, min(total, most))
    return [n * total // count for n in range(count)]


def _encoded(unit: Unit, folder: Path, plan: Plan, journal: Journal) -> list[_Parcels]:
    """Return files of each kind of parcel with the codec's bytes; none if the codec failed, with the reason
    in the journal."""
    try:
        if failure := unit.failure or ("" if unit.offers("encode") else "offers no encode"):
            raise SerbenchError(failure)
        messages = _ask_to_encode(unit, folder / "encoded", plan.silence_limit_s)
    except (SerbenchError, OSError) as error:
        reason = reason_of(error, unit.data.is_private)
        journal.append({"event": "wire_failure", **unit.identity.fields, "reason": reason})
        return []
    kinds: list[tuple[Parcel, list[range]]] = [("message", [range(n, n + 1) for n in alone(unit.data)])]
    if runs := blocks(unit.data):
        kinds.append(("block", runs))
    made = []
    for kind, chosen in kinds:
        parcels = _Parcels(unit.identity, kind, folder / kind)
        packed = [_packed(kind, [messages[n] for n in numbers]) for numbers in chosen]
        parcels.file.write_bytes(join_messages(packed))
        counts = {"parcels": len(chosen), "messages": sum(map(len, chosen)), "bytes": sum(map(len, packed))}
        journal.append(parcels.event("wire_parcels", **counts))
        made.append(parcels)
    return made


def _one_byte(folder: Path, journal: Journal) -> _Parcels:
    """Return a parcel of one byte that no codec wrote. Its times show what a call costs whatever the message,
    including the Python package, which for lz4 takes longer than the library's own work on some hundred
    bytes."""
    parcels = _Parcels(Identity("", ""), "byte", folder / "byte")
    parcels.file.write_bytes(join_messages([b"?"]))
    journal.append(parcels.event("wire_parcels", parcels=1, messages=1, bytes=1))
    return parcels


def _ask_to_encode(unit: Unit, file: Path, silence_limit_s: float) -> list[memoryview]:
    """Return every message as the codec encodes it; ``file`` holds them meanwhile and is then deleted."""
    options = option_words(dataset=unit.data.path, memory="reuse", out=file)
    run_to_end([*unit.command, "encode", *options], Answers("encoded"), silence_limit_s)
    messages = list(split_messages(file.read_bytes()))
    file.unlink()
    if len(messages) != unit.data.messages:
        raise DatasetError(f"{unit.data.messages} messages were encoded to {len(messages)}")
    return messages


def _packed(kind: Parcel, messages: Iterable[memoryview]) -> bytes:
    """Return one parcel: a message as it is, since its carrier knows where it ends, or a block, in which each
    message is behind its length."""
    if kind == "block":
        return join_messages(bytes(message) for message in messages)
    (message,) = messages
    return bytes(message)


def _measure_parcels(parcels: _Parcels, number: int, plan: Plan, journal: Journal) -> None:
    """Measure parcels in one process. A compressor that fails is not tried again; where the process itself
    fails, none is."""
    if not parcels.cells:
        return
    options = {"cells": ",".join(parcels.cells), "sample_ns": plan.sample_ns, "samples": plan.samples}
    command = [*_RUNNER, *option_words(encoded=parcels.file, **options)]
    try:
        expected = WireSamples(parcels.cells, plan.samples)
        for event in run_runner(command, expected, plan.core, plan.silence_limit_s):
            if isinstance(event, WireSampleSaid):
                journal.append({**event.fields, "event": event.kind, **parcels.about, "round": number})
            elif isinstance(event, Compressed) and event.compressor not in parcels.sized:
                parcels.sized.add(event.compressor)
                told = {"compressor": event.compressor, "bytes": event.bytes, "library": event.library}
                journal.append(parcels.event("wire_size", **told))
            elif isinstance(event, Failed):
                parcels.cells = [cell for cell in parcels.cells if cell.partition(":")[0] != event.compressor]
                failed = {"compressor": event.compressor, "reason": event.reason}
                journal.append(parcels.event("wire_failure", **failed))
    except RunnerError as error:
        parcels.cells = []
        journal.append(parcels.event("wire_failure", reason=str(error)))
