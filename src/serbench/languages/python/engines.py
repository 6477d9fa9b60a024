"""The interpreters of Python that run programs: the one that runs serbench, and others as another edition."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache

from serbench.codecs.edition import Edition
from serbench.errors import SetupError
from serbench.languages.python import interpreter as asked
from serbench.languages.python.interpreter import Interpreter, interpreter
from serbench.languages.settings import OneOf

NAME, KEY = "cpython", "engine"

ENGINES = {
    **{f"cpython{version}": f"python{version}" for version in ("3.11", "3.12", "3.13", "3.14")},
    **{f"cpython{version}": f"python{version}" for version in ("3.13t", "3.14t")},  # without the GIL
    "pypy": "pypy3",
}
"""The engines that may be named, each with its program."""

SETTINGS = OneOf(KEY, NAME, tuple(ENGINES))
"""The interpreter as a setting of Python's programs."""

_ASKED = "import json, runpy, sys; print(json.dumps(vars(runpy.run_path(sys.argv[1])['interpreter']())))"


def engine_of(edition: Edition | None) -> str:
    """Return the engine that an edition names; empty for the interpreter that runs serbench."""
    settings = edition.profile.settings if edition and edition.profile else ""
    return settings.removeprefix(f"{KEY}=")


@cache
def interpreter_of(engine: str) -> Interpreter:
    """Return the interpreter of an engine; raise SetupError where it is not on the path or does not
    start."""
    if not engine:
        return interpreter()
    program = ENGINES[engine]
    found = shutil.which(program)
    if not found:
        raise SetupError(f"{KEY} {engine}: no program '{program}' is on the path; put one there")
    done = subprocess.run([found, "-I", "-c", _ASKED, asked.__file__], capture_output=True, text=True)
    if done.returncode:
        said = [*filter(None, done.stderr.splitlines()), "it said nothing"]
        raise SetupError(f"{KEY} {engine}: {found} does not start: {said[0]}")
    return Interpreter(**json.loads(done.stdout))
