"""The description of a unit, to which each step adds: choosing, building, verifying. A program is built for
each unit, and processes measure it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from serbench.codecs.codec import Variant
from serbench.dataset.file import Dataset
from serbench.measure.events import Status
from serbench.measure.identity import Identity
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.model import Updates
from serbench.system.files import Count, Name, Text
from serbench.workload import WorkloadSpec


@dataclass(frozen=True)
class Verification:
    """The result of verifying a unit, or of its round trips alone: these measure no times, so they can be
    made while other programs are still being built.

    Attributes:
        ok: whether the timing contract holds.
        reason: the failure and its place; empty if nothing failed.
        size_bytes: the bytes of all encoded messages, counted in what the decoding process was given.
        operations: the operations that the runner offers.
        checked: the ways of encoding and decoding that were compared, such as ``edge decode_fast:fresh``.
        views: the operations that are constant-time views, where these were looked for.
        signal: the signal that killed the runner; 0 if none did.
        edits: whether the runner can change values of its messages while it measures.
        growth: cells whose memory grows with every pass → the bytes that a pass adds.
        suspected: the cell or operation that failed only by its times; empty where something else failed.
        seen: check that a codec declares → whether malformed messages confirm it (None where they tell
            nothing); empty where that was not tried.
    """

    ok: bool
    reason: Text
    size_bytes: Count = 0
    messages: Count = 0
    operations: tuple[Name, ...] = ()
    checked: tuple[Name, ...] = field(default=())
    views: tuple[Name, ...] = ()
    signal: Count = 0
    edits: bool = False
    growth: Mapping[Name, Count] = field(default_factory=dict)
    suspected: Text = ""
    seen: Mapping[Name, bool | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Given:
    """The files from which a program reads messages that another program wrote.

    Attributes:
        encoded: the bytes of each message, and behind them those of each message with an edit in force.
        edits: the values that change while they are measured; None where no value changes.
        judge: starts the program that decodes what passes leave; empty for the one that is measured.
        updates: the parts of types in which passes change values.
    """

    encoded: str
    edits: str | None
    judge: tuple[str, ...] = ()
    updates: Updates = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Unit:
    """One codec variant with one workload, and with a compiler where its language has several. Each step
    returns the unit with what the step adds: building adds ``command``, verification ``verification``, and
    linking ``layouts``. Where a step fails, ``status`` and ``reason`` say why.

    Attributes:
        data: the workload's messages; ``edge`` are edge values of its types that the codec supports.
        compiler: the toolchain's name where the language has several; else empty.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not
            ``ok``.
        measured: the operations that will be measured, so that verification need not watch and time others;
            empty for all.
        command: starts the runner; empty before it is built.
        silence_limit_s: the seconds for which the runner may print nothing.
        round_trips: the result of the round trips if they were made before the rest of the verification; else
            None.
        verification: None before the unit is verified.
        layouts: the commands that start the program in each of its layouts, where it was linked in several.
        way: how the program reads or changes a part of messages that another program wrote, where it does
            (``codecs/codec.py``); ``way_reason`` says why it has to read everything.
        unchecked: whether it accepts text that is no UTF-8 in what it passes over, though it refuses such
            text in what it reads.
        given: the messages of that other program; None where the unit reads what it wrote itself.
        program: the name of the workload whose program the unit uses; empty for that of ``spec``.
    """

    variant: Variant
    spec: WorkloadSpec
    data: Dataset
    edge: Dataset
    compiler: str = ""
    status: Status = "ok"
    reason: str = ""
    measured: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    silence_limit_s: float = SILENCE_LIMIT_S
    round_trips: Verification | None = None
    verification: Verification | None = None
    layouts: tuple[tuple[str, ...], ...] = ()
    way: str = ""
    way_reason: str = ""
    unchecked: bool = False
    given: Given | None = None
    program: str = ""

    @property
    def identity(self) -> Identity:
        return Identity(self.variant.id, self.spec.id, self.compiler)

    @property
    def name(self) -> str:
        return self.identity.name

    @property
    def pair(self) -> tuple[Variant, str]:
        """The variant and the workload's name, for which a toolchain builds one program: units of one
        workload with other parameters share it."""
        return (self.variant, self.program or self.spec.workload.name)

    @property
    def package(self) -> tuple[str, str]:
        """The names of ``pair``, by which toolchains report what did not build."""
        return (self.variant.id, self.program or self.spec.workload.name)

    @property
    def failure(self) -> str:
        """Status and reason of a unit that failed in some step; empty for one that did not."""
        return "" if self.status == "ok" else f"{self.status.replace('_', ' ')}: {self.reason}"

    def offers(self, operation: str) -> bool:
        """Whether the runner of a verified unit says that it can do this operation."""
        return self.verification is not None and operation in self.verification.operations
