"""What core has to know of a language in order to plan, measure and tell: plain data, declared by the
language itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WarmUp:
    """How the runner of a language with a JIT compiler warms up; its rounds cost seconds a cell.

    Attributes:
        cells_of_a_process: those that share a process which is measured.
        start_s: of such a process, with that of the runner.
        sample_s: the shortest sample with its pause.
        longest_ns: that a cell has at most where none is given.
        settling_ns: what it takes at least to see that times have settled; a warm-up that ends before is of
            no more use than to let everything be compiled once.
        shortest_ns: the runner ends none before.
    """

    cells_of_a_process: int
    start_s: float
    sample_s: float
    longest_ns: int
    settling_ns: int
    shortest_ns: int


@dataclass(frozen=True)
class Traits:
    """What a language's cells are to whoever measures them.

    Attributes:
        title: the language in a sentence.
        one_executable: a runner is one executable without anything beside it, so that each process can be a
            copy of it (measure/placement.py).
        quick_looks: a process that takes times starts at once, so that verification can look at how times
            grow.
        warm_up: None for compiled languages, whose cells are as fast at first as ever.
        no_figure: the figures of ``measure/footprint.py`` that there are not, and why.
        tells_allocated_bytes: samples say what was allocated, though not in how many pieces.
    """

    title: str
    one_executable: bool = False
    quick_looks: bool = True
    warm_up: WarmUp | None = None
    no_figure: Mapping[str, str] = field(default_factory=dict)
    tells_allocated_bytes: bool = False
