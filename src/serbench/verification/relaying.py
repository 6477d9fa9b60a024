"""Has a program decode messages of another schema and encode again what its library made of them, as a proxy
that was built before a schema changed does.

The program is first fed each message with the limits for hostile messages (``hostile.py``), and messages that
do harm there are not relayed. Messages that it refuses there are: it may have refused them where it makes
domain objects, which relaying leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.changes import filled
from serbench.changes.change import Convert
from serbench.errors import RunnerError, ValueMismatch
from serbench.measure.unit import Unit
from serbench.verification.processes import Passed, Processes


@dataclass(frozen=True)
class Relay:
    """A program of another schema, which messages go through.

    Attributes:
        has: makes of a message's value what this program's schema has of it.
        left: makes of it what is left where all is lost that this schema lacks.
    """

    unit: Unit
    has: Convert
    left: Convert


def relay_of(unit: Unit, has: Convert, back: Convert) -> Relay:
    """The program of an old schema as a relay of messages of the new one.

    Args:
        has: makes of a message's value what the old schema has of it.
        back: makes of a value of the old schema one of the new schema.
    """
    root = unit.spec.workload.schema.root

    def left(value: object) -> object:
        try:
            return back(filled(root, has(value)))
        except ValueMismatch:  # nothing can be left, so a value that arrives is the whole one
            return value

    return Relay(unit, has, left)


def relayed(processes: Processes, unit: Unit, messages: Sequence[bytes]) -> Passed:
    """Have the program of a unit relay messages that do no harm when it decodes them.

    Raises:
        CannotRelay: the library cannot encode what it has decoded.
        RunnerError: the program does not even begin.
    """
    answers = processes.probed(unit, messages)
    stopped = {
        n: RunnerError(each.reason, hung=each.harm == "hang", by=each.by)
        for n, each in enumerate(answers)
        if each.harm
    }
    left = [n for n in range(len(answers)) if n not in stopped]
    found = processes.passed(unit, "relay", [messages[n] for n in left])
    stopped |= {left[n]: error for n, error in found.stopped.items()}
    return Passed(stopped, [left[n] for n in found.whole], found.bodies)
