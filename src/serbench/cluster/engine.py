"""Connects the machines of a cluster by Dask, which only this module imports."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import Future as Waiting
from pathlib import Path
from typing import Any, cast

import dask.config
import msgspec
from distributed import Client, Future, LocalCluster, SSHCluster, WorkerPlugin, get_worker
from distributed.deploy.spec import SpecCluster
from distributed.scheduler import KilledWorker

from serbench.cluster import host
from serbench.cluster.address import Address
from serbench.cluster.kinds import ClusterMachine, members_of
from serbench.cluster.messages import Announced, Reply
from serbench.cluster.pool import Gone, Lost, Refused, received_by
from serbench.cluster.ssh import check_reached, is_loopback
from serbench.errors import SelectionError, SerbenchError

ALONE = "serbench "
"""The beginning of the name of a resource that each worker has once and that every question takes except the
first, ``announce``: so a machine does one thing at a time, for whichever client. The worker's address ends
the name, since the scheduler looks at all workers with a resource for each question that takes it."""

LOOK_S = 0.5
"""The seconds between two checks whether a worker is still connected."""

CONNECT_S = 20.0

ABANDONED_S = 60
"""The seconds after which a worker that was started by SSH and has lost its scheduler ends, since nobody else
would end it."""

QUIET = {
    "distributed.admin.tick.interval": "5s",
    "distributed.admin.tick.limit": "1h",  # a tick that is late is a line in the log
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing": False,
}
"""Settings with which Dask disturbs a measuring worker little. By default a worker examines its own load and
activity some hundred times in a second, which takes 4.7 % of the core that it may share with a runner, and
with these settings 0.4 % (10 s of an idle worker and its nanny). Each question is for one worker, so workers
take none from each other."""

Answer = Callable[[str, bytes], bytes]
"""The function with which a worker answers questions; usually that of ``host.py``."""


class _OnCores(WorkerPlugin):
    """Keeps each worker of this machine on its own cores, also when it starts again.

    Args:
        cores: the name of a worker → its cores.
    """

    name = "serbench-cores"

    def __init__(self, cores: Mapping[str, Sequence[int]]):
        self.cores = dict(cores)

    def setup(self, worker: Any) -> None:
        for thread in Path("/proc/self/task").iterdir():  # those that start later inherit it
            with contextlib.suppress(OSError):
                os.sched_setaffinity(int(thread.name), self.cores[str(worker.name)])


def _announced(answer: Answer, resource: str) -> bytes:
    """Give a worker the Dask resource that questions require, and return its announcement. A question sent
    before that would wait for ever, since Dask's scheduler would not notice the resource."""
    worker: Any = get_worker()
    having = worker.set_resources(**{resource: 1})
    asyncio.run_coroutine_threadsafe(having, worker.loop.asyncio_loop).result(CONNECT_S)
    return answer("announce", b"null")


