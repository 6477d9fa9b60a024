"""Tests of importing JSON of any depth: the work grows only with the size of the data. An object of the same
shape as one around it is recursion; data that no type can hold are refused, with their depth and place."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.json_values import same
from tests.test_import_json import back, imported, losses, types

from serbench.errors import InputError
from serbench.imports.json import sharing
from serbench.imports.json.shape import LEVELS, MOST_LEVELS

INSIDE = "what is inside there"


def chain(levels: int, key: Callable[[int], str], innermost: str = "1") -> str:
    """The text of this many objects inside each other, each with one key."""
    return "".join(f'{{"{key(n)}":' for n in range(levels)) + innermost + "}" * levels + "\n"


def work(patch: pytest.MonkeyPatch, folder: Path, *messages: str) -> int:
    """The number of pairs of values that are compared while these messages are imported, even if they are
    refused."""
    compared = 0
    compare = sharing._are_of_one_kind

    def counted(*pair: Any) -> bool:
        nonlocal compared
        compared += 1
        return compare(*pair)

    with patch.context() as each:
        each.setattr(sharing, "_are_of_one_kind", counted)
        try:
            imported(folder, *messages)
        except InputError as error:
            assert "levels of nested types" in str(error)
    return compared


def test_a_linked_list_is_a_record_that_leads_to_itself_whatever_its_length(tmp_path: Path) -> None:
    for length in (3, 100, 400, LEVELS - 1):
        text = "".join(f'{{"value":{n},"next":' for n in range(length)) + "null" + "}" * length + "\n"
        found = imported(tmp_path, text)
        assert types(found) == {"value": "i64", "next": "optional<Root>"}
        assert same(back(found), [json.loads(text)])


@pytest.mark.parametrize(
    ("keys", "innermost", "expected"),
    [
        ("a", "null", {"a": "optional<Root>"}),
        ("a", "{}", {"a": "Root"}),
        ("a", "1", {"a": "A", "a as integer": "i64", "a as object": "Root"}),
    ],
)
def test_objects_inside_objects_of_the_same_key_are_recursion(
    tmp_path: Path, keys: str, innermost: str, expected: dict[str, str]
) -> None:
    for levels in (50, 100, 400):
        text = chain(levels, lambda n: keys[n % len(keys)], innermost)
        found = imported(tmp_path, text)
        assert found.schema("test").is_recursive
        assert same(back(found), [json.loads(text)])
        if innermost != "{}":
            assert expected.items() <= types(found).items()


@pytest.mark.parametrize("keys", ["ab", "abc", "abcdefghij"])
def test_objects_that_take_turns_are_recursion(tmp_path: Path, keys: str) -> None:
    text = chain(400, lambda n: keys[n % len(keys)])
    found = imported(tmp_path, text)
    assert found.schema("test").is_recursive
    assert same(back(found), [json.loads(text)])


def test_a_value_of_another_kind_far_inside_of_a_tree_is_a_union_and_told(tmp_path: Path) -> None:
    found = imported(tmp_path, chain(100, lambda n: "a", '"x"'))
    assert "become a union" in losses(found)["a"]


def test_few_objects_inside_each_other_are_no_tree_if_values_differ(tmp_path: Path) -> None:
    found = imported(tmp_path, chain(sharing.ENOUGH_OF_TREE, lambda n: "user", '"x"'))
    assert not found.schema("test").is_recursive


@pytest.mark.parametrize(
    ("text", "path", "levels"),
    [
        (chain(100, lambda n: f"k{n}"), "k0.k1.k2.", 100),
        (chain(400, lambda n: f"k{n}"), "k0.k1.k2.", 400),
        ('{"a":' + "[" * 100 + "]" * 100 + "}\n", "a[][][]", 101),
        (chain(100, lambda n: f"{n}"), "{}{}{}", 100),
    ],
    ids=["objects", "400 objects", "lists", "maps"],
)
def test_more_levels_of_types_than_there_may_be_are_refused_with_their_number(
    tmp_path: Path, text: str, path: str, levels: int
) -> None:
    with pytest.raises(InputError) as told:
        imported(tmp_path, text)
    assert f"found {levels} levels of nested types; expected at most {MOST_LEVELS}" in str(told.value)
    assert path in str(told.value) and " … " in str(told.value) and INSIDE in str(told.value)
    assert len(str(told.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("levels", [LEVELS + 1, 1_000, 1_025, 10_000, 100_000])
@pytest.mark.parametrize(
    ("begin", "end", "path"),
    [('{"a":', "}", "a.a.a."), ("[", "]", "[][][]"), ('{"b\\"[":[', "]}", '"b\\"["[].')],
    ids=["objects", "lists", "both"],
)
def test_more_levels_than_are_read_are_refused_with_their_number(
    tmp_path: Path, levels: int, begin: str, end: str, path: str
) -> None:
    each = levels if len(begin) != 7 and begin != '{"b\\"[":[' else (levels + 1) // 2
    deep = each if each == levels else 2 * each
    for text in (
        begin * each + "1" + end * each + "\n",
        '{"first": 1}\n' + begin * each + "1" + end * each + "\n",
    ):
        with pytest.raises(InputError) as told:
            imported(tmp_path, text)
        assert f"found {deep:,} nested objects and lists; expected at most {LEVELS}" in str(told.value)
        assert path in str(told.value) and " … " in str(told.value) and INSIDE in str(told.value)
        assert len(str(told.value)) < 400 + len(str(tmp_path))


def test_levels_that_do_not_end_are_counted_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1, a\[\]\[\].*found 1,000,001 nested objects and lists"):
        imported(tmp_path, '{"a": ' + "[" * 10**6 + "\n")


def _shifted(key: Callable[[int], str], by: int, n: int) -> str:
    return key(n + by)


@pytest.mark.parametrize(
    "key",
    [lambda n: "a", lambda n: "ab"[n % 2], lambda n: f"k{n}", lambda n: f"k{n * 7 % 50}", lambda n: f"{n}"],
    ids=["same", "by turns", "different", "again", "numbers"],
)
@pytest.mark.parametrize("messages", [1, 20])
def test_work_grows_with_depth_and_not_with_its_cube(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Callable[[int], str], messages: int
) -> None:
    """An earlier version compared each object with all objects around it and with all that is inside them:
    400 levels took ten million comparisons."""
    for innermost in ("1", '{"x": [1]}', "{}"):
        texts = [chain(400, partial(_shifted, key, m), innermost) for m in range(messages)]
        assert work(monkeypatch, tmp_path, *texts) < 60 * 400 * messages


def test_chains_that_differ_far_inwards_end(tmp_path: Path) -> None:
    """The import ends. In an earlier version, two records could be replaced by other ones while records
    inside them were still compared; the replacements then referred to each other in a circle."""
    draws = Random(1)
    keys = [[f"k{draws.randrange(3)}" for _ in range(60)] for _ in range(30)]
    chains = {f"r{n}": json.loads(chain(60, each.__getitem__)) for n, each in enumerate(keys)}
    found = imported(tmp_path, json.dumps(chains) + "\n")
    assert same(back(found), [chains])


def test_no_more_is_compared_than_takes_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the most work is reached, records stay apart that could have been united, but their values are
    still right."""
    monkeypatch.setattr(sharing, "MOST_WORK", 10)
    owner = {"login": "x", "id": 1, "name": "y"}
    document = {f"r{n}": {"owner": owner, f"x{n}": n} for n in range(9)}
    assert work(monkeypatch, tmp_path, json.dumps(document) + "\n") <= 10
    assert same(back(imported(tmp_path, json.dumps(document) + "\n")), [document])


def test_records_with_the_same_keys_and_other_values_are_not_compared_each_with_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = {f"r{n}": {"type": "x", "value": {f"v{n}": n}} for n in range(900)}
    assert (
        work(monkeypatch, tmp_path, json.dumps({"a": 1, **records}) + "\n") < 1000 * sharing.MOST_COMPARED * 3
    )
