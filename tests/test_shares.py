"""Tests of sharing a run among machines of one kind: the cells that each machine measures, and the spread
between machines."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from tests.fake_cluster import announced
from tests.sharing import CODECS, LINKS, UNITS
from tests.support import PATHS
from tests.test_pipeline import SERIALIZE, task

from serbench.cli.clustered import Where, _links
from serbench.cluster.kinds import members_of
from serbench.measure.budget import told_of
from serbench.measure.identity import Identity
from serbench.measure.job import Job
from serbench.measure.joined import joined
from serbench.measure.plan import Plan
from serbench.measure.shares import Share, dealt, links_among
from serbench.measure.taken import CellSamples, Taken
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.stats import machines as of_machines
from serbench.stats.ties import Doubts, standings


@pytest.mark.parametrize("machines", [1, 2, 3, 5, 8])
def test_in_each_round_one_machine_measures_a_unit_and_all_measure_the_links(machines: int) -> None:
    shares = [Share(at, machines, frozenset(LINKS), CODECS, ("fake",)) for at in range(machines)]
    for number in range(1, 10):
        for unit in UNITS:
            taking = sum(share.takes(unit, number) for share in shares)
            assert taking == (machines if unit[0] in LINKS else 1)


def test_a_unit_comes_to_each_machine_in_turn() -> None:
    shares = [Share(at, 3, frozenset(), CODECS, ("fake", "other")) for at in range(3)]
    for unit in [*UNITS, Identity("fake/b", "other")]:
        visited = [share.at for number in range(1, 7) for share in shares if share.takes(unit, number)]
        assert sorted(visited[:3]) == [0, 1, 2] and visited[:3] == visited[3:]


def test_a_machine_is_dealt_only_what_it_can_measure() -> None:
    cells = [(codec, "fake", "", "serialize:reuse") for codec in CODECS]
    links, (only_first, *others) = set(cells[:2]), cells[2:]
    hands = dealt(cells[2:], [cells, [*links, *others]], LINKS, 1)
    assert only_first in hands[0] and only_first not in hands[1]
    assert all((cell in hands[0]) != (cell in hands[1]) for cell in others)
    assert all(links <= hand for hand in hands)
    assert dealt(cells[:1], [cells, cells], LINKS, 1) == [links, links]
    more = [*cells[:3], (*only_first[:3], "deserialize:reuse")]  # a unit that has lost a cell on one machine
    rounds = [dealt(more[2:], [more, more[:2] + more[3:]], LINKS, number) for number in (1, 2)]
    assert [[only_first in hand for hand in own] for own in rounds] == [[False, False], [True, False]]


def test_an_effect_of_each_machine_is_fitted_to_what_others_have_too() -> None:
    levels = [{"a": 0.0, "b": 1.0}, {"a": 0.2, "b": 1.2, "c": 9.0}]
    found = of_machines.levels_of(levels)
    assert found.effects == pytest.approx([-0.1, 0.1]) and found.residual == pytest.approx(0.0)
    alone = of_machines.levels_of([{"a": 1.0}, {"b": 2.0}, {}])
    assert alone.effects == [None, None, None] and alone.residual is None
    # a table with holes, no figure of which is on all machines
    holes = [{"a": 0.0, "b": 1.0}, {"b": 1.1, "c": 2.1}, {"c": 2.3, "a": 0.3}, {}]
    assert of_machines.levels_of(holes).effects[:3] == pytest.approx([-0.4 / 3, -0.1 / 3, 0.5 / 3], abs=1e-6)
    apart = of_machines.levels_of([{"a": 0.0, "b": 0.0}, {"a": 0.2, "b": -0.2}])
    assert apart.residual == pytest.approx(4 * 0.1**2) and of_machines.error_of_ratio(0.04, 2) == 0.2


def test_a_machine_that_is_far_from_its_kind_is_out_of_line() -> None:
    assert of_machines.out_of_line([0.0, 0.001, -0.001, 0.04]) == [False] * 4  # near enough, however close
    assert of_machines.out_of_line([0.0, 0.02, -0.02, 0.2]) == [False, False, False, True]
    assert of_machines.out_of_line([0.0, 0.02, None, -0.02, 0.2]) == [False, False, False, False, True]
    assert joined({}, LINKS).taken.cells == {}


def shared(machines: int, rounds: int, apart: float, draws: random.Random) -> Taken:
    """The simulated samples of several machines. All codecs are equally fast, except for a random effect of
    each machine on each codec.

    Args:
        apart: the standard deviation of the logarithm of this effect.
    """
    codecs = [f"fake/{n}" for n in range(12)]
    links = frozenset(codecs[:3])
    made = {}
    for at in range(machines):
        share, taken, clock = Share(at, machines, links, codecs, ("fake",)), Taken(), draws.gauss(0, 0.02)
        effects = {codec: draws.gauss(0, apart) for codec in codecs}
        for number, codec in product(range(1, rounds + 1), codecs):
            if share.takes(Identity(codec, "fake"), number):
                log = clock + effects[codec] + draws.gauss(0, 0.02)
                cell = (codec, "fake", "", "serialize:reuse")
                taken.cells.setdefault(cell, CellSamples()).quiet[number] = [1000 * math.exp(log)]
        made[f"box{at}"] = taken
    return joined(made, links).taken


@pytest.mark.parametrize("machines", [2, 3, 5])
def test_that_equal_machines_are_apart_ranks_no_codecs(machines: int) -> None:
    """Equally fast codecs must share a rank, though each machine favours some. Intervals from rounds alone
    would rank these codecs, since all rounds are from the same few machines."""
    draws, wrong = random.Random(machines), {"rounds alone": 0, "with spread": 0}
    for _ in range(40):
        taken = shared(machines, 15, 0.02, draws)
        figures = {cell: samples.figures() for cell, samples in taken.cells.items()}
        for what, spread in (
            ("rounds alone", 0.0),
            ("with spread", taken.spreads["fake", "serialize:reuse"]),
        ):
            wrong[what] += len({each.rank for each in standings(figures, Doubts(spread)).values()}) > 1
    assert wrong["with spread"] <= 3 and wrong["rounds alone"] > 10


VARIANTS = load_variants(PATHS.codecs)


def test_machines_are_linked_by_floors_and_two_contenders_of_one_language() -> None:
    chosen = [each for each in VARIANTS.values() if each.codec.language in ("cpp", "jvm", "python")]
    links = [VARIANTS[each] for each in links_among(chosen)]
    assert {each.codec.language for each in links} == {"cpp"}  # which has no JIT compiler, and comes first
    assert [each.codec.floor for each in links].count(False) == 2 and any(each.codec.floor for each in links)
    of_jvm = [each for each in chosen if each.codec.language == "jvm"]
    assert {VARIANTS[each].codec.language for each in links_among(of_jvm)} == {"jvm"}


@pytest.mark.parametrize(
    ("boxes", "share", "limit_s", "shared"),
    [
        (2, None, 1000.0, False),  # it fits
        (2, None, 1.0, True),
        (2, True, 1000.0, True),
        (2, False, 1.0, False),
        (1, True, 1.0, False),  # there is nobody to share with
    ],
)
def test_machines_share_what_does_not_fit_into_its_time_on_one(
    tmp_path: Path, boxes: int, share: bool | None, limit_s: float, shared: bool
) -> None:
    job = Job(PATHS, Chosen(list(VARIANTS.values())[:5], [], [SERIALIZE]))
    plan, tasks = Plan([], 9, seed=1, max_time_s=limit_s), [task(f"fake/{n}") for n in range(5)]
    members = members_of({str(n): announced(f"box{n}") for n in range(boxes)})
    where, fits = Where("tcp://127.0.0.1:1", share=share), not told_of(plan, tasks)
    assert bool(_links(where, job, fits, members)) == shared


def test_a_share_takes_less_time_than_everything() -> None:
    tasks = [task(codec) for codec in CODECS]
    whole = Plan([], 9, seed=1)
    third = replace(whole, share=Share(0, 3, frozenset(LINKS), CODECS, ("fake",)))
    assert third.estimate_s(tasks) == pytest.approx(whole.estimate_s(tasks) * (2 + 4 / 3) / 6)
