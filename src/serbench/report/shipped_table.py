"""The bytes, packages and licences that a program carries for a codec: a table for each workload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.measure.cost import SHIPPED
from serbench.measure.events import Shipped, ShippedFailure
from serbench.measure.store import Run
from serbench.report.figures import Figures
from serbench.report.gathering import gathered
from serbench.report.numbers import count
from serbench.report.table import Table, grid

_MOST_LICENCES = 3
"""The licences that a row names; the rest are counted, and ``--format json`` has all."""


def shipped_of(run: Run) -> list[Figures]:
    """The parts that programs carry for the codecs of a run, in the order of their events; then the codecs
    that were not weighed, since they could not be built or verified."""
    if SHIPPED not in run.manifest.metrics:
        return []
    told = {
        event.identity: _figures(event)
        for event in run.taken.costs
        if isinstance(event, Shipped | ShippedFailure) and event.codec in run.manifest.codecs
    }
    others = [
        Figures(event.codec, event.workload, reason=event.reason, compiler=event.compiler)
        for event in run.taken.units.values()
        if event.status != "ok" and event.identity not in told and event.codec in run.manifest.codecs
    ]
    return [*told.values(), *others]


def _figures(event: Shipped | ShippedFailure) -> Figures:
    who = (event.codec, event.workload)
    if isinstance(event, ShippedFailure):
        return Figures(*who, reason=event.reason, compiler=event.compiler)
    values: dict[str, Any] = {f"{name}_bytes": value for name, value in event.bytes.items()}
    values |= {f"no_{name}_bytes": why for name, why in event.missing.items()}
    if event.packages is not None:
        values["shipped_packages"] = event.packages
    values |= {"licences": list(event.licences), "kind": event.kind}
    return Figures(*who, compiler=event.compiler, values=values)


def shipped_tables(run: Run, found: Sequence[Figures], names: dict[str, str]) -> list[Table]:
    """A table for each workload: things of one kind below each other, the least bytes first.

    Args:
        names: the names that a suite has for codecs.
    """
    tables = []
    for workload, own in gathered((each.workload, each) for each in found).items():
        kinds = list(gathered((each.values.get("kind", ""), each) for each in own))
        columns = [*gathered((name, each) for each in own for name in each.values if _is_shown(name))]
        heads = [name.removesuffix("_bytes").replace("_", "\n") for name in columns]

        def cells(each: Figures, _: str, columns: Sequence[str] = columns) -> list[str]:
            return [
                *(count(each.values.get(name)) for name in columns),
                count(each.values.get("shipped_packages")),
                _licences(each.values.get("licences", ())),
            ]

        table = grid(
            f"{workload}: bytes that a program carries",
            {"": lambda each: " ".join(filter(None, (names.get(each.codec, each.codec), each.compiler)))},
            sorted(own, key=lambda each: _place(each, kinds)),
            [""],
            lambda _, heads=heads: [*heads, "packages", "licences"],  # type: ignore[misc]
            cells,
            texts=(0, len(heads) + 2),
            notes=_notes(own),
        )
        tables.append(table)
    return tables


def _is_shown(name: str) -> bool:
    return name.endswith("_bytes") and not name.startswith("no_")


def _place(each: Figures, kinds: Sequence[str]) -> tuple[float, ...]:
    """The place of a row: those without a figure come last."""
    bytes = each.values.get(f"{SHIPPED}_bytes")
    return (bytes is None, kinds.index(each.values.get("kind", "")), bytes or 0)


def _licences(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LICENCES
    return ", ".join([*names[:_MOST_LICENCES], *([f"{more} more"] if more > 0 else [])]) or "–"


def _notes(own: Sequence[Figures]) -> list[str]:
    """The notes on rows without figures, and on the thing that is weighed for each language."""
    missing = [f"{each.name}: {each.reason}" for each in own if each.reason]
    lacking = gathered(
        ((name.removeprefix("no_").removesuffix("_bytes"), value), each.name)
        for each in own
        for name, value in each.values.items()
        if name.startswith("no_")
    )
    missing += [f"{name}: {', '.join(who)}: {why}" for (name, why), who in lacking.items()]
    kinds = gathered((each.values["kind"], each.codec.partition("/")[0]) for each in own if each.values)
    weighed = [f"{', '.join(dict.fromkeys(who))}: {kind}." for kind, who in kinds.items()]
    return [*missing, *weighed, "packages: the library and those that it needs; licences as these name them."]
