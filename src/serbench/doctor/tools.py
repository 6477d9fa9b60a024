"""The check of the programs that serbench starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from serbench.doctor.verdicts import bad, check, good
from serbench.languages.install import install_command
from serbench.languages.language import Language
from serbench.report.gathering import gathered
from serbench.system.finding import Finding


@check("tools")
def check_tools(languages: Iterable[Language], which: Callable[[str], str | None]) -> Finding:
    """Checks for the programs that builds start; ``which`` gives the path of a program, or None."""
    needed = {program: each.traits.title for each in languages for program in each.tools.needed}
    useful = {program: use for each in languages for program, use in each.tools.useful.items()}
    missing = [program for program in needed if not which(program)]
    absent = gathered((use, program) for program, use in useful.items() if not which(program))
    there = [program for program in (*needed, *useful) if which(program)]
    found = f"found: {', '.join(there) or 'none'}"
    found += "".join(f"; no {', '.join(programs)} ({use})" for use, programs in absent.items())
    if missing:
        of = " and ".join(dict.fromkeys(needed[program] for program in missing))
        return bad(f"{of} cells need {', '.join(missing)}; {found}", install_command(missing))
    return good(found)
