"""Tests of the output of ``import --explain`` on a schema: the kinds of its types, the codecs that have to
express them by other types, and those that cannot."""

from __future__ import annotations

import pytest

from serbench.imports.base import Imported, Loss, Mapped
from serbench.model import (
    Alternative,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    i32,
    i64,
    string,
    u8,
)
from serbench.model.kinds import KINDS, WRITTEN_NAME, kinds_in
from serbench.paths import Paths
from serbench.report.explained import explained
from serbench.selecting.catalogue import load_variants

LEADS_BACK = [word for word in KINDS if word.startswith("recursion")]


@pytest.mark.parametrize("word", [word for word in KINDS if word not in (WRITTEN_NAME, *LEADS_BACK)])
def test_every_kind_is_known_by_its_example(word: str) -> None:
    assert next(kinds_in(KINDS[word])) == word


@pytest.mark.parametrize("word", [word for word in LEADS_BACK if word != "recursion in a union"])
def test_what_leads_back_is_known_in_its_record(word: str) -> None:
    schema = Schema("sample", Record("Root", [Field("x", KINDS[word])]))
    (record,) = (each for each in schema.records if each.name == KINDS[word].name)  # type: ignore[union-attr]
    assert word in {kind for field in record.fields for kind in kinds_in(field.type)}


def test_types_in_one_another_are_of_several_kinds() -> None:
    assert list(kinds_in(Map(string, List(Optional(i32))))) == [
        "map by string",
        "list of optionals",
        "optional number",
        "i32",
    ]


def test_it_tells_who_expresses_a_kind_by_another_and_who_cannot_do_the_schema() -> None:
    either = Union("Either", [Alternative("one", i64), Alternative("text", string)])
    fields = [Field("names", Map(string, i64)), Field("small", u8), Field("either", either)]
    root = Record("Root", [*fields, Field("back", Optional(Ref("Root")))])
    imported = Imported(
        root, [either], [Mapped("$.names", "object", "map<string, i64>")], [Loss("$.x", "nothing of it")]
    )
    variants = load_variants(Paths.default().codecs)
    asked = [variants[each] for each in ("cpp/flatbuffers", "cpp/capnproto:packed", "jvm/msgpack4z:maps")]
    tables, records = explained(imported, "some.json", asked)
    assert [table.title for table in tables] == [
        "some.json in the type model",
        "lost in the import",
        "how libraries support it",
    ]
    rows = {row[0]: tuple(row[1:]) for row in tables[2].rows}
    assert rows["map by string"] == ("1", "cpp/capnproto, cpp/flatbuffers")
    assert rows["u8"] == ("1", "")
    assert rows["i64"] == ("2", ""), "of a map's values, and of an alternative"
    assert (
        tables[2]
        .notes[0]
        .startswith(
            "jvm/msgpack4z:maps cannot: its adapter supports only the first edition of the type model"
        )
    )
    assert {"kind": "map by string", "fields": 1, "lowered": ["cpp/capnproto", "cpp/flatbuffers"]} in records
    assert {"path": "$.x", "lost": "nothing of it"} in records


def test_many_codecs_are_counted() -> None:
    imported = Imported(Record("Root", [Field("x", KINDS["wide enum"])]), [], [])
    tables, _ = explained(imported, "some.json", load_variants(Paths.default().codecs).values())
    (row,) = (row for row in tables[0].rows if row[0] == "wide enum")
    assert row[2].endswith(" codecs") and " of " in row[2]
