"""The identity of a unit: what a user reads of it, by which journals, tables and other machines know it too.

Its programs are known by what they are made of (``cluster/programs.py``, ``verification/kept.py``), and its
packages by the name of the workload, for which toolchains generate them (``Unit.pair``).
"""

from __future__ import annotations

from typing import NamedTuple


class Identity(NamedTuple):
    """Codec variant, workload with its parameters, and the compiler where the language has several."""

    codec: str
    workload: str
    compiler: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields by which every event says that it is about this unit."""
        return self._asdict()

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several."""
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def title(self) -> str:
        """The codec variant and the workload, for people to whom the compiler does not matter."""
        return f"{self.codec} × {self.workload}"
