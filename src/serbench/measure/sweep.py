"""Sweeps: the same workload with ever more messages, until they fit into no cache."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from serbench.changes.catalogue import DRAW, word_of
from serbench.changes.derived import parse_spec
from serbench.codecs.traits import Traits
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.machine import Machine, describe_machine
from serbench.paths import Paths
from serbench.selecting.selection import Chosen
from serbench.system.command import SWEEPS
from serbench.workload import Workload, WorkloadSpec

MESSAGES = "messages"
"""The word of ``--sweep``: numbers of messages."""

MOST_SIZES = 12
"""The most numbers of messages that are chosen. Where powers of two would be more, each fourth or eighth is
taken, since every one costs as much time as a workload of its own."""

BEYOND = 4
"""How many times as many bytes as the last cache holds the greatest number of messages has."""

RESIDENT_BYTES = 1 << 30
"""The most memory that a process may be foreseen to take, since several programs share a machine."""

MOST_BYTES = 8 << 30
"""The most memory that a process may be foreseen to take with numbers of messages that a person asks for."""

SWEPT = ("time", "instructions", "memory", "latency")
"""The metrics of passes, which the number of messages may change."""

PASS_S = 1.0
"""The longest pass that is foreseen: a cell takes several passes in each round."""

_UNKNOWN_CACHE = 32 << 20
"""The last cache of a machine that tells nothing of its caches, in bytes."""


@dataclass(frozen=True)
class Sizes:
    """The numbers of messages of a sweep, the smallest first, and why it ends where it does, in words."""

    numbers: Sequence[int]
    why: str


def base_of(spec: WorkloadSpec) -> str:
    """Return the id of the workload of which this one has another number of messages; empty where it is none
    of a sweep."""
    if spec.whole or not spec.changes or word_of(spec.changes[-1]) != DRAW:
        return ""
    return spec.id.removesuffix(f"/{spec.changes[-1]}")


def foreseen_bytes(specs: Sequence[WorkloadSpec], paths: Paths) -> dict[str, int]:
    """Return the canonical bytes that each workload of a sweep will have, by the id; their messages are as
    long as those of the workload that they are made of."""
    found = {}
    for spec in specs:
        if base_of(spec):
            data = dataset_for(spec.declared, paths)
            found[spec.id] = round(_number(spec) * data.canonical_bytes / data.messages)
    return found


def _number(spec: WorkloadSpec) -> int:
    return int(spec.changes[-1].partition("=")[2])


def sweeping(
    chosen: Chosen, text: str, paths: Paths, known: Mapping[str, Workload], machine: Machine | None = None
) -> tuple[Chosen, list[str]]:
    """Return the selection with each of its workloads in ever greater numbers of messages, and why these end
    where they do, in words.

    Args:
        text: the words of the option: ``messages``, or ``messages=1,64,4096``.
        known: all workloads by their names.
        machine: the machine whose caches decide, by default this one.

    Raises:
        SelectionError: the option asks for something else; a workload's messages cannot be copied, are handed
            to other programs, or are of a sweep already.
        DatasetError: the messages of a workload cannot be made.
    """
    asked = _asked(text)
    specs: dict[str, WorkloadSpec] = {}
    told: list[str] = []
    for spec in chosen.workloads:
        specs[spec.id] = spec
        if spec.whole or base_of(spec):
            raise SelectionError(f"{SWEEPS}: {spec.id} has messages of another workload; expected its base")
        if asked:
            _refuse_too_many(asked, spec, chosen, paths)
        sizes = Sizes(asked, "") if asked else _sizes(spec, chosen, paths, machine or describe_machine())
        for number in sizes.numbers:
            made = parse_spec(f"{spec.id}/{DRAW}={number}", known)
            specs[made.id] = made
        told += [f"{spec.id}: up to {sizes.numbers[-1]:,} messages, {sizes.why}"] if sizes.why else []
    return replace(chosen, workloads=list(specs.values())), told


def _refuse_too_many(numbers: Sequence[int], spec: WorkloadSpec, chosen: Chosen, paths: Paths) -> None:
    """Raise SelectionError where more messages are asked for than a process is foreseen to hold."""
    data = dataset_for(spec, paths)
    for traits in _traits_of(chosen).values():
        resident = traits.typical.resident * max(data.canonical_bytes / data.messages, 1.0)
        most = max(1, int(MOST_BYTES / resident))
        if numbers[-1] > most:
            raise SelectionError(
                f"{SWEEPS}: found {numbers[-1]:,} messages of {spec.id}; expected at most {most:,}, with "
                f"which a process of {traits.title} is foreseen to take {MOST_BYTES >> 30} GiB of memory"
            )


def _asked(text: str) -> list[int]:
    word, equals, numbers = text.partition("=")
    if word != MESSAGES or (equals and not re.fullmatch(r"[1-9]\d{0,8}(,[1-9]\d{0,8})*", numbers)):
        expected = f"{MESSAGES}, or numbers of them, such as {MESSAGES}=1,64,4096"
        raise SelectionError(f"{SWEEPS}: found '{text}', expected {expected}")
    return sorted({int(each) for each in numbers.split(",")}) if equals else []


def _sizes(spec: WorkloadSpec, chosen: Chosen, paths: Paths, machine: Machine) -> Sizes:
    data = dataset_for(spec, paths)
    return sizes_of(data.canonical_bytes / data.messages, list(_traits_of(chosen).values()), machine)


def _traits_of(chosen: Chosen) -> dict[str, Traits]:
    """The traits of each language that is measured."""
    return {variant.codec.language: variant.codec.traits for variant in chosen.variants}


def sizes_of(message_bytes: float, languages: Sequence[Traits], machine: Machine) -> Sizes:
    """Return the numbers of messages of a sweep.

    Args:
        message_bytes: the mean canonical bytes of a message.
        languages: the traits of all languages that are measured; the same numbers are measured with each.
    """
    caches = machine.data_caches
    name, cache = [*caches.items()][-1] if caches else ("", _UNKNOWN_CACHE)
    target = max(BEYOND * cache / max(message_bytes, 1.0), 1.0)
    ends = [(_power_from(target), f"{BEYOND} times the last cache ({name})" if name else "128 MiB")]
    for traits in languages:
        typical = traits.typical
        resident = RESIDENT_BYTES / (typical.resident * max(message_bytes, 1.0))
        passes = PASS_S * 1e9 / (typical.pass_ns * max(message_bytes, 1.0))
        ends.append((_power_to(resident), f"where {traits.title} is foreseen to take 1 GiB of memory"))
        ends.append((_power_to(passes), f"where a pass of {traits.title} is foreseen to take a second"))
    last, why = min(ends, key=lambda each: each[0])
    step = 1
    while last.bit_length() > 1 + (MOST_SIZES - 1) * step:
        step += 1
    powers = [*range(0, last.bit_length() - 1, step), last.bit_length() - 1]
    return Sizes([1 << power for power in dict.fromkeys(powers)], why)


def _power_from(number: float) -> int:
    """The least power of two that is not below a number."""
    return 1 << max(math.ceil(number) - 1, 0).bit_length()


def _power_to(number: float) -> int:
    """The greatest power of two that is not above a number, and at least 1."""
    return 1 << max(int(number).bit_length() - 1, 0)
