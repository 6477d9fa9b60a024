"""The pool of workers that measuring asks questions of, whatever connects their machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from serbench.cluster.kinds import ClusterMachine
from serbench.cluster.messages import Handed, KeptProgram, Reply
from serbench.errors import SerbenchError

T = TypeVar("T")


class Lost(SerbenchError):
    """A machine no longer answers; what it had not sent is lost."""


class Gone(SerbenchError):
    """The cluster itself no longer answers, or the client no longer wants it to."""


class Refused(SerbenchError):
    """A machine answers that it cannot do what is asked."""


class Forgotten(SerbenchError):
    """A worker has started anew, and does not know what was built on it."""


class Pool(Protocol):
    """The machines of a cluster."""

    def members(self) -> Sequence[ClusterMachine]:
        """The machines that there are now, each asked what it is."""

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        """Puts a question of ``host.py`` to a worker, which answers one at a time.

        Raises:
            Lost: the worker is gone.
            Gone: the cluster is, or ``give_up`` was called.
        """

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        """Has a worker give a program, and each taker receive it; the program takes no way by the client.

        Args:
            program: encoded, as the giver tells it.

        Returns:
            The answer of each taker, or why there is none.

        Raises:
            Gone: the cluster is, or ``give_up`` was called.
        """

    def give_up(self) -> None:
        """Lets every question that has no answer yet raise ``Gone``."""


def ask(pool: Pool, member: ClusterMachine, question: str, asked: object, expected: Any) -> Any:
    """Asks a machine; the answer is of the type ``expected``.

    Raises:
        Lost, Refused, Forgotten: there is no answer.
    """
    return answered(
        member, question, pool.ask(member.address, question, msgspec.json.encode(asked)), expected
    )


def answered(member: ClusterMachine, question: str, data: bytes, expected: Any) -> Any:
    """The value in a machine's answer, which is of the type ``expected``.

    Raises:
        Refused, Forgotten: there is no answer.
    """
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
    """The answer of a worker that receives a program; ``given`` is the answer of the program's giver."""
    try:
        reply = msgspec.json.decode(given, type=Reply)
        if reply.refused:
            return given
        handed = Handed(program=msgspec.json.decode(program, type=KeptProgram), files=reply.value)
        return answer("receive", msgspec.json.encode(handed))
    except Exception as error:  # such as too little memory: whatever it is, it is of this machine alone
        return msgspec.json.encode(Reply(refused=f"{type(error).__name__}: {error}"))
