"""Tests of the costs of parts with real codecs in Python: bytes are those that the formats say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes.emptying import EVERYTHING, kinds_to_empty, parts_to_empty
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.model import Field, List, Optional, Record, Schema, f64, string, u32
from serbench.report.why import ALL
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification import emptied
from serbench.verification.emptied import weigh
from serbench.verification.sizes import COMPRESSOR
from serbench.workload import Workload, WorkloadSpec

pytestmark = pytest.mark.native

LINE = Record("Line", [Field("sku", string), Field("price", f64)])
SALE = Record(
    "Sale",
    [Field("id", string), Field("qty", u32), Field("lines", List(LINE)), Field("note", Optional(string))],
)


def sales() -> Iterator[Any]:
    yield ("ab", 300, [("x", 1.5), ("yz", 0.0)], "hello")
    yield ("c", 0, [], None)


WHOLE = {
    "python/protobuf": [b"\n\2ab\20\xac\2\32\14\n\1x\21\0\0\0\0\0\0\xf8\x3f\32\4\n\2yz\42\5hello", b"\n\1c"],
    "python/msgpack:dataclass": [
        b"\x94\xa2ab\xcd\1\x2c\x92\x92\xa1x\xcb\x3f\xf8\0\0\0\0\0\0\x92\xa2yz\xcb\0\0\0\0\0\0\0\0\xa5hello",
        b"\x94\xa1c\0\x90\xc0",
    ],
}
"""Codec → the messages, as its format says."""

LOST = {
    "python/protobuf": {
        "id": 4 + 3,  # the tags go too, since a field that is empty is not written
        "qty": 3,
        "lines": 14 + 6,
        "lines[]": 12 + 4,  # items stay, each with a tag and a length of 0
        "lines[].sku": 3 + 4,
        "lines[].price": 9,
        "note": 7,
    },
    "python/msgpack:dataclass": {
        "id": 2 + 1,
        "qty": 2,
        "lines": 12 + 13,
        "lines[]": 1 + 2,  # items stay, each with an empty text and eight bytes of 0
        "lines[].sku": 1 + 2,
        "lines[].price": 0,
        "note": 5,
    },
}
"""Codec → the path of a part → the bytes that go when it is empty, of both messages together."""

TEXTS_LOST = {"python/protobuf": 7 + 7 + 7, "python/msgpack:dataclass": 3 + 3 + 5}
"""Codec → the bytes that go when all texts are empty: ids, skus and notes, of both messages together."""

AT_ONE_PLACE = {
    **{"integers": "qty", "floats": "lines[].price"},
    **{"lists": "lines", "records": "lines[]", "optionals": "note"},
}
"""The kind of value → the only part that has it."""


@pytest.fixture(scope="module", name="units")
def some_units() -> list[Unit]:
    known = load_variants(PATHS.codecs)
    variants = [known[name] for name in WHOLE]
    specs = [WorkloadSpec(Workload("sale", "sales", SALE, sales), {})]
    builds = toolchains(PATHS, variants, specs=specs)
    return prepare_builds(Job(PATHS, Chosen(variants, specs), builds, Permission(install=True)))


def test_bytes_are_those_of_the_format(units: list[Unit]) -> None:
    parts = [part.change for part in parts_to_empty(Schema("sale", SALE))]
    found = weigh(units, [*parts, ALL], lambda *_: None)
    assert not found.failures and found.messages == 2
    compress = COMPRESSORS[COMPRESSOR]().compress
    for codec, messages in WHOLE.items():
        size = found.whole.sizes[codec]
        assert size.bytes == sum(map(len, messages)), codec
        assert size.compressed == sum(len(compress(each)) for each in messages), codec
        lost = {
            change.partition("=")[2]: size.bytes - each.sizes[codec].bytes
            for change, each in found.parts.items()
            if change != ALL
        }
        assert lost == LOST[codec], codec
    filled = [each.filled for change, each in found.parts.items() if change != ALL]
    assert filled == [2, 1, 1, 1, 1, 1, 1]
    left = {codec: size.bytes for codec, size in found.parts[ALL].sizes.items()}
    assert left == {"python/protobuf": 0, "python/msgpack:dataclass": 2 * 5}


def test_bytes_of_a_kind_are_those_of_the_format(units: list[Unit]) -> None:
    texts, *others = (f"empty={EVERYTHING}:{kind}" for kind in ("texts", *AT_ONE_PLACE))
    assert [kind.change for kind in kinds_to_empty(Schema("sale", SALE))] == [texts]
    found = weigh(units, [texts, *others], lambda *_: None)
    for codec, lost in LOST.items():
        whole = found.whole.sizes[codec].bytes
        of_kinds = [whole - found.parts[change].sizes[codec].bytes for change in (texts, *others)]
        assert of_kinds == [TEXTS_LOST[codec], *(lost[path] for path in AT_ONE_PLACE.values())], codec


def test_a_codec_that_fails_is_told_and_others_go_on(units: list[Unit]) -> None:
    first, other = units
    broken = Unit(**{**vars(first), "command": (sys.executable, "-c", "raise SystemExit(3)")})
    found = weigh([broken, other], ["empty=id"], lambda *_: None)
    assert [*found.failures] == [first.name] and [*found.whole.sizes] == [other.name]


def test_sizes_are_bounded_in_time(units: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emptied, "_TOGETHER_BYTES", 1)
    found = weigh(units, [ALL, "empty=id", "empty=qty"], lambda *_: None, limit_s=0.0)
    assert [*found.parts] == [ALL] and found.whole.sizes.keys() == WHOLE.keys()
