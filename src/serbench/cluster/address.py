"""The address of a cluster: the values of ``--cluster``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from serbench.cluster.ssh import Reached, is_loopback, reached_by
from serbench.errors import SelectionError

_EXPECTED = "expected local:N, ssh:FILE, tcp://HOST:PORT or tls://HOST:PORT"


@dataclass(frozen=True)
class Address:
    """The address of a cluster.

    Attributes:
        text: the address as the user gave it.
        workers: the number of workers to start on this machine.
        reached: the machines on which to start workers by SSH. If no workers are to be started on any
            machine, a running scheduler is used.
        insecure: whether the user allows a connection without TLS to another machine.
    """

    text: str
    workers: int = 0
    reached: tuple[Reached, ...] = ()
    insecure: bool = False

    @property
    def needs_tls(self) -> bool:
        """Whether other machines could reach the workers, and the user did not allow that."""
        return not self.insecure and not all(is_loopback(each.host) for each in self.reached)


def parse_address(text: str, insecure: bool) -> Address:
    """Return the address that ``--cluster`` gives; raise SelectionError where it is not valid, its file names
    no machines, or an open connection is not allowed.

    Args:
        insecure: whether the user allows a connection without TLS to another machine.
    """
    if text.startswith("ssh:"):
        return Address(text, reached=tuple(reached_by(Path(text.removeprefix("ssh:")))), insecure=insecure)
    if local := re.fullmatch(r"local:(\d{1,3})", text):
        if not int(local[1]):
            raise SelectionError("--cluster local:0 has no workers; expected one or more")
        return Address(text, int(local[1]))
    found = re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})", text)
    if not found:
        raise SelectionError(f"--cluster: found '{text}', {_EXPECTED}")
    scheme, host = found[1], found[2].strip("[]")
    if scheme == "tcp" and not is_loopback(host) and not insecure:
        raise SelectionError(
            f"--cluster {text}: who can reach this address can run programs on all its machines, and read "
            "what is sent; use tls://, or --insecure in a network that only you can reach"
        )
    return Address(text)
