"""Installs system packages where that is allowed, and says how to where it is not."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from serbench.codec import Codec
from serbench.errors import SetupError
from serbench.paths import PROJECT


def install_command(packages: Sequence[str], manager: str = "") -> str:
    """The command that a user types to get ``packages``; with this machine's manager where none is given."""
    if (manager or package_manager()) == "homebrew":
        return f"brew install {' '.join(packages)}"
    return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install {' '.join(packages)}"


def package_manager() -> str:
    """Of this machine, as ``[install]`` of a ``codec.toml`` names it."""
    return "homebrew" if shutil.which("brew") and not shutil.which("apt-get") else "apt"


def how_to_get(codec: Codec, elsewhere: Callable[[Codec], str]) -> str:
    """The one command that gets a codec's library on this machine; what ``elsewhere`` says where no package has it."""
    manager = package_manager()
    packages = codec.install.get(manager, ())
    return install_command(packages, manager) if packages else elsewhere(codec)


def need_packages(extra: str, *modules: str) -> None:
    """Checks that an extra of serbench is there, by the modules of it that are used.

    Raises:
        SetupError: one is missing; says how the extra gets into this very environment.
    """
    missing = [name for name in modules if not find_spec(name)]
    if missing:
        with_pip = [shlex.quote(sys.executable), "-m pip install"]
        with_uv = ["uv pip install --python", shlex.quote(sys.executable)]
        how = " ".join([*(with_pip if find_spec("pip") else with_uv), *_packages_of(extra)])
        raise SetupError(f"this needs {', '.join(missing)}, which is of the extra serbench[{extra}]; get it: {how}")


def _packages_of(extra: str) -> list[str]:
    """The packages of an extra by name, since an installation need not be from an index that has serbench."""
    try:
        required = requires("serbench") or []
    except PackageNotFoundError:  # a checkout that is run as it is
        return [shlex.quote(f"{PROJECT}[{extra}]")]
    return [line.partition(";")[0].strip() for line in required if re.search(rf"""extra == ['"]{extra}['"]""", line)]


def may_install() -> bool:
    """Whether apt can be used here without asking: as root, or with sudo that needs no password."""
    if not shutil.which("apt-get"):
        return False
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    return bool(sudo) and subprocess.run([str(sudo), "-n", "true"], capture_output=True).returncode == 0


def install(packages: Iterable[str], announce: Callable[[str], None]) -> None:
    """Installs apt packages, announced before.

    Raises:
        SetupError: apt failed; holds the end of what it said.
    """
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
        announce("installing failed; bringing the package lists up to date and trying once more")
        subprocess.run([*sudo, "apt-get", "update"], capture_output=True, env=environment)
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-3:])
        raise SetupError(f"apt-get could not install {' '.join(packages)}:\n{said}")
