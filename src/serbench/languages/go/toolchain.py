"""The program ``go``, and the variables of the environment with which it builds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from serbench.errors import SetupError
from serbench.system.guard import marked_environment

OLDEST = (1, 24)
"""The first version with ``tool`` in ``go.mod``, by which codecs name the generators of their libraries."""

_USUAL = Path("/usr/local/go/bin/go")
"""The path at which Go's own instructions install the program, on the search path or not."""

_KEPT = ("GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT")
"""Variables that name folders, which a user may have anywhere."""

_UNSEEN = ("GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GODEBUG", "GOFIPS140", "GOOS", "GOARCH")
"""Variables of the environment and of ``go env -w`` that would change how cells are compiled."""


def find_go() -> str:
    """Return the path of ``go``; empty where there is none."""
    return shutil.which("go") or (str(_USUAL) if os.access(_USUAL, os.X_OK) else "")


def need_go() -> str:
    """The path of ``go``; raises SetupError, which says what to do, where there is none or one too old."""
    oldest = ".".join(map(str, OLDEST))
    get = f"get Go {oldest} or newer from https://go.dev/dl (those of Linux distributions are often older)"
    found = find_go()
    if not found:
        raise SetupError(f"no program 'go' is on the path; {get}")
    version = re.match(r"go(\d+)\.(\d+)", go_version(found))
    if version and (int(version[1]), int(version[2])) < OLDEST:
        raise SetupError(f"found {go_version(found)}, expected Go {oldest} or newer; {get}")
    return found


@cache
def go_version(go: str) -> str:
    """Return the version of ``go``, such as ``go1.26.8``."""
    return _asked(go, "version").split()[2]


@cache
def _known(go: str) -> Mapping[str, str]:
    """Return the variables that ``go env`` tells, by their names."""
    told: dict[str, str] = json.loads(_asked(go, "env", "-json"))
    return told


def _asked(go: str, *words: str) -> str:
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off"}
    done = subprocess.run([go, *words], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SetupError(f"'{go} {words[0]}' failed: {done.stderr.strip()}")
    return done.stdout


def fetching_environment(go: str, experiment: str) -> dict[str, str]:
    """The environment in which modules are fetched: the user's, but for settings that all builds share."""
    own = {"GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"}
    return marked_environment({**os.environ, **own, **_experiment(experiment)})


def building_environment(go: str, experiment: str) -> dict[str, str]:
    """Return the environment in which cells are built: without a network, and with no setting that the output
    of ``describe`` leaves out."""
    known = _known(go)
    kept = {name: value for name, value in os.environ.items() if name not in _UNSEEN}
    own = {name: known[name] for name in _KEPT if known.get(name)}
    own |= {"GOENV": "off", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOPROXY": "off", "CGO_ENABLED": "0"}
    own |= {"GOFLAGS": "-mod=readonly"}
    return marked_environment({**kept, **own, **_experiment(experiment)})


def _experiment(name: str) -> dict[str, str]:
    return {"GOEXPERIMENT": name} if name else {}


def notices(given: Mapping[str, str]) -> list[str]:
    """Return notices for a user about variables that are left out of builds."""
    names = [name for name in _UNSEEN if given.get(name)]
    return [f"left out of the build of Go: {', '.join(names)} of the environment"] if names else []
