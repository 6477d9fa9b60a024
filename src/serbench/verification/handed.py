"""Units whose programs are handed the messages that another program wrote: to read a part of them, or to
change values in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from serbench.languages.base import Progress
from serbench.measure.identity import Identity
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import UPDATING
from serbench.verification.partial import part_of
from serbench.verification.updating import update_of


def with_handed(paths: Paths, units: Sequence[Unit], step: Progress) -> list[Unit]:
    """Return the units, of which all but those that are handed another one's messages were verified, after
    verifying those too."""
    by_identity = {unit.identity: unit for unit in units}
    wanted = [unit for unit in units if unit.spec.whole]
    for n, unit in enumerate(wanted):
        step(n, len(wanted), unit.identity.title)
        verify = update_of if unit.spec.operation == UPDATING else part_of
        by_identity[unit.identity] = verify(paths, unit, _whole_of(unit, by_identity))
    return [by_identity[unit.identity] for unit in units]


def _whole_of(unit: Unit, known: Mapping[Identity, Unit]) -> Unit:
    """The unit of the same codec and compiler whose program writes what this unit reads."""
    assert unit.spec.whole
    return known[unit.identity._replace(workload=unit.spec.whole.id)]
