"""Tests that random schemas which fail are reduced to small ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from hypothesis import Phase, given, settings
from tests.described import described
from tests.drawn import EDITIONS, drawn_schemas
from tests.fewest import fewest, simplest
from tests.strategies import schemas

from serbench.model import (
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Ref,
    Schema,
    Type,
    Union,
)
from serbench.model.parts import parts as type_parts
from serbench.model.parts import types_in


@cache
def _has_empty_alternative(type: Type) -> bool:
    return isinstance(type, Union) and any(alternative.type is None for alternative in type.alternatives)


def of_both_editions() -> list[Schema]:
    return [part for edition in EDITIONS for part in drawn_schemas(150, edition)]


FAULTS: dict[str, tuple[Callable[[Type], bool], set[str]]] = {
    "a list or an optional in a map": (
        lambda type: isinstance(type, Map) and isinstance(type.value, List | Optional),
        {f"  record Type0 {{part0: map<i8, {kind}<bool>> = 1}}" for kind in ("list", "optional")},
    ),
    "a union with an empty alternative in a map": (
        lambda type: isinstance(type, Map) and _has_empty_alternative(type.value),
        {"  union Type1 {part0 = 1}\n  record Type0 {part0: map<i8, Type1> = 1}"},
    ),
    "recursion through an optional": (
        lambda type: isinstance(type, Optional) and isinstance(type.item, Ref),
        {"  record Type0 {part0: optional<Type0> = 1}"},
    ),
    "an open enum as a key": (
        lambda type: isinstance(type, Map) and isinstance(type.key, Enum) and type.key.open,
        {"  open enum Type1: i8 {part0 = 0}\n  record Type0 {part0: map<Type1, bool> = 1}"},
    ),
    "a union in a union": (
        lambda type: isinstance(type, Union) and any(isinstance(each, Union) for each in type_parts(type)),
        {
            f"  union {inner} {{part0 = 1}}\n  union {outer} {{part0: {inner} = 1}}\n"
            f"  record Type0 {{part0: {outer} = 1}}"
            for inner, outer in (("Type1", "Type2"), ("Type2", "Type1"))
        },
    ),
    "a decimal over bytes of a fixed length": (
        lambda type: (
            isinstance(type, Logical) and type.kind == "decimal" and isinstance(type.base, FixedBytes)
        ),
        {"  record Type0 {part0: decimal<1, 0> over bytes<1> = 1}"},
    ),
}


@pytest.mark.parametrize(("fault", "expected"), FAULTS.values(), ids=FAULTS)
def test_what_fails_is_made_as_small_as_it_can_be(fault: Callable[[Type], bool], expected: set[str]) -> None:
    def fails(schema: Schema) -> bool:
        return any(fault(each) for each in types_in(schema.root))

    parts = of_both_editions()
    tries: list[int] = []

    def any_fails(some: Sequence[Schema]) -> bool:
        tries.append(len(some))
        return any(map(fails, some))

    (one,) = fewest(parts, any_fails)
    assert fails(one)
    assert len(tries) < 30
    assert described(simplest(one, fails)) in expected


@pytest.mark.slow("look for an example among a thousand schemas")
@pytest.mark.parametrize(
    "name", ["a union with an empty alternative in a map", "recursion through an optional"]
)
def test_hypothesis_finds_a_readable_schema(name: str) -> None:
    """Hypothesis must reduce a failing schema to four declarations at most, and print these."""
    fault, _ = FAULTS[name]

    @settings(max_examples=1000, database=None, derandomize=True, phases=[Phase.generate, Phase.shrink])
    @given(schemas())
    def nothing_has_it(schema: Schema) -> None:
        assert not any(fault(each) for each in types_in(schema.root))

    with pytest.raises(AssertionError) as caught:
        nothing_has_it()
    told = "\n".join(getattr(caught.value, "__notes__", []))
    assert (
        1
        <= sum(line.startswith(("  record", "  union", "  enum", "  open")) for line in told.splitlines())
        <= 4
    ), told


def test_of_what_fails_together_nothing_more_can_be_left_out() -> None:
    assert fewest(range(50), lambda some: {7, 31, 32} <= set(some)) == [7, 31, 32]
    assert fewest([3], lambda _: True) == [3]
    assert len(fewest(range(50), lambda some: len(some) >= 20)) == 20


def test_a_name_or_number_that_fails_is_kept() -> None:
    schema = next(
        part
        for part in drawn_schemas(200)
        if part.root.fields[0].number > 100 and part.root.fields[0].name != "part0"
    )
    name, number = schema.root.fields[0].name, schema.root.fields[0].number
    of_name = simplest(schema, lambda each: any(f.name == name for f in each.root.fields))
    assert described(of_name).splitlines()[-1] == f"  record Type0 {{{name}: bool = 1}}"
    of_number = simplest(schema, lambda each: any(f.number == number for f in each.root.fields))
    assert described(of_number) == f"  record Type0 {{part0: bool = {number}}}"
