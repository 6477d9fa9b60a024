"""The traits of a language that core has to know in order to plan, measure and report. They are plain data,
which the language itself declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WarmUp:
    """How the runner of a language with a JIT compiler warms up; each round takes seconds for each cell.

    Attributes:
        cells_of_a_process: how many cells share a process that is measured.
        start_s: seconds to start such a process and the runner.
        sample_s: seconds of the shortest sample, with its pause.
        longest_ns: the longest warm-up of a cell if none is given.
        settling_ns: the shortest warm-up in which one can see that times have settled; a shorter one only
            lets everything be compiled once.
        shortest_ns: the runner ends no warm-up before this.
    """

    cells_of_a_process: int
    start_s: float
    sample_s: float
    longest_ns: int
    settling_ns: int
    shortest_ns: int


@dataclass(frozen=True)
class Typical:
    """Seconds that a language's programs take on a machine that has nothing else to do and on which serbench
    has not built any yet; a rough guess, which is corrected by what each machine takes.

    Attributes:
        ready_s: until the toolchain and the libraries are there, where they have to be fetched.
        again_s: until it is found that there is nothing to build.
        build_s: to build a program, on one core.
        verify_s: to verify it for the operations of the headline and to link its layouts, on one core.
    """

    ready_s: float = 5.0
    again_s: float = 2.0
    build_s: float = 5.0
    verify_s: float = 1.0


@dataclass(frozen=True)
class Traits:
    """The traits of a language that measuring depends on.

    Attributes:
        title: the language's name in a sentence.
        interpreted: whether programs run as they are written, so that they are there before any that have to
            be compiled.
        in_batches: whether the build tool starts so quickly that a few programs may be built before the
            others, where somebody waits for the first ones.
        one_executable: whether a runner is one executable that needs nothing beside it, so that each process
            can run a copy of it (measure/placement.py).
        quick_looks: whether a process that takes times starts at once, so that verification can look at how
            times grow.
        warm_up: None for compiled languages, whose cells have their full speed at once.
        no_figure: figure of ``measure/footprint.py`` that the language cannot have → why.
        tells_allocated_bytes: whether samples say how many bytes were allocated, though not in how many
            pieces.
        typical: the times that its programs take on a machine of which nothing is known.
    """

    title: str
    interpreted: bool = False
    in_batches: bool = True
    one_executable: bool = False
    quick_looks: bool = True
    warm_up: WarmUp | None = None
    no_figure: Mapping[str, str] = field(default_factory=dict)
    tells_allocated_bytes: bool = False
    typical: Typical = Typical()
