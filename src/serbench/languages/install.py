"""Installs system packages if that is allowed, and says how to install them if it is not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence

from serbench.codecs.codec import Codec
from serbench.errors import SetupError


def install_command(packages: Sequence[str], manager: str = "") -> str:
    """The command by which a user gets ``packages``, with a package manager or else with this machine's."""
    if (manager or package_manager()) == "homebrew":
        return f"brew install {' '.join(packages)}"
    return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install {' '.join(packages)}"


def package_manager() -> str:
    """The package manager of this machine, as ``[install]`` of a ``codec.toml`` names it."""
    return "homebrew" if shutil.which("brew") and not shutil.which("apt-get") else "apt"


def how_to_get(codec: Codec, elsewhere: Callable[[Codec], str]) -> str:
    """The command that gets a codec's library on this machine; if no package has it, the result of
    ``elsewhere``."""
    manager = package_manager()
    packages = codec.install.get(manager, ())
    return install_command(packages, manager) if packages else elsewhere(codec)


def missing_program(programs: Iterable[str]) -> str:
    """The error for the first program that is not on the path; empty where all of them are."""
    missing = (program for program in programs if not shutil.which(program))
    return next((f"no program '{program}' is on the path" for program in missing), "")


def need(program: str, *packages: str, why: str = "") -> str:
    """The path of a program; raises SetupError, which says how to get it, where it is not on the path.

    Args:
        packages: the system packages that have the program.
        why: the program's use, for the error.
    """
    found = shutil.which(program)
    if not found:
        get = f"get it: {install_command(packages)}" if packages else ""
        raise SetupError("; ".join(filter(None, (missing_program([program]), why, get))))
    return found


def may_install() -> bool:
    """Whether apt can be used here without asking: as root, or with sudo that needs no password."""
    if not shutil.which("apt-get"):
        return False
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    return bool(sudo) and subprocess.run([str(sudo), "-n", "true"], capture_output=True).returncode == 0


def install(packages: Iterable[str], announce: Callable[[str], None]) -> None:
    """Announce and install apt packages; raises SetupError with the end of apt's output where it failed."""
    packages = sorted(set(packages))
    if not packages:
        return
    announce(f"installing with apt: {' '.join(packages)}")
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = [*sudo, "apt-get", "install", "-y", "--no-install-recommends", *packages]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        # Package lists that are missing or old are the usual reason.
        announce("installing failed; updating the package lists and trying again")
        subprocess.run([*sudo, "apt-get", "update"], capture_output=True, env=environment)
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-3:])
        raise SetupError(f"apt-get could not install {' '.join(packages)}:\n{said}")
