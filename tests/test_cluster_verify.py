"""Tests of verification on many machines: how units are distributed, and what becomes of those of a machine
that is lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tests.fake_cluster import ORDER, FakePool, announced
from tests.test_pipeline import Quiet

from serbench.cluster.messages import Announced, CheckedUnit
from serbench.cluster.verifying import Verifying

MANY = msgspec.structs.replace(ORDER, codecs=tuple(f"fake/{n}" for n in range(9)))


def fleet(*names: str, **of_machine: str) -> dict[str, Announced]:
    return {f"tcp://{name}": announced(name, **of_machine) for name in names}


def verify(pool: FakePool) -> list[tuple[str, CheckedUnit]]:
    return Verifying(pool, MANY, Quiet()).verify(pool.members())


def test_machines_of_a_kind_share_the_codecs_and_every_kind_does_all() -> None:
    pool = FakePool(fleet("a", "b", "c") | fleet("old", model="1"))
    found = verify(pool)
    assert {each.status for _, each in found} == {"ok"} and all(each.verification for _, each in found)
    assert Counter(each.codec for _, each in found) == dict.fromkeys(MANY.codecs, 2)
    assert Counter(kind for kind, _ in found) == {"zen4 (model none)": 9, "zen4 (model 1)": 9}
    assert Counter(address for address, question in pool.asked if question == "build") == {
        f"tcp://{name}": 1 for name in ("a", "b", "c", "old")
    }


def test_what_was_not_built_is_not_verified() -> None:
    pool = FakePool(fleet("a"))
    order = msgspec.structs.replace(ORDER, codecs=("fake/a", "fake/missing"))
    found = Verifying(pool, order, Quiet()).verify(pool.members())
    assert {each.codec: (each.status, bool(each.verification)) for _, each in found} == {
        "fake/a": ("ok", True),
        "fake/missing": ("not_installed", False),
    }


def on_one_computer(*cores: int) -> dict[str, Announced]:
    """The descriptions that workers on one computer announce, by address; each worker has one of these cores,
    and all build in the same folder."""
    return {f"tcp://{n}": msgspec.structs.replace(announced("box"), cores=(n,)) for n in cores}


@pytest.mark.parametrize("returns", [True, False])
def test_the_work_of_a_lost_machine_is_done_by_another_of_its_folder(returns: bool) -> None:
    pool = FakePool(on_one_computer(0, 1), returns=returns)
    pool.dies = lambda address, question: (address, question) == ("tcp://0", "check") and not died(pool)
    found = verify(pool)
    assert len(found) == 9 and {each.status for _, each in found} == {"ok"}


def test_who_builds_uses_the_cores_of_those_that_wait_for_it() -> None:
    pool = FakePool(on_one_computer(0, 1) | fleet("a"))
    verify(pool)
    asked = {address: order.cores for address, order in pool.orders}  # one of the two may find all done
    assert {*asked.values()} == {(0, 1), (0, 1, 2, 3)} and asked["tcp://a"] == (0, 1, 2, 3)


def died(pool: FakePool) -> bool:
    return pool.asked.count(("tcp://0", "check")) > 1


def test_what_no_machine_is_left_for_has_the_reason(tmp_path: Path) -> None:
    pool = FakePool(fleet("a", "b"), returns=False)
    pool.dies = lambda address, question: address == "tcp://b" and question == "check"
    found = verify(pool)
    assert Counter(each.status for _, each in found) == {"ok": 4, "failed": 5}
    assert {each.reason for _, each in found if each.status == "failed"} == {
        "not verified: its worker is gone"
    }
    refused = FakePool(fleet("a", "b"), refuses={"tcp://b": "has another serbench"})
    assert {each.reason for _, each in verify(refused) if each.status == "failed"} == {
        "b: has another serbench"
    }
