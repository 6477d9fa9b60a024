"""Workers of Dask on simulated machines: many in one process, each with a connection, an address and a thread
of its own.

``python -m tests.simulated_workers SCHEDULER FIRST COUNT FAILING LATENCY_S`` starts the workers of machines
FIRST to FIRST + COUNT - 1 and stays until it is killed. Only the answers to questions are made up, by
``answer``; all other work of a worker is Dask's own.
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
"""Settings that turn off work which a worker of Dask repeats many times a second for itself. On a machine of
its own this work disturbs nobody; here, a thousand workers would do nothing else. Heartbeats stay as they
are."""


BACK_S = 2.0
"""The seconds after which a worker that died is started again, about as many as Dask's nanny takes."""


@dataclass
class Host:
    """The simulated machines of this process, and the current worker of each, by their names.

    Attributes:
        latency_s: the mean of the exponentially distributed seconds that a measurement takes.
    """

    scheduler: str
    latency_s: float
    machines: dict[str, Simulated] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    starting: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self, machine: Simulated) -> None:
        """Starts a worker for a machine, and returns once the scheduler knows the worker."""
        name = machine.own.name
        worker = Worker(
            self.scheduler, name=name, host="127.0.0.1", nthreads=1, memory_limit=0, dashboard=False
        )
        self.machines[name], self.workers[name] = machine, worker
        await worker

    def kill(self, name: str) -> None:
        """Cuts a worker's connection without notice, which a scheduler sees when a worker is killed, and
        starts another worker for the machine."""
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
    """Answers a question for the simulated machine of a worker; workers run this function in place of
    ``host.answer``, in their own thread."""
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
    """Starts workers, prints that they are ready, and stays until the process is killed."""
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
