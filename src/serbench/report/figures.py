"""Rows of tables: the codec variant and operation of each, and the figures of every metric but time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.measure.events import UnitEvent
from serbench.stats.summary import Interval

_DECIMALS = {"ratio": 5, "coverage": 4}
"""Digits behind the point in JSON, by the last word of a value's name; three for all others."""


@dataclass(frozen=True)
class Entry:
    """A codec variant with one workload and operation (and compiler) of a run, measured or not.

    Attributes:
        operation: empty, as is ``memory``, in a metric that has no operations.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``, and ``waiting`` while it is still to
            be measured; ``reason`` says why it is not ``ok``.
        compiler: empty where its language has one only.
    """

    codec: str
    workload: str
    operation: str = ""
    memory: str = ""
    status: str = "ok"
    reason: str = ""
    compiler: str = ""

    @property
    def name(self) -> str:
        """The contender in a table: the codec variant, and the compiler where there are several."""
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def cell(self) -> str:
        """The operation with its memory policy, such as ``serialize:reuse``."""
        return f"{self.operation}:{self.memory}"

    def to_json(self) -> dict[str, Any]:
        """The row in plain values for ``--format json``: its names, its status, and why it has no figures."""
        unit = {"codec": self.codec, "workload": self.workload, "compiler": self.compiler}
        return {**unit, **self.place(), "reason": self.reason}

    def place(self) -> dict[str, Any]:
        """The operation, memory policy and status, as they are in JSON; empty without an operation."""
        cell = {"operation": self.operation, "memory": self.memory, "status": self.status}
        return cell if self.operation else {}


@dataclass(frozen=True, kw_only=True)
class Figures(Entry):
    """The figures of an entry by a metric other than time, such as compile time.

    Attributes:
        values: the figures by their names in JSON, which end with their units; times are intervals.
            ``no_NAME`` says why NAME is missing.
        apart: whether it does not compete.
        takes: the single values whose median the figure is; empty where it is no median.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    apart: bool = False
    takes: Sequence[float] = ()

    def to_json(self) -> dict[str, Any]:
        """The row in plain values for ``--format json``, without figures that are missing."""
        data = super().to_json()
        for name, value in self.values.items():
            stem, _, unit = name.rpartition("_")
            if isinstance(value, Interval):
                data[name] = _short(value.estimate, unit)
                data[f"{stem}_interval_{unit}"] = [_short(value.low, unit), _short(value.high, unit)]
            else:
                data[name] = _short(value, unit) if isinstance(value, float) else value
        return data


def _short(value: float, unit: str) -> float:
    return value if unit == "s" else round(value, _DECIMALS.get(unit, 3))


def outcome_of(unit: UnitEvent | None, operation: str) -> tuple[str, str]:
    """The status of an operation of ``unit``, which is None if not verified yet, and the reason for it."""
    if unit is None:
        return "failed", "the run stopped before this codec was verified"
    if unit.status == "ok" and operation not in unit.operations:
        return "unsupported", f"offers no {operation}"
    return unit.status, unit.reason
