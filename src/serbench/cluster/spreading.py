"""Has each program that several machines of a kind need built by one of them, and handed to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

import msgspec

from serbench.cluster.kinds import ClusterMachine, cores_of, places_of
from serbench.cluster.messages import KeptProgram, Order, Programs
from serbench.cluster.pool import Forgotten, Lost, Pool, Refused, answered, ask, threads_for
from serbench.measure.run import Progress

Announce = Callable[[str], None]

MOST_PLACES = 50
"""The most machines of a kind that building is spread over. Handing a program to a machine is a question, and
the client gets some hundreds of questions answered in a second: with more machines, it is quicker if each
builds what it needs."""

SHOWN = 5
"""The most machines that one line names."""

GIVERS = 4
"""How many machines send programs at a time. A machine that receives may hold a program of each in its
memory."""


@dataclass
class _Place:
    """The first of the machines that build in one folder; it builds for all of them.

    Attributes:
        cores: the cores of all machines that use the folder.
        wants: the programs that it would build, by key.
        has: those of these programs that it already keeps, by key.
    """

    member: ClusterMachine
    cores: tuple[int, ...] = ()
    wants: dict[str, KeptProgram] = field(default_factory=dict)
    has: dict[str, KeptProgram] = field(default_factory=dict)

    def learn(self, programs: Iterable[KeptProgram]) -> None:
        self.wants.update({each.key: each for each in programs})
        self.has.update({key: each for key, each in self.wants.items() if each.digest})


@dataclass(frozen=True)
class _Gift:
    """A program that one build folder has, and the folders that need it, of machines of the same kind."""

    giver: _Place
    program: KeptProgram
    takers: Sequence[_Place]


class Spreading:
    """Spreads the building of an order over the machines of each kind.

    Building and handing over may fail here: a machine that lacks programs builds them when it is asked to
    prepare, and raises the error if that fails too.
    """

    def __init__(self, pool: Pool, order: Order, progress: Progress, announce: Announce):
        self._pool, self._order = pool, order
        self._progress, self._announce = progress, announce
        self._failed: Counter[tuple[str, str, str]] = Counter()  # giver, taker and reason → programs

    def spread(self, members: Sequence[ClusterMachine]) -> None:
        """Give every machine the programs that it needs and that another machine would build in the same
        way."""
        kinds = [
            [_Place(own[0], cores_of(own)) for own in places]
            for places in places_of(members).values()
            if 1 < len(places) <= MOST_PLACES
        ]
        all_places = [place for places in kinds for place in places]
        with threads_for(self._pool, len(all_places)) as threads:
            looks = [(self._ask, place, "programs", self._order) for place in all_places]
            self._all(threads, "looking", looks)
            dealt = [each for places in kinds for each in _dealt(places)]
            makes = [(self._ask, place, "make", self._only(codecs, place)) for place, codecs in dealt]
            self._all(threads, "building", makes)
        by_giver: dict[str, list[_Gift]] = {}
        for gift in (gift for places in kinds for gift in _gifts(places)):
            by_giver.setdefault(gift.giver.member.name, []).append(gift)
        with threads_for(self._pool, min(len(by_giver), GIVERS)) as threads:
            self._all(threads, "handing over", [(self._give, gifts) for gifts in by_giver.values()])
        self._tell_failures()

    def _all(self, threads: ThreadPoolExecutor, what: str, calls: Sequence[tuple[Any, ...]]) -> None:
        waiting = [threads.submit(*call) for call in calls]
        for done, future in enumerate(as_completed(waiting)):
            self._progress.step(done, len(waiting), what)
            future.result()

    def _ask(self, place: _Place, question: str, order: Order) -> None:
        try:
            found: Programs = ask(self._pool, place.member, question, order, Programs)
        except (Lost, Forgotten, Refused) as error:
            if question == "make":
                self._announce(f"{error}; so the others of its kind build their programs themselves")
            return
        place.learn(found.programs)
        for note in found.notes:
            self._announce(f"{place.member.name}: {note}")

    def _only(self, codecs: Collection[str], place: _Place) -> Order:
        own = tuple(codec for codec in self._order.codecs if codec in codecs)
        # Missing libraries have been installed by now, where that is possible.
        return msgspec.structs.replace(self._order, codecs=own, cores=place.cores, install=False)

    def _give(self, gifts: Iterable[_Gift]) -> None:
        for gift in gifts:
            giver, program = gift.giver.member, msgspec.json.encode(gift.program)
            takers = [taker.member for taker in gift.takers]
            answers = self._pool.hand_over(giver.address, program, [taker.address for taker in takers])
            for taker, answer in zip(takers, answers, strict=True):
                try:
                    if not isinstance(answer, bytes):
                        raise answer
                    answered(taker, "receive", answer, bool)
                except (Lost, Refused, Forgotten) as error:
                    reason = str(error).removeprefix(f"{taker.name}: ")
                    self._failed[giver.name, taker.name, reason] += 1

    def _tell_failures(self) -> None:
        """Announce which programs were not handed over, a line for each giver and reason."""
        lines: dict[tuple[str, str], list[str]] = {}
        for (giver, taker, reason), count in self._failed.items():
            lines.setdefault((giver, reason), []).append(f"{taker} ({count})")
        for (giver, reason), takers in lines.items():
            shown = ", ".join(takers[:SHOWN]) + (" and others" if len(takers) > SHOWN else "")
            self._announce(f"programs of {giver} that these build themselves: {shown}, since {reason}")


def _dealt(places: Sequence[_Place]) -> Iterator[tuple[_Place, set[str]]]:
    """Deal the programs that several build folders need and none has; yield each folder with the codec
    variants that it builds. Variants of one codec stay together, since they share much of what is
    compiled."""
    wanted = Counter(key for place in places for key in place.wants)
    had = {key for place in places for key in place.has}
    codecs: dict[str, dict[str, KeptProgram]] = {}
    for place in places:
        for key, program in place.wants.items():
            if wanted[key] > 1 and key not in had:
                codecs.setdefault(program.codec.partition(":")[0], {})[key] = program
    load = [0] * len(places)
    dealt: list[set[str]] = [set() for _ in places]
    for own in sorted(codecs.values(), key=len, reverse=True):
        while own:  # if machines have different compilers, no single one builds all of it
            # Those that build the most of it, and of these the one with the least to do.
            at = min(range(len(places)), key=lambda n: (-len(own.keys() & places[n].wants.keys()), load[n]))
            built = own.keys() & places[at].wants.keys()
            load[at] += len(built)
            dealt[at] |= {own[key].codec for key in built}
            own = {key: program for key, program in own.items() if key not in built}
    yield from ((place, variants) for place, variants in zip(places, dealt, strict=True) if variants)


def _gifts(places: Sequence[_Place]) -> Iterator[_Gift]:
    """Yield each program that some build folders of a kind have and others need."""
    given = Counter[int]()
    for key in dict.fromkeys(key for place in places for key in place.wants):
        able = [n for n, place in enumerate(places) if key in place.has]
        takers = [place for place in places if key in place.wants and key not in place.has]
        if able and takers:
            giver = min(able, key=lambda n: given[n])
            given[giver] += 1
            yield _Gift(places[giver], places[giver].has[key], takers)
