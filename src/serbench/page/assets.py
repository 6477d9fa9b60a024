"""The script and the style of pages: built in a checkout, and part of an installed package."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from serbench.errors import SetupError
from serbench.languages.install import install, install_command, may_install
from serbench.page.building import BUILT, PROGRAMS, build, is_built
from serbench.paths import INSTALLED


@dataclass(frozen=True)
class Assets:
    """The script and the style sheet of a page, as text."""

    script: str
    style: str


def assets(announce: Callable[[str], None], may: Callable[[], bool] = may_install) -> Assets:
    """The built script and style. In a checkout they are built first where their sources have changed, and
    the packages that this needs are downloaded if they are missing.

    Args:
        announce: is told what is installed and built.
        may: whether missing programs may be installed.

    Raises:
        SetupError: Node.js or its packages cannot be had, or the sources do not build.
    """
    if not INSTALLED and not is_built():
        missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
        if missing and not may():
            get = install_command(missing)
            raise SetupError(f"building the page in a checkout needs Node.js; get it: {get}")
        if missing:
            install(missing, announce)
        build(announce)
    try:
        return Assets(*((BUILT / name).read_text(encoding="utf-8") for name in ("page.js", "page.css")))
    except OSError as error:
        raise SetupError(
            f"this installation has no page: {error.filename} cannot be read; reinstall serbench"
        ) from error
