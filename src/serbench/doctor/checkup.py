"""Does all checks of ``doctor``, in the order in which they are shown."""

from __future__ import annotations

import shutil

from serbench.doctor import copies, processor, system
from serbench.doctor.files import MachineFiles, this_process_cores
from serbench.languages import languages
from serbench.measure.placement import copies_run
from serbench.paths import Paths
from serbench.system.finding import Finding


def check_up(machine: MachineFiles, paths: Paths) -> list[Finding]:
    """The findings about this machine and about the programs that were built on it."""
    known = languages().values()
    return [
        processor.check_core(machine, this_process_cores()),
        system.check_load(machine),
        processor.check_governor(machine),
        processor.check_boost(machine),
        processor.check_siblings(machine),
        processor.check_throttling(machine),
        processor.check_virtual(machine),
        system.check_steal(machine),
        system.check_quota(machine),
        system.check_clock(machine, system.look_at_clock()),
        system.check_aslr(machine),
        system.check_placement(copies_run()),
        copies.check_copies(copies.look_at_copies()),
        system.check_swap(machine),
        *(finding for language in known for finding in language.check_builds(paths)),
        system.check_tools(known, shutil.which),
    ]
