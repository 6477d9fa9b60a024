"""The pool of workers that measuring asks questions of, whatever connects their machines; and the threads
that wait for their answers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import msgspec

from serbench.cluster.kinds import ClusterMachine
from serbench.cluster.messages import Handed, KeptProgram, Reply
from serbench.errors import SerbenchError

try:
    import resource
except ImportError:  # a system without such limits
    resource = None  # type: ignore[assignment]

OTHER_FILES = 256
"""How many files may be open besides the journals of machines: connections, and files that are read."""


class Lost(SerbenchError):
    """The error of a machine that no longer answers; what it had not sent is lost."""


class Gone(SerbenchError):
    """The error of a cluster that no longer answers, or that the client has given up."""


class Refused(SerbenchError):
    """The error of a machine that answers that it cannot do what is asked."""


class Forgotten(SerbenchError):
    """The error of a worker that has restarted, and no longer knows what it built."""


class Pool(Protocol):
    """The machines of a cluster, whose workers are asked questions through it."""

    def members(self) -> Sequence[ClusterMachine]:
        """Return the machines that are connected now, each with its announcement."""

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        """Put a question of ``host.py`` to a worker, which answers one at a time. Raise Lost where the worker
        no longer answers, and Gone where the cluster does not or ``give_up`` was called."""

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        """Have one worker send a program directly to others; return each taker's answer, or the error.
        ``program`` is the giver's own description of it, encoded. Raise Gone as ``ask`` does."""

    def give_up(self) -> None:
        """Make every question that has no answer yet raise ``Gone``."""


def ask(pool: Pool, member: ClusterMachine, question: str, asked: object, expected: Any) -> Any:
    """Ask a machine; return its answer, which is of the type ``expected``. Raise Lost, Refused or Forgotten
    where there is none."""
    return answered(
        member, question, pool.ask(member.address, question, msgspec.json.encode(asked)), expected
    )


def answered(member: ClusterMachine, question: str, data: bytes, expected: Any) -> Any:
    """Return the value in a machine's reply, which is of the type ``expected``; raise Refused or Forgotten
    where the reply has none."""
    try:
        reply = msgspec.json.decode(data, type=Reply)
        if reply.unknown:
            raise Forgotten(f"{member.name}: {reply.refused}")
        if reply.refused:
            raise Refused(f"{member.name}: {reply.refused}")
        return msgspec.json.decode(reply.value, type=expected)
    except msgspec.MsgspecError as error:
        raise Refused(f"{member.name}: its answer to '{question}' cannot be read: {error}") from error


def received_by(answer: Callable[[str, bytes], bytes], program: bytes, given: bytes) -> bytes:
    """Have this worker receive a program from another; return its reply. ``given`` is the other one's reply
    to ``give``, with the program's files."""
    try:
        reply = msgspec.json.decode(given, type=Reply)
        if reply.refused:
            return given
        handed = Handed(program=msgspec.json.decode(program, type=KeptProgram), files=reply.value)
        return answer("receive", msgspec.json.encode(handed))
    except Exception as error:  # such as too little memory: whatever it is, it is of this machine alone
        return msgspec.json.encode(Reply(refused=f"{type(error).__name__}: {error}"))


@contextlib.contextmanager
def threads_for(pool: Pool, count: int, files: int = 0) -> Iterator[ThreadPoolExecutor]:
    """Provide a pool of ``count`` threads, which end soon where anything goes wrong; allow them to have
    ``files`` files open together, or one each."""
    _let_open(max(count, files) + OTHER_FILES)
    threads = ThreadPoolExecutor(max(count, 1))
    try:
        yield threads
    except BaseException:
        pool.give_up()
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _let_open(files: int) -> None:
    """Allow this process to have so many files open, as far as the system lets it: many systems begin with
    1,024, and each machine has a journal."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):  # it may have another limit yet
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
