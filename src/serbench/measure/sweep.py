"""Sweeps: the same workload with ever more messages, or ever longer ones, until they fit into no cache."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from serbench.changes.catalogue import DRAW, LENGTH, word_of
from serbench.changes.derived import parse_spec
from serbench.changes.lengthened import longest_of
from serbench.codecs.traits import Traits
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.machine import Machine, describe_machine
from serbench.paths import Paths
from serbench.selecting.selection import Chosen
from serbench.system.command import SWEEPS
from serbench.workload import Workload, WorkloadSpec

MESSAGES, SIZE = "messages", "size"
"""The words of ``--sweep``: numbers of messages, and of the items of the longest list."""

MOST_SIZES = 12
"""The most numbers that are chosen. Where powers of two would be more, each fourth or eighth is
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
    """The numbers of a sweep, the smallest first, and why it ends where it does, in words."""

    numbers: Sequence[int]
    why: str


@dataclass(frozen=True)
class _Growth:
    """How a workload grows in a sweep.

    Attributes:
        change: the change that makes a workload of it, without the number.
        counted: the things that the number is of, in words.
        unit_bytes: the canonical bytes by which one more of them makes the data longer.
        other_bytes: the canonical bytes of the data besides.
    """

    change: str
    counted: str
    unit_bytes: float
    other_bytes: float = 0.0


def base_of(spec: WorkloadSpec) -> str:
    """Return the id of the workload of which this one has another number of messages, or of items in a list;
    empty where it is none of a sweep."""
    if spec.whole or not spec.changes or word_of(spec.changes[-1]) not in (DRAW, LENGTH):
        return ""
    return spec.id.removesuffix(f"/{spec.changes[-1]}")


def list_of(spec: WorkloadSpec) -> tuple[str, int]:
    """Return the path of the list that a sweep makes longer, and the items that it has in this workload; an
    empty path and 0 where there is none."""
    if not base_of(spec) or word_of(spec.changes[-1]) != LENGTH:
        return "", 0
    return _list_in(spec), _number(spec)


def foreseen_bytes(specs: Sequence[WorkloadSpec], paths: Paths) -> dict[str, int]:
    """Return the canonical bytes that each workload of a sweep will have, by the id; their messages, or the
    items of their list, are as long as those of the workload that they are made of."""
    growths: dict[tuple[str, str], _Growth | None] = {}
    found = {}
    for spec in (each for each in specs if base_of(each)):
        path = _list_in(spec)
        at = (spec.declared.id, path)
        if at not in growths:
            growths[at] = _of_list(spec.declared, paths, path) if path else _of_messages(spec.declared, paths)
        if growth := growths[at]:
            found[spec.id] = round(growth.other_bytes + _number(spec) * growth.unit_bytes)
    return found


def _number(spec: WorkloadSpec) -> int:
    return int(re.split("[=:]", spec.changes[-1])[-1])


def _list_in(spec: WorkloadSpec) -> str:
    """The path of the list that the last change makes longer; empty where it is another change."""
    path, is_list, _ = spec.changes[-1].removeprefix(f"{LENGTH}=").rpartition(":")
    return path if is_list else ""


def _of_messages(spec: WorkloadSpec, paths: Paths) -> _Growth:
    data = dataset_for(spec, paths)
    return _Growth(f"{DRAW}=", MESSAGES, data.canonical_bytes / data.messages)


def _of_list(spec: WorkloadSpec, paths: Paths, path: str = "") -> _Growth | None:
    """How the data grow with the longest list, or with that at a path; None where it has no item."""
    messages = [bytes(each) for each in dataset_for(spec, paths).read_messages()]
    found = longest_of(spec.workload.schema, messages, path)
    if found is None:
        return None
    counted = f"items in {found.path}"
    return _Growth(f"{LENGTH}={found.path}:", counted, found.item_bytes, found.other_bytes)


