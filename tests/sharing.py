"""A made-up cluster whose machines are of one kind and differ only in their clocks, and the runs whose cells
these machines share."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
from tests.fake_cluster import ORDER, FakePool, announced
from tests.support import raw_events
from tests.test_cluster import PLAN
from tests.test_pipeline import Quiet, make_run

from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import Reply, Took
from serbench.measure.identity import Identity
from serbench.measure.parts import name_of, parts_of, shown_parts
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process
from serbench.measure.store import Journal, Run, create_run
from serbench.report.rows import rows_of

CODECS = tuple(f"fake/{name}" for name in "abcdef")
LINKS = CODECS[:2]
UNITS = [Identity(codec, "fake") for codec in CODECS]
CELLS = 3
"""The number of cells that each unit has."""


@dataclass
class Alike(FakePool):
    """A made-up cluster whose machines differ in speed: the time of a sample is the time of the codec,
    multiplied by the factor of the machine and by noise.

    Attributes:
        factors: address → the factor by which all times on this machine are longer.
        noise: the standard deviation of the logarithm of a process's time.
    """

    factors: dict[str, float] = field(default_factory=dict)
    noise: float = 0.0

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        answer = super().ask(address, question, data)
        if question != "measure":
            return answer
        process = msgspec.json.decode(data, type=Process)
        reply = msgspec.json.decode(answer, type=Reply)
        took = msgspec.json.decode(reply.value, type=Took)
        place = next(
            int(word)
            for before, word in zip(process.command, process.command[1:], strict=False)
            if before == "--place"
        )
        own = self.factors.get(address, 1.0) * random.Random(f"{place}/{address}").lognormvariate(
            0, self.noise
        )
        for sample in took.samples:
            sample["elapsed_ns"] = round(sample["elapsed_ns"] * own)
        return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(took))))


def fleet(count: int, factors: Sequence[float] = ()) -> Alike:
    addresses = [f"tcp://{n}" for n in range(count)]
    return Alike(
        {address: announced(f"box{n}") for n, address in enumerate(addresses)},
        factors=dict(zip(addresses, factors, strict=False)),
    )


def head(directory: Path, links: tuple[str, ...] = LINKS) -> Run:
    made = make_run(directory, list(CODECS)).manifest
    manifest = msgspec.structs.replace(made, cluster="tcp://scheduler:1", links=links)
    return create_run(directory, msgspec.to_builtins(manifest))


def measure(pool: FakePool, run: Run, said: list[str] | None = None, plan: Plan = PLAN) -> None:
    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return replace(plan, tasks=tasks)

    order = msgspec.structs.replace(ORDER, codecs=CODECS)
    with Journal(run) as journal:
        tell: Callable[[str], None] = (said if said is not None else []).append
        of_all = Measuring(pool, order, run, journal, tell)
        of_all.measure(of_all.prepare(pool.members(), plan_of, Quiet()), Quiet())


def rounds_of(run: Run) -> dict[str, Counter[int]]:
    """Codec → each round in which it was measured, with the number of machines that measured it."""
    found: dict[str, set[tuple[int, str]]] = {codec: set() for codec in CODECS}
    for part in parts_of(run):
        for event in raw_events(part):
            if event["event"] == "sample":
                found[event["codec"]].add((event["round"], name_of(part)))
    return {codec: Counter(number for number, _ in own) for codec, own in found.items()}


def ratios_of(run: Run) -> list[float]:
    (kind,) = shown_parts(run)
    return [row.ratio.estimate for row in rows_of(kind) if row.ratio]
