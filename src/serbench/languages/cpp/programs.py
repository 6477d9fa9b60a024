"""The programs that build C and C++, and the packages that have them."""

from __future__ import annotations

import re
import shutil

from serbench.errors import SetupError
from serbench.languages.install import install_command


def need(program: str) -> str:
    """The path of a program.

    Raises:
        SetupError: it is not on the path; says how to get it.
    """
    found = shutil.which(program)
    if not found:
        package = package_of(program)
        hint = f"; get it: {install_command([package])}" if package else ""
        raise SetupError(f"no program '{program}' is on the path{hint}")
    return found


def package_of(program: str) -> str | None:
    """The package that has a program on Debian and Ubuntu; None for a program that we do not know."""
    if program == "ninja":
        return "ninja-build"
    if re.fullmatch(r"clang(\+\+)?(-\d+)?", program):
        return program.replace("++", "")
    return program if re.fullmatch(r"cmake|g(\+\+|cc)(-\d+)?", program) else None
