"""The traits of a language that planning, measuring and reporting depend on. They are plain data, which the
language itself declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WarmUp:
    """How the runner of a language with a JIT compiler warms up, which takes seconds for each cell in each
    round.

    Attributes:
        cells_of_a_process: how many cells one measuring process shares.
        start_s: seconds to start such a process and the runner.
        least_batches: the batches of passes that a warm-up has at least if times are to be seen to settle,
            however long a pass takes.
        runner_s: the part of them for a runner that only starts others; single calls are timed without it.
        sample_s: seconds of the shortest sample, with its pause.
        longest_ns: the longest warm-up of a cell if none is given.
        settling_ns: the shortest warm-up in which one can see that times have settled; a shorter one only
            lets everything be compiled once.
        shortest_ns: the shortest warm-up that the runner allows.
    """

    cells_of_a_process: int
    start_s: float
    sample_s: float
    longest_ns: int
    settling_ns: int
    shortest_ns: int
    least_batches: int = 10
    runner_s: float = 0.0


@dataclass(frozen=True)
class Typical:
    """Seconds that a language's programs take on an idle machine on which serbench has built nothing yet; a
    rough guess, which is corrected by how long each machine takes.

    Attributes:
        ready_s: to get the toolchain and the libraries, where they have to be fetched.
        again_s: to find that there is nothing to build.
        build_s: to build a program, on one core.
        verify_s: to verify it for the operations of the headline and to link its layouts, on one core.
        pass_ns: a pass over many messages, in nanoseconds for each canonical byte.
        made_ns: to make messages ready before the first pass, and to judge what passes leave of them, in
            nanoseconds for each canonical byte.
        sample_s: a sample, if that is longer than asked for, since the garbage of passes is collected in it.
        resident: the memory that a measuring process takes for each canonical byte.
        start_s: to start a measuring process and to take in what it says, where no code is compiled in it
            (``WarmUp`` has the other ones).
        weigh_s: to build and weigh what a program carries for a codec, and to take the licences from it.
    """

    ready_s: float = 5.0
    again_s: float = 2.0
    build_s: float = 5.0
    verify_s: float = 1.0
    pass_ns: float = 2.0
    made_ns: float = 15.0
    sample_s: float = 0.0
    resident: float = 5.0
    start_s: float = 0.02
    weigh_s: float = 1.0


@dataclass(frozen=True)
class Traits:
    """The traits of a language that measuring depends on.

    Attributes:
        title: the language's name in a sentence.
        interpreted: whether programs run without being compiled, so that they are ready before those that
            have to be.
        in_batches: whether the build tool starts so quickly that a few programs may be built before the
            others, where somebody waits for the first ones.
        one_executable: whether a runner is one executable that needs no other file, so that each process can
            run a copy of it (measure/placement.py).
        quick_looks: whether a process that takes times starts quickly, so that verification can look at how
            times grow.
        warm_up: None for compiled languages, whose cells have their full speed at once.
        ordered_maps: whether maps of domain types keep the order in which entries were put in, so that equal
            maps can differ in it; the runner reads entries of a dataset in any order.
        no_figure: figure of ``measure/footprint.py`` or ``threads`` that the language cannot have → why.
        tells_allocated_bytes: whether samples report how many bytes were allocated, though not in how many
            pieces.
        shares: whether its runner can have all threads use one adapter (``--shared``).
        shares_texts: whether objects share texts, so that to copy one takes no longer for a longer text.
        updates: whether its programs can change values in messages (the operation ``update``).
        typical: the times that its programs take on a machine of which nothing is known.
    """

    title: str
    interpreted: bool = False
    in_batches: bool = True
    one_executable: bool = False
    quick_looks: bool = True
    warm_up: WarmUp | None = None
    ordered_maps: bool = False
    no_figure: Mapping[str, str] = field(default_factory=dict)
    tells_allocated_bytes: bool = False
    shares: bool = False
    shares_texts: bool = False
    updates: bool = False
    typical: Typical = Typical()

    def processes(self, cells: int) -> int:
        """Return how many processes measure so many cells of a program."""
        return -(-cells // self.warm_up.cells_of_a_process) if self.warm_up else 1

    @property
    def judge_s(self) -> float:
        """Seconds to start a process that judges what others left, and that measures nothing."""
        return (self.warm_up and self.warm_up.runner_s) or self.start_s

    @property
    def start_s(self) -> float:
        """The seconds to start a measuring process."""
        return self.warm_up.start_s if self.warm_up else self.typical.start_s