@contextlib.contextmanager
def connected(address: Address, answer: Answer = host.answer) -> Iterator[Engine]:
    """Connect to the machines of a cluster, and end the workers that were started for it at the end of this
    context; raise SerbenchError where the cluster does not answer."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(QUIET))  # those that are started inherit it
        cores: dict[str, list[int]] = {}
        where: Any = address.text
        if address.workers:
            cores = shared_out(address.workers)
            where = stack.enter_context(_started_here(address.workers))
        elif address.reached:
            where = stack.enter_context(_started_by_ssh(address))
        try:
            client: Any = Client(where, timeout=CONNECT_S, set_as_default=False)  # type: ignore[no-untyped-call]
            stack.enter_context(client)
            if cores:
                client.register_plugin(_OnCores(cores))
            if address.reached:  # they have begun, and are still on their way to the scheduler
                client.wait_for_workers(len(address.reached), timeout=CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise SerbenchError(f"--cluster {address.text} does not answer: {error}") from error
        engine = Engine(client, answer, address.text)
        stack.callback(engine.give_up)
        yield engine


def _started_here(workers: int) -> LocalCluster:
    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        memory_limit=0,  # building and measuring are done by other processes
        silence_logs="ERROR",
    )


def _started_by_ssh(address: Address) -> SpecCluster:
    """Start workers on the machines of a file, and a scheduler on the first. Raise SelectionError where
    others could reach them and TLS is missing, and SerbenchError where a machine cannot be a worker."""
    has_tls = dask.config.get("distributed.comm.tls.ca-file", None) is not None
    if address.needs_tls and not has_tls:
        raise SelectionError(
            f"--cluster {address.text}: while it lasts, who can reach these machines can run programs on all "
            "of them; have Dask use TLS (docs/many-machines.md), or use --insecure in a network that only "
            "you can reach"
        )
    check_reached(address.reached)
    machines = [address.reached[0], *address.reached]  # the first is the scheduler's
    local = {"host": "127.0.0.1"} if all(is_loopback(each.host) for each in machines) else {}
    quiet = {"dashboard_address": "127.0.0.1:0"}
    try:
        return SSHCluster(
            hosts=[each.host for each in machines],
            connect_options=[each.connecting for each in machines],
            remote_python=[each.python for each in machines],
            scheduler_options={"port": 0, **quiet, **local, **({"protocol": "tls"} if has_tls else {})},
            worker_options={"nthreads": 1, "memory_limit": 0, "death_timeout": ABANDONED_S, **quiet, **local},
        )
    except Exception as error:  # from Dask, from SSH, or from the system
        raise SerbenchError(f"--cluster {address.text}: the workers do not start: {error}") from error


def shared_out(workers: int) -> dict[str, list[int]]:
    """Return the cores of each worker of this machine, by the worker's name; no two workers share one. Raise
    SerbenchError where there are fewer cores than workers."""
    if not hasattr(os, "sched_getaffinity"):
        raise SerbenchError("--cluster local:N needs a system on which processes can be pinned to cores")
    allowed = sorted(os.sched_getaffinity(0))
    if workers > len(allowed):
        raise SerbenchError(
            f"--cluster local:{workers}: found {len(allowed)} cores, expected one for each worker at least"
        )
    return {str(n): allowed[n::workers] for n in range(workers)}


class Engine:
    """The workers of a Dask scheduler, as a ``Pool``."""

    def __init__(self, client: Client, answer: Answer, where: str):
        self._loop: asyncio.AbstractEventLoop = cast(Any, client.loop).asyncio_loop
        self._client, self._answer, self._where = client, answer, where
        self._looking = threading.Lock()
        self._looked, self._alive = -LOOK_S, frozenset[str]()
        self._lock = threading.Lock()
        self._waiting: dict[Waiting[bytes], tuple[str, ...]] = {}  # to the workers without which none answers
        self._given_up, self._end = threading.Event(), ""
        self._asking = threading.Lock()
        self._announced: dict[str, Announced | None] = {}
        self._known: tuple[Mapping[str, Announced], list[ClusterMachine]] = ({}, [])
        threading.Thread(target=self._watch, name="serbench-cluster", daemon=True).start()

    def members(self) -> list[ClusterMachine]:
        """Return the machines, as ``Pool.members`` does. Each worker is asked only once, since that takes a
        second and disturbs what it measures."""
        there = self._addresses()
        with self._asking:
            new = [address for address in there if address not in self._announced]
            asked = {
                address: self._submit(address, _announced, self._answer, ALONE + address, alone=False)
                for address in new
            }
            for address, future in asked.items():
                with contextlib.suppress(Lost, Refused):
                    reply = msgspec.json.decode(self._result((address,), future), type=Reply)
                    own = None if reply.refused else msgspec.json.decode(reply.value, type=Announced)
                    self._announced[address] = own
            known = {address: own for address in there if (own := self._announced.get(address))}
            if known != self._known[0]:  # every machine that was lost is looked for here, again and again
                self._known = (known, members_of(known))
            return list(self._known[1])

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        return self._result((address,), self._submit(address, self._answer, question, data))

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        given = self._submit(giver, self._answer, "give", program)
        asked = {taker: self._submit(taker, received_by, self._answer, program, given) for taker in takers}
        answers: list[bytes | Lost | Refused] = []
        try:
            for taker, future in asked.items():
                try:
                    answers.append(self._result((giver, taker), future))
                except (Lost, Refused) as error:
                    answers.append(error)
        finally:
            with contextlib.suppress(Exception):
                given.release()  # type: ignore[no-untyped-call]
        return answers

    def give_up(self) -> None:
        self._given_up.set()

    def _submit(
        self, address: str, does: Callable[..., bytes], *asked: object, alone: bool = True
    ) -> Future[bytes]:
        try:
            return self._client.submit(
                does,
                *asked,
                workers=[address],
                allow_other_workers=False,
                resources={ALONE + address: 1} if alone else {},
                retries=0,
                pure=False,
            )
        except Exception as error:
            raise self._gone(error) from error

    def _result(self, addresses: tuple[str, ...], future: Future[bytes]) -> bytes:
        """Wait for a worker's answer, which comes in one piece; raise Gone, Lost or Refused where none comes.

        Args:
            addresses: the addresses of the workers without which there is no answer.
        """
        waiting: Waiting[bytes] | None = None
        answered = False
        try:
            waiting = asyncio.run_coroutine_threadsafe(_received(future), self._loop)
            with self._lock:
                self._waiting[waiting] = addresses
            if self._end:
                raise Gone(self._end)
            answer = waiting.result()  # or _watch ends it
            answered = True
            return answer
        except (KilledWorker, CancelledError, asyncio.CancelledError) as error:
            if self._end:
                raise Gone(self._end) from error
            if self._client.status != "running":
                raise self._gone(error) from error
            raise Lost("its worker is gone") from error
        except (OSError, RuntimeError) as error:
            raise self._gone(error) from error
        except LookupError as error:  # a worker that was started before there was such a question
            raise Refused(f"its worker is of another serbench ({error!r}); start it again") from error
        finally:
            if waiting:
                with self._lock:
                    del self._waiting[waiting]
                waiting.cancel()
            with contextlib.suppress(Exception):
                if answered:  # to cancel would wait for the loop, and be a line in the scheduler's log
                    future.release()  # type: ignore[no-untyped-call]
                else:
                    future.cancel()  # type: ignore[no-untyped-call]

    def _watch(self) -> None:
        """Stop waiting for workers that are gone, in one thread for all: if each of a thousand threads looked
        twice in a second, the client would do little else."""
        end = "given up"
        while not self._given_up.wait(LOOK_S):
            waiting = self._all_waiting()  # first, since a worker that comes meanwhile is not gone
            try:
                alive = self._addresses()
            except Gone as error:
                end = str(error)
                break
            for one, addresses in waiting.items():
                if not alive.issuperset(addresses):
                    one.cancel()
        self._end = end
        for one in self._all_waiting():
            one.cancel()

    def _all_waiting(self) -> dict[Waiting[bytes], tuple[str, ...]]:
        with self._lock:
            return dict(self._waiting)

    def _addresses(self) -> frozenset[str]:
        """Return the addresses of all workers, as they were within the last ``LOOK_S``; raise Gone where the
        scheduler does not answer."""
        with self._looking:
            if time.monotonic() - self._looked >= LOOK_S:
                try:
                    alive = frozenset(self._client.nthreads())  # type: ignore[no-untyped-call]
                except Exception as error:
                    raise self._gone(error) from error
                for gone in self._alive - alive:
                    self._announced.pop(gone, None)  # a worker that comes back announces itself anew
                self._looked, self._alive = time.monotonic(), alive
            return self._alive

    def _gone(self, error: BaseException) -> Gone:
        return Gone(f"--cluster {self._where}: the scheduler is gone ({type(error).__name__})")


async def _received(future: Future[bytes]) -> bytes:
    return cast(bytes, await future)
