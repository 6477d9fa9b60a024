"""Tests of updates: the values that change, the paths that are refused, and the workloads that they give."""

from __future__ import annotations

import math

import pytest

from serbench.changes.derived import parse_spec
from serbench.changes.updating import updated, updates_of
from serbench.errors import SelectionError
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    bool_,
    f32,
    i64,
    string,
    u8,
    uuid,
)  # fmt: skip
from serbench.paths import Paths
from serbench.selecting.selection import Chosen, select_operations
from serbench.workload import load_workloads

KIND = Enum("Kind", u8, [("a", 1), ("b", 2)])
POINT = Record("Point", [Field("x", f32), Field("on", Optional(bool_)), Field("kind", KIND)])
SHAPE = Union(
    "Shape", [Alternative("dot", Ref("Point")), Alternative("none", None), Alternative("size", i64)]
)
ROOT = Record(
    "Root",
    [
        Field("name", string),
        Field("id", uuid()),
        Field("points", List(Ref("Point"))),
        Field("by_name", Map(string, Array(i64, 2))),
        Field("shape", Ref("Shape")),
        Field("nothing", Record("Nothing", [])),
    ],
)
SCHEMA = Schema("drawn", ROOT, [KIND, POINT, SHAPE])
VALUE = ("n", b"u" * 16, [(1.5, True, 1), (math.nan, None, 2)], {"k": [-1, 2]}, (2, 7), ())


def changed(paths: str) -> tuple[object, ...]:
    result = updated(SCHEMA.root, VALUE, updates_of(SCHEMA, paths, f"update={paths}"))
    assert isinstance(result, tuple)
    return result


def test_an_update_changes_the_values_at_its_paths_alone_and_undoes_itself() -> None:
    paths = "points[].x,points[].on,by_name,shape.size"
    name, id, points, by_name, shape, _ = changed(paths)
    assert (name, id, by_name, shape) == ("n", b"u" * 16, {"k": [-2, 3]}, (2, 6))
    assert points[0] == (-1.5, False, 1) and math.isnan(points[1][0]) and points[1][1:] == (None, 2)  # type: ignore[index]  # a list
    updates = updates_of(SCHEMA, paths, "update")
    assert repr(updated(SCHEMA.root, changed(paths), updates)) == repr(VALUE)
    assert changed("shape.dot.x")[4] == VALUE[4]  # another alternative


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ("name", "name is of the type string; an update changes integers, floats and bools alone"),
        ("id", "id is of the type uuid over bytes<16>"),
        ("points", "points.kind is of the type Kind"),
        ("points[].kind.a", "points[].kind.a is an alternative or member without a value"),
        ("shape.none", "shape.none is an alternative or member without a value"),
        ("nothing", "nothing is of the type Nothing"),
        ("points[0].x", "[0] is a single item or entry"),
        ("points[].y", "points[].x"),
        ("", "found no path"),
    ],
)
def test_what_no_update_changes_is_refused_by_its_path(paths: str, words: str) -> None:
    with pytest.raises(SelectionError, match=r"update|path") as caught:
        updates_of(SCHEMA, paths, f"update={paths}")
    assert words in str(caught.value)


def test_a_workload_of_updates_has_the_whole_schema_and_programs_of_its_own() -> None:
    known = load_workloads(Paths.default().workloads)
    spec = parse_spec("monsters/update=monsters[].hp, monsters[].mana", known)
    assert spec.id == "monsters/update=monsters[].hp,monsters[].mana" and spec.operation == "update"
    assert spec.whole and spec.whole.id == "monsters"
    assert spec.workload.schema.digest() == spec.whole.workload.schema.digest()
    other = parse_spec("monsters/update=monsters[].hp", known)
    assert len({each.workload.name for each in (spec, other, spec.whole)}) == 3
    assert spec.workload.schema.plain().updates == spec.workload.updates


def test_updates_without_paths_are_refused_before_anything_is_built() -> None:
    spec = parse_spec("monsters", load_workloads(Paths.default().workloads))
    chosen = Chosen([], [spec], select_operations(["update"], []))
    with pytest.raises(SelectionError, match="update changes values at paths; expected them, with --update"):
        chosen.reading([])
    (asked,) = chosen.reading([], updates=["monsters[].hp"]).operations
    assert asked.name == "update"
