"""Jobs: what a command builds, verifies and measures, from the command line to the table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from serbench.codecs.edition import Editions
from serbench.languages.base import Toolchain
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.selecting.selection import Asked, Chosen


@dataclass(frozen=True)
class Permission:
    """The installations that are allowed: of system packages (``install``), and of libraries that no package
    manager offers, which are downloaded and built (``fetch``; only ``setup`` may)."""

    install: bool
    fetch: bool = False


@dataclass(frozen=True)
class Job:
    """A selection, the toolchains that build it, and the settings for measuring it.

    Attributes:
        builds: the toolchains of the variants' languages; several for a language with several compilers or
            editions. None where other machines build.
        time_limit_s: the seconds of silence after which a runner is taken to hang.
        asked: the patterns and names that the user gave.
        suite: the name of the suite that the user asked for.
        compilers, editions: as the user gave them.
        selection: the words of the command line that select the same again, for the manifest; None where they
            are not known.
        layouts: the number of layouts of each program.
        compilations: how often each minimal program is compiled.
        again: the run that is continued; None for a new one.
        looking_since: when the user began to wait for a first look, in seconds of the monotonic clock: then
            sizes are shown while programs are still being built, and measuring ends sooner. None for a job
            without a first look.
    """

    paths: Paths
    chosen: Chosen
    builds: Sequence[Toolchain] = ()
    permission: Permission = Permission(install=False)
    time_limit_s: float = SILENCE_LIMIT_S
    asked: Asked = field(default=Asked())
    suite: str | None = None
    compilers: tuple[str, ...] = ()
    editions: Editions = field(default=Editions())
    selection: tuple[str, ...] | None = None
    layouts: int = 0
    compilations: int = 1
    again: Run | None = None
    looking_since: float | None = None

    @property
    def looks(self) -> bool:
        return self.looking_since is not None

    @property
    def waited_s(self) -> float:
        """The seconds for which the user has been waiting for a first look; 0 for a job without one."""
        return 0.0 if self.looking_since is None else time.monotonic() - self.looking_since

    @property
    def measured(self) -> tuple[str, ...]:
        """The operations that verification times and watches: in a quick or a continued run those that are
        measured; empty for all."""
        some = [*self.chosen.metrics] == ["time"] and (self.asked.quick or self.again)
        return tuple(dict.fromkeys(each.name for each in self.chosen.operations)) if some else ()
