"""Tests of unions, recursion and the other types of the type model's second edition in every native codec
that declares them, with as many steps of recursion as values may have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.support import NATIVE, TEST_WORKLOADS
from tests.test_drawn import held

from serbench.dataset.values import find_mismatch
from serbench.model import Union
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.support import why_unsupported
from serbench.workload import Workload, WorkloadSpec, load_workloads

GROWN = load_workloads(TEST_WORKLOADS / "grown")
UNIONS = {union.name: union for union in GROWN["recursion"].schema.unions}


def chain(steps: int, innermost: Any, wrap: Callable[[Any], Any]) -> Any:
    value = innermost
    for _ in range(steps):
        value = wrap(value)
    return value


def nested(steps: int) -> tuple[Any, ...]:
    """A message of the workload ``recursion`` with this many steps of recursion in each field."""
    any_value: Union = UNIONS["AnyValue"]
    expression: Union = UNIONS["Expression"]
    return (
        [
            ("values", chain(steps, any_value("number", 1), lambda v: any_value("values", [v]))),
            ("fields", chain(steps // 2, any_value("nothing"), lambda v: any_value("fields", [("k", v)]))),
        ],
        chain(steps, (1, None, None), lambda v: (2, v, None)),
        chain(steps, ("a", []), lambda v: ("b", [v])),
        chain(steps, (1, {}), lambda v: (2, {"x": v})),
        chain(steps, expression("number", 3), lambda v: expression("negated", v)),
        chain(steps, ("a", None), lambda v: ("b", ("street", [v]))),
        chain(steps, (None,), lambda v: ([v, (None,)],)),
        chain(steps, (None, {}), lambda v: (([v],), {})),
        chain(steps, ([None, None],), lambda v: ([v, None],)),
    )


def messages() -> Iterator[Any]:
    yield from (nested(3), nested(MAX_DEPTH), nested(MAX_DEPTH - 1))


DEEP = Workload(
    name="deep", summary="as deep as values may be", root=GROWN["recursion"].schema.root, generate=messages
)


def test_the_deepest_values_are_values() -> None:
    assert [find_mismatch(DEEP.schema.root, message) for message in messages()] == [None] * 3


@pytest.mark.native
@pytest.mark.parametrize("language", NATIVE)
@pytest.mark.parametrize("workload", [*GROWN.values(), DEEP], ids=lambda w: w.name)
def test_what_codecs_say_that_they_can_do_they_do(
    request: pytest.FixtureRequest, language: str, workload: Workload
) -> None:
    if not request.config.getoption("--all"):
        pytest.skip("left to ./serbench test --all")
    paths, spec = Paths(PROJECT, Paths.default().home / "grown"), WorkloadSpec(workload, {})
    known = [
        v
        for v in load_variants(paths.codecs).values()
        if v.codec.language == language and v.codec.type_model == 2
    ]
    able = [variant for variant in known if not why_unsupported(variant, spec, paths)]
    assert able
    assert held(workload, able, paths) == {}
