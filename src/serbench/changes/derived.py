"""Derived workloads: a workload with changes, such as ``orders/drop=lines.note/take=16``.

A derived workload is a workload like any other for every command. Its generated code has the names of the
workload that it is derived from, since codecs write some of them into messages. Where the schema stays the
same, so does the workload, and its programs are used; otherwise the workload has a name of its own for the
folders of its programs, which is made of the digest of the schema, or of both schemas where programs read a
part of another one's messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from serbench.changes.catalogue import OF_MESSAGES, parse_all, word_of
from serbench.changes.change import Convert
from serbench.changes.reading import READ, read_paths
from serbench.changes.updating import UPDATE, updated_paths, updates_of
from serbench.model import Schema
from serbench.system.stamp import sha256_of
from serbench.workload import Workload, WorkloadSpec, parse_workload

MARK = "__"
"""Stands between the name of a workload and the digest of the schema that changes have made of it."""

_NAME = re.compile("[^:/]*")


def name_in(text: str) -> str:
    """Return the name, or the pattern of names, with which the text of a workload begins."""
    return _NAME.match(text)[0]  # type: ignore[index]  # matches every text


def parse_spec(text: str, known: Mapping[str, Workload]) -> WorkloadSpec:
    """Return the workload, with parameters and changes, that a text such as ``record:ids=mixed/drop=ids``
    names.

    Raises:
        SelectionError: there is no such workload, parameter or change, with the most similar names; or the
            schema cannot have a change, with its path and the reason.
    """
    declared, *texts = text.split("/")
    spec = parse_workload(declared, dict(known))
    if texts and (of := _OF_WHOLES.get(word_of(texts[-1]))):
        whole = _changed(spec, texts[:-1]) if texts[:-1] else spec
        return of(whole, texts[-1].partition("=")[2])
    return _changed(spec, texts) if texts else spec


def reading(whole: WorkloadSpec, paths: str) -> WorkloadSpec:
    """Return the workload whose programs read these parts of the messages that programs of ``whole`` write.

    Raises:
        SelectionError: there is no such path, with the most similar ones.
    """
    paths = read_paths(whole.workload.schema, paths, f"{READ}={paths}")
    spec = _changed(whole.declared, [*whole.changes, f"keep={paths}"])
    base, part = whole.workload, spec.workload
    if part.name != base.name:  # else everything is read
        digest = sha256_of(part.schema.digest(), base.schema.digest())
        part = replace(part, name=f"{whole.declared.workload.name}{MARK}{digest[:8]}", whole=base.schema)
    return replace(spec, workload=part, changes=(*whole.changes, f"{READ}={paths}"), whole=whole)


def updating(whole: WorkloadSpec, paths: str) -> WorkloadSpec:
    """Return the workload whose programs change the values at these paths in the messages that programs of
    ``whole`` write.

    Raises:
        SelectionError: there is no such path, with the most similar ones; or no update changes its values.
    """
    base, declared = whole.workload, whole.declared.workload
    paths = updated_paths(paths)
    found = updates_of(base.schema, paths, f"{UPDATE}={paths}")
    parts = sorted(f"{owner}.{part}" for owner, own in found.items() for part in own)
    digest = sha256_of(base.schema.digest(), UPDATE, *parts)
    name = f"{declared.name}{MARK}{digest[:8]}"
    workload = replace(derived(declared, base.schema), name=name, updates=found)
    return replace(whole, workload=workload, changes=(*whole.changes, f"{UPDATE}={paths}"), whole=whole)


_OF_WHOLES = {READ: reading, UPDATE: updating}
"""The word of a workload whose programs are handed another one's messages → the function that makes it."""


def _changed(spec: WorkloadSpec, texts: Sequence[str]) -> WorkloadSpec:
    change = parse_all(texts, spec.workload.schema)

    def changed(messages: Sequence[Any], read: Convert) -> Sequence[Any]:
        return [change.forward(read(each)) for each in change.messages(messages)]

    workload = spec.workload
    if change.new.digest() != workload.schema.digest():
        workload = derived(workload, change.new)
    by_bytes = all(word_of(each) in OF_MESSAGES for each in texts)
    return replace(spec, workload=workload, changes=tuple(texts), changed=changed, by_bytes=by_bytes)


def derived(base: Workload, schema: Schema) -> Workload:
    """Return the workload with this schema in place of its base's, and with a name of its own."""
    return replace(
        base,
        name=f"{base.name}{MARK}{schema.digest()[:8]}",
        root=schema.root,
        also=schema.named,
        walk=schema.walk,
        default=False,
        base=base,
        changes={},
    )
