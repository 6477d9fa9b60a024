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


def pages(folder: Path, *texts: str, ending: str = "json") -> Imported:
    for number, text in enumerate(texts):
        (folder / f"{number}.{ending}").write_text(text)
    files = tuple(folder / f"{number}.{ending}" for number in range(len(texts)))
    return FORMAT.read(Request(files, framing="items"))


@pytest.mark.parametrize(
    "empty",
    [
        '{"items": [], "tags": ["x"]}',
        '{"items": [], "tags": []}',
        '{"items": [], "in": {"more": [{"b": 1}]}}',
    ],
)
def test_an_empty_page_has_the_list_that_the_others_have(empty: str, tmp_path: Path) -> None:
    full = '{"items": [{"a": 1}, {"a": 2}], "tags": ["x"]}'
    for several in ([full, empty], [empty, full], [full, empty, full]):
        assert set(values(pages(tmp_path, *several))) == {(1,), (2,)}
        assert set(values(pages(tmp_path, "\n".join(several), ending="jsonl"))) == {(1,), (2,)}


def test_an_empty_page_may_have_its_list_further_down(tmp_path: Path) -> None:
    found = pages(tmp_path, '{"data": {"items": [{"a": 1}]}}', '{"data": {"items": []}}')
    assert values(found) == [(1,)]


def test_lists_that_are_empty_on_some_pages_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        values(pages(tmp_path, '{"items": [{"a": 1}], "errors": []}', '{"items": [], "errors": [{"b": 2}]}'))
    how = "--framing items:items takes the items of that one of its lists items (1 item), errors (0 items)"
    found = "2 lists of objects, which hold some here or elsewhere"
    assert str(caught.value) == f"{tmp_path}/0.json: found {found}; expected one; {how}"


def test_files_may_have_lists_of_other_names(tmp_path: Path) -> None:
    assert values(pages(tmp_path, '{"Records": [{"a": 1}]}', '{"items": [{"a": 2}]}')) == [(1,), (2,)]


def lines(folder: Path, text: str, framing: str = "") -> Imported:
    (folder / "x.jsonl").write_text(text)
    return FORMAT.read(Request((folder / "x.jsonl",), framing=framing))


def test_lists_in_lines_are_hinted_at(tmp_path: Path) -> None:
    for text in ('[{"a": 1}, {"a": 2}]\n', '[{"a": 1}]\n[{"a": 2}]\n'):
        assert lines(tmp_path, text).notes == [
            f"{tmp_path}/x.jsonl: each line is one message; --framing items takes items of lists"
        ]
        assert values(lines(tmp_path, text, "items")) == [(1,), (2,)]
    one = lines(tmp_path, TRAIL + "\n")
    assert "one message; --framing items takes the items of its list Records" in one.notes[0]
    for text in ("[1, 2]\n", TRAIL + "\n" + TRAIL, '{"a": 1}\n'):
        assert lines(tmp_path, text).notes == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}\n{"a": 2}\n', "x.jsonl: found JSON lines of which one is not a list, and has no list of"),
        ('{"r": [{"a": 1}]}\n\n{"r": [NaN]}\n', "x.jsonl, line 3, column 8: found NaN or Infinity"),
    ],
)
def test_lines_without_a_list_are_told_as_lines(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        values(lines(tmp_path, text, "items"))
    assert told in str(caught.value) and "jq" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ['[{"a": 1},\n{"a": 2}]', '[ {"a": 1},\n {"a": 2}\n]', '[{"a":\n1}, {"a": 2}]', '[{\n"a": 1}, {"a": 2}]'],
)
def test_a_list_in_a_file_of_lines_may_begin_in_its_first_line(text: str, tmp_path: Path) -> None:
    assert values(lines(tmp_path, text)) == [(1,), (2,)]


def test_documents_in_a_file_of_lines_may_begin_in_its_first_line(tmp_path: Path) -> None:
    assert values(lines(tmp_path, '{"a": 1,\n"b": [\n{"c": 2}]}')) == [(1, [(2,)])]
    for text, said in (
        ('{"a": 1,\n{"a": 2}\n{"a": 3}\n', "line 1, column 9: found unexpected end of data"),
        ('{"a":\n1}\n{"a":\n2}\n', "line 3, column 1: found a second document"),
        ('{"a": NaN}\n{"a": 3}\n', "line 1, column 7: found NaN"),
    ):
        with pytest.raises(InputError, match=said):
            values(lines(tmp_path, text))
