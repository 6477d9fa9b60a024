"""Starts a program in isolation: it can write to one folder only, and so leave nothing for a later program.

It is run by its path, with these arguments: the folder, folders that are to look empty, ``--``, and the
command. The command gets namespaces of its own (namespaces(7)): everything mounted is read-only except for
the folder, there is no network except its own loopback, and no shared memory or message queues of others. So
what one process of a codec knows can reach another only as the bytes that we hand over.

It imports little, since a run starts it for every process that encodes: ``socket`` and ``contextlib`` alone
would take as long as all the rest.

If the system offers no namespaces, the command only gets its own home folder and its own folder for temporary
files.
"""

import _socket
import ctypes
import fcntl
import os
import struct
import sys

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x08000000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 1
SYS_MOUNT_SETATTR = 442
"""The number of the system call mount_setattr(2), the same on every architecture (Linux 5.12)."""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def main() -> None:
    """Replace this process by the isolated command."""
    folder, *words = sys.argv[1:]
    hidden, command = words[: words.index("--")], words[words.index("--") + 1 :]
    try:  # noqa: SIM105
        _set_apart(folder, hidden)
    except (OSError, AttributeError):
        pass
    home = dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), folder)
    try:
        os.chdir(folder)
        os.execvpe(command[0], command, {**os.environ, **home})
    except OSError as error:
        raise SystemExit(f"{command[0]} could not be started: {error}") from error


def _set_apart(folder: str, hidden: list[str]) -> None:
    """Put this process into namespaces of its own. Raise OSError if the system does not allow that; some of
    the steps may be done by then."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    _must(libc.unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET | (CLONE_NEWUSER if user else 0)))
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)

    def mount(source: str | None, place: str, kind: str | None, flags: int) -> None:
        words = [word.encode() if word is not None else None for word in (source, place, kind)]
        _must(libc.mount(*words, ctypes.c_ulong(flags), None))

    def set_read_only(place: str, to: bool, how: int) -> None:
        attributes = struct.pack("=4Q", *((MOUNT_ATTR_RDONLY, 0) if to else (0, MOUNT_ATTR_RDONLY)), 0, 0)
        _must(libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, place.encode(), how, attributes, len(attributes)))

    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount(folder, folder, None, MS_BIND)
    for each in hidden:
        mount("none", each, "tmpfs", 0)
    set_read_only("/", True, AT_RECURSIVE)
    set_read_only(folder, False, 0)
    try:  # noqa: SIM105
        _set_up_loopback()  # message-passing libraries connect to themselves
    except OSError:
        pass


def _set_up_loopback() -> None:
    any_socket = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    asked = struct.pack("16sh14x", b"lo", 0)
    (flags,) = struct.unpack("16xh14x", fcntl.ioctl(any_socket.fileno(), SIOCGIFFLAGS, asked))
    fcntl.ioctl(any_socket.fileno(), SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
    any_socket.close()


def _must(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
