"""Where a cluster is: the values of ``--cluster``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

from serbench.errors import SelectionError

_EXPECTED = "expected local:N, tcp://HOST:PORT or tls://HOST:PORT"


@dataclass(frozen=True)
class Address:
    """Where a cluster is.

    Attributes:
        text: as the user gave it.
        workers: how many workers are started on this machine; 0 where a scheduler is connected to.
    """

    text: str
    workers: int = 0


def parse_address(text: str, insecure: bool) -> Address:
    """The address that ``--cluster`` gives.

    Args:
        insecure: whether a connection without TLS to another machine is wanted.

    Raises:
        SelectionError: it is no address, or nobody said that a connection which everybody can read and write
            is wanted.
    """
    if local := re.fullmatch(r"local:(\d{1,3})", text):
        if not int(local[1]):
            raise SelectionError("--cluster local:0 has no workers; expected one or more")
        return Address(text, int(local[1]))
    found = re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})", text)
    if not found:
        raise SelectionError(f"--cluster: found '{text}', {_EXPECTED}")
    scheme, host = found[1], found[2].strip("[]")
    if scheme == "tcp" and not _is_loopback(host) and not insecure:
        raise SelectionError(
            f"--cluster {text}: who can reach this address can run programs on all its machines, and read "
            "what is sent; use tls://, or --insecure in a network that only you can reach"
        )
    return Address(text)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
