"""Tests of importing messages that are the items of a list inside a JSON document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from serbench.errors import InputError
from serbench.imports.base import Imported, Request
from serbench.imports.json import FORMAT

TRAIL = '{"Records": [{"a": 1}, {"a": 2}], "next": null, "tags": ["x"]}'
HITS = '\n{"took": 3, "hits": {"total": 2, "hits": [{"a": 1}, {"a": 2}]}, "shards": {"n": [1]}}'
LINKED = '{"data": [{"a": 1}, {"a": 2}, {"a": 3}], "links": [{"to": "x"}], "n": [4]}'


def read(folder: Path, text: str, framing: str = "") -> Imported:
    (folder / "x.json").write_text(text)
    return FORMAT.read(Request((folder / "x.json",), framing=framing))


def values(found: Imported) -> list[Any]:
    assert found.values
    return list(found.values())


def refusal(folder: Path, text: str, framing: str) -> str:
    with pytest.raises(InputError) as caught:
        values(read(folder, text, framing))
    return str(caught.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    ("text", "framing", "name", "found"),
    [
        (TRAIL, "items", "Records (2 items)", [(1,), (2,)]),
        (HITS, "items", "hits.hits (2 items)", [(1,), (2,)]),
        ('{"meta": {"pages": [{"n": 1}]}, "data": [{"a": 1}]}', "items", "data (1 item)", [(1,)]),
        (LINKED, "items:data", "data (3 items)", [(1,), (2,), (3,)]),
        (LINKED, "items:links", "links (1 item)", [("x",)]),
        (LINKED, "items:n", "n (1 item)", [(4,)]),
        (HITS, "items:hits.hits", "hits.hits (2 items)", [(1,), (2,)]),
        ('{"a.b": [{"a": 1}]}', "items:a.b", "a.b (1 item)", [(1,)]),
    ],
)
def test_the_list_in_an_envelope_is_found_and_told(
    text: str, framing: str, name: str, found: list[Any], tmp_path: Path
) -> None:
    imported = read(tmp_path, text, framing)
    assert values(imported) == values(imported) == found and imported.count() == len(found)
    assert imported.notes == [f"{tmp_path}/x.json: messages are the items of its list {name}"]


def test_where_several_lists_may_be_meant_the_user_is_asked(tmp_path: Path) -> None:
    how = "--framing items:data takes the items of that one of its lists data (3 items), links (1 item)"
    assert refusal(tmp_path, LINKED, "items") == f"x.json: found 2 lists of objects; expected one; {how}"
    assert refusal(tmp_path, LINKED, "items:dta") == (
        "x.json: found no list at 'dta'; expected data (3 items), links (1 item); change --framing"
    )
    assert "found no list at 'x'; expected a member that is a list" in refusal(tmp_path, "[]", "items:x")
    many = "{" + ", ".join(f'"k{n}": [{{"a": 1}}]' for n in range(40)) + "}"
    assert "k5 (1 item) and 34 more" in refusal(tmp_path, many, "items")
    for wrong in ("items:", "lines:x", "list"):
        assert f"framing: found '{wrong}'; expected one of auto" in refusal(tmp_path, LINKED, wrong)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}', "x.json: found JSON that is not a list, and has no list of objects in it; expected"),
        ('{"a": [], "b": [1, {}]}', "found JSON that is not a list, and has no list"),
        ("7", "found JSON that is not a list"),
        ("", "found no message; expected at least one"),
        ('{"a": [{"b": 1},]}', "x.json, line 1, column 16: found trailing comma is not allowed"),
        ('[{"a": 1}, // one\n{"a": 2}]', "x.json, line 1, column 12: found a comment"),
    ],
)
def test_what_has_no_list_is_told_with_its_fault(text: str, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, text, "items")


def test_a_list_is_hinted_at_and_not_taken_by_itself(tmp_path: Path) -> None:
    hinted = read(tmp_path, TRAIL)
    assert len(values(hinted)) == 1
    assert hinted.notes == [
        f"{tmp_path}/x.json: one message; --framing items takes the items of its list Records (2 items)"
    ]
    assert "--framing items:data takes the items of that one of" in read(tmp_path, LINKED).notes[0]
    for text, framing in (
        (TRAIL, "one"),
        ('{"a": [{"b": 1}]}', ""),
        ('{"a": [1, 2]}', ""),
        (TRAIL + "\n" + TRAIL, ""),
        ('[{"a": 1}, {"a": 2}]', "items"),
    ):
        assert read(tmp_path, text, framing).notes == []
