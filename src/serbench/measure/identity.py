"""The identity of a unit: the names by which users, journals, tables and other machines know it.

Programs are known by digests of what they are made of (``cluster/programs.py``, ``verification/kept.py``),
and its packages by the workload's name without parameters (``Unit.pair``).
"""

from __future__ import annotations

from typing import NamedTuple


class Identity(NamedTuple):
    """The names of a codec variant, a workload with its parameters, and the compiler where the language has
    several."""

    codec: str
    workload: str
    compiler: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields by which an event says which unit it is about."""
        return self._asdict()

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several."""
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def title(self) -> str:
        """The codec variant and the workload, for messages in which the compiler does not matter."""
        return f"{self.codec} × {self.workload}"
