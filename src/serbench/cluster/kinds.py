"""Finds which workers are separate machines, and of which kind each is: by their properties, not by their
names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256

from serbench.cluster.messages import Announced
from serbench.errors import SelectionError

_TOLD = (
    "architecture", "processor", "vendor", "family", "model", "stepping", "microarchitecture", "caches",
    "virtual", "c_library",
)  # fmt: skip
"""The attributes of a machine that define its kind, besides the cores, quota and memory that a worker may
use."""

_GIB = 1 << 30


@dataclass(frozen=True)
class ClusterMachine:
    """A machine of a cluster.

    Attributes:
        name: unique in the cluster.
        kind: the name of its kind, which tells it from the other kinds in the cluster.
        kind_id: a digest that all machines of the kind have, in any cluster.
        address: the address of the worker that measures on it.
    """

    name: str
    kind: str
    address: str
    announced: Announced
    kind_id: str = ""


def cores_of(members: Iterable[ClusterMachine]) -> tuple[int, ...]:
    """Return all cores that these machines, which are workers on one computer, may use."""
    return tuple(sorted({core for member in members for core in member.announced.cores}))


def places_of(members: Iterable[ClusterMachine]) -> dict[str, list[list[ClusterMachine]]]:
    """Return the machines by the name of their kind, in groups of those that build in one folder."""
    kinds: dict[str, dict[tuple[str, str], list[ClusterMachine]]] = {}
    for member in members:
        folder = (member.announced.host, member.announced.home)
        kinds.setdefault(member.kind, {}).setdefault(folder, []).append(member)
    return {kind: list(places.values()) for kind, places in kinds.items()}


def members_of(announced: Mapping[str, Announced]) -> list[ClusterMachine]:
    """Return the machines of a cluster, from the announcement of the worker at each address.

    Workers on one computer are separate machines only where they share no core; of several that do, the one
    with the first address measures.
    """
    chosen: dict[str, Announced] = {}
    taken: dict[str, set[int]] = {}
    for address in sorted(announced):
        own = announced[address]
        known = own.host in taken
        cores = taken.setdefault(own.host, set())
        if own.host and (cores & set(own.cores) or (not own.cores and known)):
            continue
        cores.update(own.cores)
        chosen[address] = own
    names, kinds = _names(chosen), named_kinds(chosen.values())
    found = [
        ClusterMachine(names[each], kinds[_kind(own)], each, own, _digest(_kind(own)))
        for each, own in chosen.items()
    ]
    return sorted(found, key=lambda member: (member.kind, member.name))


def _names(chosen: Mapping[str, Announced]) -> dict[str, str]:
    """Return a name for each address: its computer's name, with the worker's first core where it may not use
    all of them, and with the beginning of the computer's number where other computers have its name."""
    hosts = {(each.name, each.host) for each in chosen.values()}
    same_name = Counter(name for name, _ in hosts)
    names = {}
    for address, each in chosen.items():
        name = re.sub(r"[^\w.+-]", "-", each.name).strip(".-") or "machine"
        if same_name[each.name] > 1:
            name += f"-{re.sub(r'[^0-9a-f]', '', each.host.lower())[:6]}"
        if each.cores and len(each.cores) < (each.machine.cores or 0):
            name += f"-core{min(each.cores)}"
        names[address] = name
    return names


Kind = tuple[tuple[str, str], ...]
"""The attributes that machines of one kind have in common, each with its value as text."""


def _kind(one: Announced) -> Kind:
    values = {name: getattr(one.machine, name) for name in _TOLD}
    memory = one.machine.memory_bytes
    values["cores"] = len(one.cores) or one.machine.cores
    values["quota"] = None if one.quota is None else f"{one.quota:g}"
    values["memory"] = None if memory is None else f"{round(memory / _GIB)} GiB"
    return tuple((name, "" if value is None else str(value)) for name, value in values.items())


def _digest(kind: Kind) -> str:
    return sha256(repr(kind).encode()).hexdigest()[:16]


def named_kinds(machines: Iterable[Announced]) -> dict[Kind, str]:
    """Return a name for each kind: its microarchitecture, and where several kinds have the same, the
    attributes in which they differ."""
    kinds = sorted({_kind(one) for one in machines})
    titles = {
        kind: dict(kind)["microarchitecture"] or dict(kind)["architecture"] or "machine" for kind in kinds
    }
    names = {}
    for kind in kinds:
        alike = [dict(other) for other in kinds if titles[other] == titles[kind]]
        own = dict(kind)
        telling = [name for name in own if len({other[name] for other in alike}) > 1]
        told = ", ".join(f"{name.replace('_', ' ')} {own[name] or 'none'}" for name in telling)
        name = f"{titles[kind]} ({told})" if told else titles[kind]
        names[kind] = name.replace("/", "|")  # RUN/KIND is a name too
    return names


def matching(members: Sequence[ClusterMachine], pattern: str | None) -> list[ClusterMachine]:
    """Return the machines that ``--machines`` selects, by patterns of their kind, microarchitecture,
    architecture or name, with ``or`` between them; all machines without a pattern. Raise SelectionError where
    there is none."""
    if not members:
        raise SelectionError("the cluster has no workers")
    if pattern is None:
        return list(members)
    wanted = [each.strip().lower() for each in re.split(r"\s+or\s+", pattern.strip())]
    found = [
        member
        for member in members
        if any(fnmatchcase(name.lower(), each) for each in wanted for name in _called(member))
    ]
    if not found:
        known = ", ".join(sorted({member.kind for member in members}))
        raise SelectionError(f"--machines: found '{pattern}', which no machine matches; kinds: {known}")
    return found


def _called(member: ClusterMachine) -> list[str]:
    machine = member.announced.machine
    names = (member.kind, machine.microarchitecture, machine.architecture, member.name)
    return [name for name in names if name]
