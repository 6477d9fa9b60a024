"""Sizes of messages of which one part is empty: what each codec writes for them, also compressed.

Sizes need no rounds. Each message is encoded once by the codec's own program, and compressed by itself, as
for the wire cost; where there are many messages, they are those that the wire cost compresses.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.changes import parse
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import write_like
from serbench.errors import SerbenchError, reason_of
from serbench.languages.base import Progress
from serbench.measure.unit import Unit
from serbench.measure.wire import alone
from serbench.verification.contract import encode_all
from serbench.verification.sizes import Size, size_in

_TOGETHER = 32
_TOGETHER_BYTES = 1 << 24
"""How many datasets one process encodes, and are on disk at once, and about their greatest size."""


@dataclass(frozen=True)
class Emptied:
    """Messages of which one part is empty.

    Attributes:
        filled: in how many of the messages the part holds something otherwise.
        sizes: the name of a unit → the size of the messages.
    """

    filled: int
    sizes: Mapping[str, Size] = field(default_factory=dict)


@dataclass(frozen=True)
class Weighed:
    """The sizes of messages with each of several parts empty.

    Attributes:
        messages: how many messages were encoded, of all that the dataset has.
        whole: the messages as they are.
        parts: the change that empties a part → the messages without it.
        failures: the name of a unit → why it encoded nothing.
    """

    messages: int
    whole: Emptied
    parts: Mapping[str, Emptied]
    failures: Mapping[str, str]


def weigh(
    units: Sequence[Unit], changes: Sequence[str], step: Progress, limit_s: float = math.inf
) -> Weighed:
    """Have the program of each unit, all of one dataset, encode the messages as they are and with each of the
    changes; never raise for what a codec does.

    Args:
        limit_s: the seconds after which changes are left out, all but the first one.
    """
    begun, data = time.monotonic(), units[0].data
    root, chosen = units[0].spec.workload.schema.root, {*alone(data)}
    before = [bytes(each) for n, each in enumerate(data.read_messages()) if n in chosen]
    values = [decode(root, each) for each in before]
    together = max(1, min(_TOGETHER, _TOGETHER_BYTES // max(sum(map(len, before)), 1)))
    failures: dict[str, str] = {}
    found: list[Emptied] = []
    everything = ["", *changes]
    while len(found) < len(everything) and (len(found) < 2 or time.monotonic() - begun < limit_s):
        step(len(found), len(everything), "sizes")
        some = everything[len(found) : len(found) + together]
        after = [_changed(units[0], change, before, values) for change in some]
        found += _encoded(units, before, after, failures)
    step(len(everything), len(everything), "done")
    parts = dict(zip(changes, found[1:], strict=False))  # fewer where time was up
    return Weighed(len(before), found[0], parts, failures)


def _changed(unit: Unit, change: str, before: Sequence[bytes], values: Sequence[Any]) -> Sequence[bytes]:
    """The canonical messages with a change; ``before`` itself where the change alters none of them."""
    if not change:
        return before
    schema = unit.spec.workload.schema
    forward = parse(change, schema).forward
    after = [encode(schema.root, forward(value)) for value in values]
    return before if after == [*before] else after


def _encoded(
    units: Sequence[Unit],
    before: Sequence[bytes],
    some: Sequence[Sequence[bytes]],
    failures: dict[str, str],
) -> Iterator[Emptied]:
    """The sizes of each of some lists of canonical messages, in order."""
    filled = [sum(one != other for one, other in zip(before, after, strict=True)) for after in some]
    sizes: dict[str, list[Size]] = {}
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        datasets = [write_like(folder, units[0].data, after) for after in some]
        files = [folder / f"encoded-{n}" for n in range(len(some))]
        for unit in units:
            if unit.name in failures:
                continue
            try:
                if unit.failure:
                    raise SerbenchError(unit.failure)
                encode_all(unit, datasets, files)
                sizes[unit.name] = [size_in(file, len(before)) for file in files]
            except (SerbenchError, OSError) as error:
                failures[unit.name] = reason_of(error, unit.data.is_private)
    for n, count in enumerate(filled):
        yield Emptied(count, {unit: own[n] for unit, own in sizes.items()})
