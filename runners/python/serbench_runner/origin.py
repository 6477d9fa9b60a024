"""Tells whose code raised an error, by the stack of calls in which it was raised."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from serbench_runner.errors import first

NO_LIBRARIES = "-"
"""Stands for the folder of libraries of a codec that needs none."""

_COMPILED = "messages"
"""The folder beside the package ``cell`` for a package that the compiler of an IDL has written."""


def origin_of(generated: str, codec: str, libraries: str) -> Callable[[BaseException], str]:
    """A function from an error to ``library`` or ``adapter``; empty for an error without a known frame. Of a
    group of errors, the first one counts, or else the group itself.

    The innermost frame decides, of those in the library, in the adapter, in generated code or in the runner.
    Frames of Python's own modules and of code without a file are left out. Libraries in C have no frames: an
    error is theirs if its class is, or if it was raised by a call of the adapter, or by the call with which
    the runner decodes.

    Args:
        generated: the folder with the package ``cell``.
        codec: the folder of ``adapter.py``.
        libraries: the folder of the packages that the codec needs, or ``NO_LIBRARIES``.
    """
    brought = () if libraries == NO_LIBRARIES else (libraries + os.sep,)
    library = (str(Path(generated) / _COMPILED) + os.sep, *brought)
    runner = Path(__file__).parent
    calling = (codec + os.sep, str(runner / "main.py"))
    ours = (generated + os.sep, codec + os.sep, str(runner) + os.sep)

    def origin(error: BaseException) -> str:
        inner = first(error)
        return by_frames(inner) or by_frames(error)

    def by_frames(error: BaseException) -> str:
        at = error.__traceback__
        inner: TracebackType | None = None
        while at:
            if at.tb_frame.f_code.co_filename.startswith((*library, *ours)):
                inner = at
            at = at.tb_next
        if inner is None:
            return ""
        file, instruction = inner.tb_frame.f_code.co_filename, _instruction(inner)
        if file.startswith(library):
            return "library"
        if instruction.startswith("RAISE"):
            return "adapter"
        module = sys.modules.get(type(error).__module__)
        if str(getattr(module, "__file__", "")).startswith(library):
            return "library"
        return "library" if file.startswith(calling) and "CALL" in instruction else "adapter"

    return origin


def _instruction(at: TracebackType) -> str:
    """The name of the instruction at which a frame was left; behind it there may be the interpreter's notes
    on it."""
    code, last = at.tb_frame.f_code.co_code, at.tb_lasti
    while last and dis.opname[code[last]] == "CACHE":
        last -= 2
    return dis.opname[code[last]]
