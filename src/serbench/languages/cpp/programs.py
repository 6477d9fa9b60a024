"""The programs that build C and C++, and the packages that have them."""

from __future__ import annotations

import re

from serbench.languages import install


def need(program: str) -> str:
    """The path of a program.

    Raises:
        SetupError: it is not on the path; says how to get it.
    """
    package = package_of(program)
    return install.need(program, *([package] if package else ()))


def package_of(program: str) -> str | None:
    """The package that has a program on Debian and Ubuntu; None for a program that we do not know."""
    if program == "ninja":
        return "ninja-build"
    if re.fullmatch(r"clang(\+\+)?(-\d+)?", program):
        return program.replace("++", "")
    return program if re.fullmatch(r"cmake|g(\+\+|cc)(-\d+)?", program) else None
