"""Does all checks, in the order in which they are shown."""

from __future__ import annotations

import shutil

from serbench.doctor.copies import check_copies, look_at_copies
from serbench.doctor.files import MachineFiles, this_process_cores
from serbench.doctor.processor import (
    check_boost,
    check_core,
    check_governor,
    check_siblings,
    check_throttling,
    check_virtual,
)
from serbench.doctor.system import (
    check_aslr,
    check_clock,
    check_load,
    check_placement,
    check_quota,
    check_steal,
    check_swap,
    look_at_clock,
)
from serbench.doctor.tools import check_tools
from serbench.languages import languages
from serbench.measure.placement import copies_run
from serbench.paths import Paths
from serbench.system.finding import Finding


def check_up(machine: MachineFiles, paths: Paths) -> list[Finding]:
    """The findings about this machine and about the programs that were built on it."""
    known = languages().values()
    return [
        check_core(machine, this_process_cores()),
        check_load(machine),
        check_governor(machine),
        check_boost(machine),
        check_siblings(machine),
        check_throttling(machine),
        check_virtual(machine),
        check_steal(machine),
        check_quota(machine),
        check_clock(machine, look_at_clock()),
        check_aslr(machine),
        check_placement(copies_run()),
        check_copies(look_at_copies()),
        check_swap(machine),
        *(finding for language in known for finding in language.check_builds(paths)),
        check_tools(known, shutil.which),
    ]
