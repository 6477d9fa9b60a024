"""Translates runs of an earlier version to the operations of today.

Up to version 3 of the manifest, operations of these names meant something else:

- ``roundtrip`` began with native objects that were built before the clock: today's ``native_roundtrip``;
- ``decode_traverse`` and ``decode_walk`` took ``decode_fast`` where the codec offers it: today's
  ``decode_fast_traverse`` and ``decode_fast_walk``, and the checked ones where it does not.

What was measured under ``fresh`` keeps its name, though it cost more (``NOTE``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from serbench.measure.composed import views_by_their_parts
from serbench.measure.events import Event, Footprints, OfCell, Sample, UnitEvent
from serbench.measure.manifest import Manifest

LAST_VERSION = 3
"""The last version of the manifests that are translated."""

NOTE = (
    "This run was made by an earlier serbench: its roundtrip, decode_traverse and decode_walk are "
    "shown under their names of today. Its fresh figures cannot be compared with those of later "
    "runs, since it made both encoder and decoder anew for each message, though only one of them is needed."
)

_RENAMED = {"roundtrip": "native_roundtrip"}
_RENAMED_WITH_FAST = {
    **_RENAMED,
    "decode_traverse": "decode_fast_traverse",
    "decode_walk": "decode_fast_walk",
}


def tell_manifest(manifest: Manifest) -> Manifest:
    """Rename the operations of an old manifest to today's names, in place; return the manifest. Where one old
    name stands for two operations, depending on the codec, both are listed."""
    manifest.operations = _both(manifest.operations)
    return manifest


def tell_events(events: Iterable[Event]) -> Iterator[Event]:
    """Rename the operations of old events, of every metric, to today's names, in place; yield the events."""
    renamed: dict[tuple[str, str, str], Mapping[str, str]] = {}
    for event in events:
        match event:
            case UnitEvent():
                names = _RENAMED_WITH_FAST if "decode_fast" in event.operations else _RENAMED
                renamed[event.identity] = names
                event.operations = tuple(names.get(each, each) for each in event.operations)
                views = {names.get(each, each) for each in event.views}
                event.views = tuple(sorted(views | views_by_their_parts(views)))
            case Footprints():
                event.operations = _both(event.operations)
            case Sample() | OfCell():
                event.operation = renamed.get(event.identity, _RENAMED).get(event.operation, event.operation)
        yield event


def _both(operations: Iterable[str]) -> tuple[str, ...]:
    """Return old names of operations, each with its memory policy, in today's names; two names where an old
    one stood for both a checked and an unchecked operation."""
    told = []
    for operation in operations:
        name, _, memory = operation.partition(":")
        checked = [name] if name in _RENAMED_WITH_FAST and name not in _RENAMED else []
        told += [f"{each}:{memory}" for each in [*checked, _RENAMED_WITH_FAST.get(name, name)]]
    return tuple(dict.fromkeys(told))