def sweeping(
    chosen: Chosen, text: str, paths: Paths, known: Mapping[str, Workload], machine: Machine | None = None
) -> tuple[Chosen, list[str]]:
    """Return the selection with each of its workloads in ever greater numbers of messages, or with a list of
    ever more items, and why these end where they do, in words. A workload of a single message is itself the
    first of its sizes.

    Args:
        text: the words of the option: ``messages`` or ``size``, or with numbers ``messages=1,64,4096``.
        known: all workloads by their names.
        machine: the machine whose caches decide, by default this one.

    Raises:
        SelectionError: the option asks for something else; a workload's messages cannot be copied, have no
            list, are handed to other programs, or are of a sweep already.
        DatasetError: the messages of a workload cannot be made.
    """
    word, asked = _asked(text)
    specs: dict[str, WorkloadSpec] = {}
    told: list[str] = []
    for spec in chosen.workloads:
        specs[spec.id] = spec
        if spec.whole or base_of(spec):
            raise SelectionError(f"{SWEEPS}: {spec.id} has messages of another workload; expected its base")
        growth = _of_messages(spec, paths) if word == MESSAGES else _of_list(spec, paths)
        if growth is None:
            raise SelectionError(
                f"{SWEEPS} {SIZE}: no message of {spec.id} has a list with an item; expected "
                f"{MESSAGES}, or a workload with a list to make longer"
            )
        languages = [*_traits_of(chosen).values()]
        if asked:
            _refuse_too_many(asked, growth, spec, languages)
        sizes = asked or sizes_of(growth.unit_bytes, languages, machine or describe_machine())
        is_single = word == MESSAGES and dataset_for(spec, paths).messages == 1
        for number in (each for each in sizes.numbers if each > 1 or not is_single):
            made = parse_spec(f"{spec.id}/{growth.change}{number}", known)
            specs[made.id] = made
        if word == SIZE or not asked:
            told.append(f"{spec.id}: up to {sizes.numbers[-1]:,} {growth.counted}, {sizes.why}")
    return replace(chosen, workloads=list(specs.values())), told


def _refuse_too_many(asked: Sizes, growth: _Growth, spec: WorkloadSpec, languages: Sequence[Traits]) -> None:
    """Raise SelectionError where more is asked for than a process is foreseen to hold."""
    for traits in languages:
        resident = traits.typical.resident * max(growth.unit_bytes, 1.0)
        most = max(1, int(MOST_BYTES / resident))
        if asked.numbers[-1] > most:
            raise SelectionError(
                f"{SWEEPS}: found {asked.numbers[-1]:,} {growth.counted} of {spec.id}; expected at most "
                f"{most:,}, with which a process of {traits.title} is foreseen to take "
                f"{MOST_BYTES >> 30} GiB of memory"
            )


def _asked(text: str) -> tuple[str, Sizes | None]:
    """The word of a sweep, and the numbers that it is asked for with; None where it has none."""
    word, equals, numbers = text.partition("=")
    is_known = word in (MESSAGES, SIZE)
    if not is_known or (equals and not re.fullmatch(r"[1-9]\d{0,8}(,[1-9]\d{0,8})*", numbers)):
        expected = f"{MESSAGES}, {SIZE}, or one of them with numbers, such as {MESSAGES}=1,64,4096"
        raise SelectionError(f"{SWEEPS}: found '{text}', expected {expected}")
    wanted = sorted({int(each) for each in numbers.split(",")}) if equals else []
    return word, Sizes(wanted, "as asked for") if wanted else None


def _traits_of(chosen: Chosen) -> dict[str, Traits]:
    """The traits of each language that is measured."""
    return {variant.codec.language: variant.codec.traits for variant in chosen.variants}


def sizes_of(unit_bytes: float, languages: Sequence[Traits], machine: Machine) -> Sizes:
    """Return the numbers of a sweep.

    Args:
        unit_bytes: the canonical bytes by which one more makes the data longer: of a message on the average,
            or of an item in each list.
        languages: the traits of all languages that are measured; the same numbers are measured with each.
    """
    caches = machine.data_caches
    name, cache = [*caches.items()][-1] if caches else ("", _UNKNOWN_CACHE)
    target = max(BEYOND * cache / max(unit_bytes, 1.0), 1.0)
    ends = [(_power_from(target), f"{BEYOND} times the last cache ({name})" if name else "128 MiB")]
    for traits in languages:
        typical = traits.typical
        resident = RESIDENT_BYTES / (typical.resident * max(unit_bytes, 1.0))
        passes = PASS_S * 1e9 / (typical.pass_ns * max(unit_bytes, 1.0))
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
