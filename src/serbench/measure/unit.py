"""Units: programs are built for a unit, and processes measure it. This is a unit from when it is chosen until
it is verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from serbench.codecs.codec import Variant
from serbench.dataset.file import Dataset
from serbench.measure.events import Status
from serbench.measure.identity import Identity
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.system.files import Count, Name, Text
from serbench.workload import WorkloadSpec


@dataclass(frozen=True)
class Verification:
    """The result of verifying a unit, or first of its round trips alone: the part that measures no times, so
    it can be done while other programs are still being built.

    Attributes:
        ok: whether the contract holds.
        reason: the failure and its place; empty if nothing failed.
        size_bytes: bytes of all encoded messages, counted by us in what the decoding process was given.
        operations: the operations that the runner offers.
        checked: the paths that were compared, such as ``edge decode_fast:fresh``.
        views: the operations that are constant-time views, where that was looked at.
        signal: the signal that killed the runner; 0 if none did.
        edits: whether values change while its runner measures.
        growth: the cells that take more memory with every pass, by name, each with the bytes that a pass
            adds.
        suspected: the cell or operation that failed by its times alone; empty where something else failed.
        seen: check that a codec declares → whether malformed messages show it, None where they tell nothing;
            empty where that was not tried.
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


@dataclass(frozen=True, eq=False)
class Unit:
    """One codec variant × workload, with a compiler where its language has several. Each step gives the next
    one a unit with what it adds: building adds ``command``, verification ``verification``, and linking
    ``layouts``. Or it gives a unit that says why it came no further.

    Attributes:
        data: the workload's messages; ``edge`` are edge values of its types, as far as the codec can do them.
        compiler: the toolchain's name where its language has several; empty where there is one.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not
            ``ok``.
        measured: the operations that are going to be measured, where verification need not watch and time
            passes of others; empty where it does so with all.
        command: starts its runner; empty where there is none.
        silence_limit_s: seconds for which its runner may say nothing.
        round_trips: None where they are left to the verification.
        verification: None where it was not verified.
        layouts: the commands that start its program in each of its layouts, where it was linked in several.
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

    @property
    def identity(self) -> Identity:
        return Identity(self.variant.id, self.spec.id, self.compiler)

    @property
    def name(self) -> str:
        return self.identity.name

    @property
    def pair(self) -> tuple[Variant, str]:
        """The variant and the workload's name, for which toolchains build programs: units of one workload
        with other parameters have the same."""
        return (self.variant, self.spec.workload.name)

    @property
    def package(self) -> tuple[str, str]:
        """The names of the pair, by which toolchains report what did not build."""
        return (self.variant.id, self.spec.workload.name)

    @property
    def failure(self) -> str:
        """Status and reason where it came no further; empty where it did."""
        return "" if self.status == "ok" else f"{self.status.replace('_', ' ')}: {self.reason}"

    def offers(self, operation: str) -> bool:
        """Whether its runner, once verified, said that it can do it."""
        return self.verification is not None and operation in self.verification.operations
