"""Workers of Dask on machines that there are not: many in one process, each with a connection, an address and
a thread of its own.

``python -m tests.simulated_workers SCHEDULER FIRST COUNT FAILING LATENCY_S`` starts those of the machines
FIRST to FIRST + COUNT - 1 and stays until it is killed. A worker does with a question what ``answer`` does;
all else of it is Dask's.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import dask
from distributed import Worker, get_worker
from tests.simulated_fleet import Died, Simulated

OWN = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.admin.tick.interval": "1s",
}
"""Settings against the work that a worker does many times in a second for itself. On a machine of its own
that disturbs nobody; here, a thousand workers would do nothing else. Heartbeats stay as they are."""


BACK_S = 2.0
"""Seconds after which a worker is started again, about those that Dask's nanny needs."""


@dataclass
class Host:
    """The simulated machines of this process, and the worker that each has now, by their names.

    Attributes:
        latency_s: the mean of the exponentially distributed seconds that a measurement takes.
    """

    scheduler: str
    latency_s: float
    machines: dict[str, Simulated] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    starting: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self, machine: Simulated) -> None:
        """Starts a worker for a machine, and comes back once the scheduler knows it."""
        name = machine.own.name
        worker = Worker(
            self.scheduler, name=name, host="127.0.0.1", nthreads=1, memory_limit=0, dashboard=False
        )
        self.machines[name], self.workers[name] = machine, worker
        await worker

    def kill(self, name: str) -> None:
        """Cuts a worker's connection without a word, which is what the scheduler sees of one that is killed,
        and starts another one for its machine."""
        self.workers[name].batched_stream.abort()  # type: ignore[no-untyped-call]
        again = asyncio.get_running_loop().create_task(self._again(name))
        self.starting.add(again)
        again.add_done_callback(self.starting.discard)

    async def _again(self, name: str) -> None:
        await self.workers[name].finished()  # type: ignore[no-untyped-call]
        await asyncio.sleep(BACK_S)
        await self.start(self.machines[name])


HOST = Host("", 0)


def answer(question: str, data: bytes) -> bytes:
    """A function that a worker runs in place of ``host.answer``, in its own thread."""
    worker: Any = get_worker()
    name = str(worker.name)
    machine = HOST.machines[name]
    if question == "measure" and HOST.latency_s:
        time.sleep(machine.draws.expovariate(1 / HOST.latency_s))
    try:
        return machine.answer(question, data)
    except Died:
        worker.loop.asyncio_loop.call_soon_threadsafe(HOST.kill, name)  # before the answer can be sent
        raise


async def serve(scheduler: str, first: int, count: int, failing: float, latency_s: float) -> None:
    """Starts workers, says on the standard output that they are there, and stays."""
    HOST.scheduler, HOST.latency_s = scheduler, latency_s
    for number in range(first, first + count):
        await HOST.start(Simulated(number, failing))
    print("ready", flush=True)
    await asyncio.Event().wait()


def main(scheduler: str, first: str, count: str, failing: str, latency_s: str) -> None:
    with dask.config.set(OWN):
        asyncio.run(serve(scheduler, int(first), int(count), float(failing), float(latency_s)))


if __name__ == "__main__":
    from tests import simulated_workers  # as which it is known to those that send it questions

    simulated_workers.main(*sys.argv[1:])
