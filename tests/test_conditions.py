"""Tests of conditions on messages: what they mean, what is refused and selected, and that no value stays."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.test_changes import ORDERS, VALUE
from tests.test_reading import KNOWN

from serbench.changes.conditions import conditions_of
from serbench.cli.asking import Making, What, selecting_words
from serbench.cli.effort import Effort
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.filtered import filtered
from serbench.model import Array, Enum, Field, FixedBytes, List, Map, Optional, Record, Schema, string, u8
from serbench.model.logical import date, timestamp
from serbench.paths import Paths
from serbench.selecting.selection import Asked, Chosen, select
from serbench.selecting.suite import load_suites
from serbench.system.command import words_to_keep
from serbench.system.locks import using_home
from serbench.workload import WorkloadSpec

ALL_KINDS = Schema(
    "kinds",
    Record(
        "Kinds",
        [
            *(Field("yes", "bool"), Field("half", "f32"), Field("key", FixedBytes(4)), Field("raw", "bytes")),
            *(
                Field("at", timestamp("ms")),
                Field("day", date()),
                Field("local", timestamp("s", zoned=False)),
            ),
            *(Field("tags", List(string)), Field("grid", List(Array(u8, 2))), Field("by", Map(string, u8))),
            Field("maybe", Optional(string)),
            Field("state", Enum("State", u8, ["on", "off"], [("up", 0)], wire=[("off", "OFF!")])),
        ],
    ),
)
AT = 1_764_333_000_250  # 2025-11-28T12:30:00.250Z
TENTH = struct.unpack("<f", struct.pack("<f", 0.1))[0]
KIND: Any = (True, TENTH, b"abcd", b"", AT, 1, 3600, ["a", "b=c"], [[1, 2]], {"k": 7}, None, 1)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("id=7", True),
        ("id!=7", False),
        (" id >= 7 ", True),
        ("id>7", False),
        ("id<=7", True),
        ("id<7", False),
        ("lines[].sku=b", True),
        ("lines[].sku=c", False),
        ("lines.n>299", True),
        ("lines[].n>300", False),
        ("lines[].note=x", True),
        ("lines[].note!=x", False),  # the other line has no note, and what is absent compares with nothing
        ("status=done", True),
        ("status!=open", True),
        ("paid.card=visa", True),
        ("node.next.value=2", True),
        ("node.next.next.value=2", False),
    ],
)
def test_a_condition_holds_where_some_value_at_its_path_compares(text: str, holds: bool) -> None:
    (condition,) = conditions_of(ORDERS, [text])
    assert condition.holds(VALUE) is holds


def test_a_value_of_another_alternative_meets_no_condition() -> None:
    for text in ("paid.card=visa", "paid.card!=visa"):
        (condition,) = conditions_of(ORDERS, [text])
        assert not condition.holds((*VALUE[:3], (0, None), VALUE[4]))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("yes=true", True),
        ("yes!=true", False),
        ("half=0.1", True),  # as its 32 bits have it
        ("half<0.1", False),
        ("at=2025-11-28T12:30:00.250Z", True),
        ("at=2025-11-28T13:30:00.250+01:00", True),
        ("at>2025-11-28", True),
        ("at<2025-11-28T12:30:00.250", False),
        ("at=1764333000250", True),
        ("day=1970-01-02", True),
        ("local=1970-01-01T01:00:00", True),
        ("tags[]=b=c", True),
        ("tags[]=", False),
        ("grid[][]>1", True),
        ("by[]=7", True),
        ("maybe!=x", False),
        ("state=off", True),
        ("state=OFF!", True),
        ("state=up", False),
    ],
)
def test_each_kind_of_value_can_be_compared(text: str, holds: bool) -> None:
    (condition,) = conditions_of(ALL_KINDS, [text])
    assert condition.holds(KIND) is holds


NO_CONDITION = "--where: expected PATH OPERATOR VALUE, such as id=5, with an operator of = != < <= > >="


@pytest.mark.parametrize(
    ("schema", "text", "error"),
    [
        *((ORDERS, text, NO_CONDITION) for text in ("secret", "", "=secret", "id==secret", "id=>secret")),
        *((ORDERS, text, NO_CONDITION) for text in ("status:secret=1", "status is secret=1", "secret=id")),
        (ORDERS, "ids=secret", "unknown path 'ids'; did you mean id or"),
        (ORDERS, "lines[0].n=8151", "--where lines[0].n = …: [0] is a single item or entry; expected []"),
        (
            ORDERS,
            "id=secret",
            "--where id = …: its type u32 has no such value; expected a whole number from 0",
        ),
        (ORDERS, "id>-8151", "its type u32 has no such value; expected a whole number from 0 to 4294967295"),
        (ORDERS, "status=secret", "--where status = …: it has no such member; expected one of open, done"),
        (
            ORDERS,
            "status<done",
            "--where status < …: status is an enum, which has no order; expected = or !=",
        ),
        (ORDERS, "lines=secret", "lines has items; expected lines[], which means any of them"),
        (
            ORDERS,
            "lines[]=secret",
            "lines[] is a record; expected the path of a number, text, bool or enum such as lines[].sku",
        ),
        (ORDERS, "paid=secret", "paid is a union; expected the path of"),
        (ORDERS, "paid.cash=secret", "paid.cash has no value; expected the path of"),
        (ALL_KINDS, "yes=secret", "its type bool has no such value; expected false or true"),
        (ALL_KINDS, "yes>false", "yes is a bool, which has no order; expected = or !="),
        (ALL_KINDS, "half=secret", "its type f32 has no such value; expected a number"),
        (ALL_KINDS, "half=nan", "its type f32 has no such value; expected a number"),
        (ALL_KINDS, "half=8151e300", "its type f32 has no such value; expected a number"),
        (ALL_KINDS, "key=secret", "key is bytes<4>; expected the path of a number, text, bool or enum"),
        (
            ALL_KINDS,
            "at>secret",
            "--where at > …: its type timestamp in ms has no such value; expected a date",
        ),
        (ALL_KINDS, "at>8151-13-13", "its type timestamp in ms has no such value; expected a date such as"),
        (ALL_KINDS, "day=8151-01-02T12:00:00", "has no such value; expected a date such as 2026-11-28, or"),
        (ALL_KINDS, "raw=secret", "raw is bytes; expected the path of a number, text, bool or enum"),
    ],
)
def test_what_is_no_condition_is_refused_without_its_value(schema: Schema, text: str, error: str) -> None:
    with pytest.raises(SelectionError) as raised:
        conditions_of(schema, [text])
    assert error in str(raised.value)
    assert "secret" not in str(raised.value) and "8151" not in str(raised.value)


def test_a_filter_reads_the_paths_of_its_conditions_and_more_of_what_matches() -> None:
    specs = [WorkloadSpec.usual(KNOWN["monsters"])]
    asked = ["monsters[].hp>50", "monsters[].name!=x", "monsters[].hp<1000"]
    chosen = Chosen([], specs).filtering(asked)
    assert [spec.id for spec in chosen.workloads] == [
        "monsters",
        "monsters/read=monsters[].hp,monsters[].name",
    ]
    assert chosen.filters["monsters"].reads == chosen.workloads[1].id
    assert chosen.filters["monsters"].then == []
    both = Chosen([], specs).reading(["monsters[].mana"]).filtering(asked)
    assert both.filters["monsters"].then == ["monsters/read=monsters[].mana"]
    assert len(both.workloads) == 3 and {each.id for each in chosen.workloads} < {
        each.id for each in both.workloads
    }
    assert Chosen([], specs).filtering([]) == Chosen([], specs)


@pytest.mark.parametrize(
    ("asked", "share"),
    [
        (["monsters[].hp>=0"], 1.0),
        (["monsters[].hp<0"], 0.0),
        (["monsters[].hp>=0", "monsters[].hp<0"], 0.0),
    ],
)
def test_what_matches_is_counted_by_all_conditions(asked: list[str], share: float) -> None:
    spec = WorkloadSpec.usual(KNOWN["monsters"])
    data = dataset_for(spec, Paths.default())
    found = filtered(Chosen([], [spec]).filtering(asked).filters[spec.id], spec, data)
    assert found and found.matching == share * data.messages
    assert found.conditions == tuple(
        ("monsters[].hp", each.removeprefix("monsters[].hp")[:-1]) for each in asked
    )
    assert filtered(None, spec, data) is None


def test_a_suite_takes_no_condition() -> None:
    suite = load_suites(Paths.default().suites)["monsters"]
    with pytest.raises(
        SelectionError, match="suite monsters says what is read and changed; expected no --read"
    ):
        select(KNOWN, {}, suite, Asked(conditions=["monsters[].hp>0"]))


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["run", "--where", "status=secret"], ["run", "--where", "status=…"]),
        (["--where", "a.b >= 5", "-w", "x=5"], ["--where", "a.b >=…", "-w", "x=5"]),
        (["--where=status!=secret"], ["--where=status!=…"]),
        (["--where", "note=secret=secret\nsecret"], ["--where", "note=…"]),
        (["--where", "note===secret"], ["--where", "note==…"]),
        (["--where", "secret"], ["--where", "…"]),
        (["--where=secret"], ["--where=…"]),
        (["--where", "--where", "a=secret"], ["--where", "…", "a=…"]),
    ],
)
def test_words_of_a_command_line_are_kept_without_values(words: list[str], kept: list[str]) -> None:
    assert words_to_keep(words) == tuple(kept)


def test_the_lock_of_a_home_names_the_command_without_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["serbench", "run", "--where", "status=secret"])
    with using_home(tmp_path, print):
        told = (tmp_path / "lock").read_text()
    assert "serbench run --where status=…" in told and "secret" not in told


def test_the_words_that_select_the_same_again_have_no_condition_and_no_paths() -> None:
    what = What(condition=["note=secret"], read=["n"], update=["n"])
    assert selecting_words(what, Effort(), Making()) == ()
