"""The interpreter of Python that is measured."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from dataclasses import dataclass


@dataclass(frozen=True)
class Interpreter:
    """An interpreter.

    Attributes:
        path: the path of the executable, which is neither a link nor a shim.
        name: implementation and version, such as ``CPython 3.11.7``.
        compiler: the compiler that made it.
        flags: how it was built, as far as that makes a difference to times.
    """

    path: str
    name: str
    compiler: str
    flags: str


def interpreter() -> Interpreter:
    """Return the interpreter that runs serbench."""
    path = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    version = ".".join(map(str, sys.version_info[:3]))
    name = "CPython" if sys.implementation.name == "cpython" else sys.implementation.name
    compiler = re.sub(r".*\[(.*)\].*", r"\1", sys.version, flags=re.DOTALL)
    return Interpreter(path, f"{name} {version}", compiler, build_flags())


def build_flags() -> str:
    """Return in words how this Python was built."""
    arguments = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    profile = _flags("PGO_PROF_USE_FLAG", "PY_CFLAGS")
    profiled = "--enable-optimizations" in arguments or "-fprofile-use" in profile
    linked = "--with-lto" in arguments or "-flto" in _flags("PY_CFLAGS", "PY_LDFLAGS", "LDFLAGS")
    optimized = re.findall(r"-O\w*", _flags("OPT", "PY_CFLAGS"))
    said = [
        *optimized[-1:],
        "with PGO" if profiled else "without PGO",
        "with LTO" if linked else "without LTO",
        "shared libpython" if sysconfig.get_config_var("Py_ENABLE_SHARED") else "static libpython",
    ]
    if sysconfig.get_config_var("Py_DEBUG"):
        said.append("a debug build")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        said.append("without the GIL")
    return ", ".join(said)


def _flags(*names: str) -> str:
    return " ".join(str(sysconfig.get_config_var(name) or "") for name in names)
