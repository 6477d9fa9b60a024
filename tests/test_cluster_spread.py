"""Tests of programs that one machine builds and others of its kind start: how builds are distributed, and
which programs are handed over."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import msgspec
from tests.fake_cluster import ORDER, FakePool, announced
from tests.test_cluster_verify import fleet, on_one_computer
from tests.test_pipeline import Quiet

from serbench.cluster.spreading import MOST_PLACES, Spreading

MANY = msgspec.structs.replace(ORDER, codecs=tuple(f"fake/{n}" for n in range(6)))


def key(codec: str) -> str:
    return sha256(codec.encode()).hexdigest()


ALL = {key(codec) for codec in MANY.codecs}


def spread(pool: FakePool, *codecs: str) -> list[str]:
    """Spreads the programs of these codecs over the machines, so that each kind of machines builds a program
    once; returns the messages to the user, except those that say what a machine was asked to do."""
    said = list[str]()
    order = msgspec.structs.replace(MANY, codecs=codecs or MANY.codecs)
    Spreading(pool, order, Quiet(), said.append).spread(pool.members())
    return [line for line in said if "was asked to" not in line]


def keeping_nothing(pool: FakePool) -> FakePool:
    pool.keeps.update({address: set() for address in pool.machines})
    return pool


def test_each_program_is_built_by_one_machine_of_a_kind_and_kept_by_all() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b", "c") | fleet("old1", "old2", model="1")))
    assert not spread(pool)
    assert list(pool.keeps.values()) == [ALL] * 5
    builders: dict[str, set[str]] = {}
    for giver, codec, taker in pool.handed:
        builders.setdefault(codec, set()).add(giver)
        assert ("old" in giver) == ("old" in taker)
    assert all(len(each) == 2 for each in builders.values())  # one of each kind
    assert Counter(len([g for g in each if "old" not in g]) for each in builders.values()) == {1: 6}
    shares = Counter(min(each) for each in builders.values())
    assert shares == {"tcp://a": 2, "tcp://b": 2, "tcp://c": 2}


def test_variants_of_a_codec_stay_together() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b")))
    spread(pool, "fake/x:one", "fake/y", "fake/x:two", "fake/z")
    givers = {codec: giver for giver, codec, _ in pool.handed}
    assert givers["fake/x:one"] == givers["fake/x:two"] != givers["fake/y"] == givers["fake/z"]


def test_what_a_machine_keeps_is_built_no_more() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b")))
    pool.keeps["tcp://b"] |= ALL - {key("fake/3")}
    spread(pool)
    assert Counter(giver for giver, _, _ in pool.handed)["tcp://b"] >= 5
    assert [question for address, question in pool.asked if question == "make"] == ["make"]
    spread(pool)
    assert [question for address, question in pool.asked if question == "make"] == ["make"]


def test_machines_that_build_in_one_folder_or_are_alone_of_their_kind_are_not_asked() -> None:
    pool = keeping_nothing(FakePool(on_one_computer(0, 1) | fleet("old", model="1")))
    spread(pool)
    assert not pool.asked and not any(pool.keeps.values())


def test_what_needs_more_than_a_file_or_does_not_build_is_left_to_each() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b")))
    assert not spread(pool, "fake/a", "fake/interpreted", "fake/broken")
    assert [codec for _, codec, _ in pool.handed] == ["fake/a"]


def test_a_machine_that_is_lost_or_tells_of_none_leaves_the_rest_to_others() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b", "c"), returns=False))
    pool.dies = lambda address, question: (address, question) == ("tcp://c", "make")
    spread(pool)
    taken = pool.keeps["tcp://a"]
    assert taken == pool.keeps["tcp://b"] and 0 < len(taken) < 6
    mute = FakePool({"tcp://a": announced("a"), "tcp://b": announced("b")})
    assert not spread(mute) and not mute.handed


def test_what_is_not_handed_over_is_told_by_the_machine_that_gave_it() -> None:
    pool = keeping_nothing(FakePool(fleet("a", "b"), returns=False))
    pool.dies = lambda address, question: (address, question) == ("tcp://b", "receive")
    assert spread(pool) == [
        "programs of a that these build themselves: b (3), since its worker is gone",
        "programs of b that these build themselves: a (3), since its worker is gone",
    ]
    many = keeping_nothing(FakePool(fleet(*(f"m{n}" for n in range(8)))))
    many.receives = lambda address: "no space is left"
    told = [line for line in spread(many, "fake/a") if "m0" in line]
    assert len(told) == 1 and told[0].startswith(
        "programs of m0 that these build themselves: m1 (1), m2 (1),"
    )
    assert told[0].endswith("and others, since no space is left")


def test_machines_with_different_compilers_build_what_each_can() -> None:
    """Two machines have one compiler and two have the other. A machine is handed only programs of its own
    compiler."""
    pool = keeping_nothing(FakePool(fleet("a", "b", "c", "d")))
    pool.can_build = lambda address, codec: (address in ("tcp://a", "tcp://b")) == (":old" in codec)
    spread(pool, "fake/x:old", "fake/x:new", "fake/y:old", "fake/y:new")
    old, new = ({key(f"fake/{name}:{of}") for name in "xy"} for of in ("old", "new"))
    assert list(pool.keeps.values()) == [old, old, new, new]
    assert len(pool.handed) == 4


def test_the_notes_of_machines_are_announced_and_large_fleets_are_left_alone() -> None:
    pool, said = keeping_nothing(FakePool(fleet("a", "b"))), list[str]()
    Spreading(pool, MANY, Quiet(), said.append).spread(pool.members())
    assert Counter(said) == {
        f"{name}: was asked to {what}": 1 for name in "ab" for what in ("programs", "make")
    }
    large = keeping_nothing(FakePool(fleet(*(f"m{n}" for n in range(MOST_PLACES + 1)))))
    assert not spread(large) and not large.asked
