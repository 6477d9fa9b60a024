"""Optional parts of serbench, which are extras of its package."""

from __future__ import annotations

import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from serbench.errors import SetupError
from serbench.paths import PROJECT


def need_packages(extra: str, *modules: str) -> None:
    """Checks that an extra of serbench is installed: that there are the modules of it that are used.

    Raises:
        SetupError: one is missing; says how to install the extra into this environment.
    """
    missing = [name for name in modules if not find_spec(name)]
    if missing:
        with_pip = [shlex.quote(sys.executable), "-m pip install"]
        with_uv = ["uv pip install --python", shlex.quote(sys.executable)]
        how = " ".join([*(with_pip if find_spec("pip") else with_uv), *_packages_of(extra)])
        raise SetupError(f"this needs {', '.join(missing)}, from the extra serbench[{extra}]; get it: {how}")


def _packages_of(extra: str) -> list[str]:
    """The packages of an extra by their names, since serbench itself need not come from a package index."""
    try:
        required = requires("serbench") or []
    except PackageNotFoundError:  # a checkout that is run as it is
        return [shlex.quote(f"{PROJECT}[{extra}]")]
    return [
        line.partition(";")[0].strip()
        for line in required
        if re.search(rf"""extra == ['"]{extra}['"]""", line)
    ]
