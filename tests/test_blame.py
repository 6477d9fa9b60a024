"""Tests of whose code an outcome of evolution is due to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.support import ENOUGH, NATIVE, PATHS, glue_of, small_spec
from tests.test_evolution import VARIANTS, fake, outcome

from serbench.building.prepare import prepare_builds, toolchains
from serbench.idl import told_apart
from serbench.measure.job import Job, Permission
from serbench.model import (
    Alternative,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Type,
    Union,
    i8,
    i16,
    i64,
    string,
    u8,
    u32,
)
from serbench.model.logical import timestamp
from serbench.report.evolution_table import evolution_tables
from serbench.selecting.selection import Chosen
from serbench.verification.blame import blamed, demanded, records_in, requires_missing
from serbench.verification.contract import encoded_by
from serbench.verification.evolution import Evolved
from serbench.verification.hostile import LIMIT_S, fed

sys.path.append(str(PATHS.runners / "python"))

from serbench_runner.origin import origin_of  # found by the line above


def test_an_outcome_is_due_to_the_code_that_raised_the_error() -> None:
    assert [blamed("refused", by, True) for by in ("library", "adapter", "")] == ["library", "adapter", ""]
    assert [blamed(word, "adapter", True) for word in ("crash", "hang")] == ["adapter", "adapter"]


def test_a_refusal_of_what_the_schema_cannot_hold_is_due_to_the_schema() -> None:
    assert [blamed("refused", by, True, held=False) for by in ("library", "adapter", "")] == [
        "library", "schema", "",
    ]  # fmt: skip
    assert [blamed(word, "adapter", True, held=False) for word in ("crash", "kept")] == ["adapter", ""]
    assert blamed("refused", "adapter", False, held=False) == "adapter"


@pytest.mark.parametrize(
    ("reader", "writer", "part"),
    [
        (Field("x", u32), Field("y", u32), "R.x, which is missing"),
        (Field("x", u32, 7), Field("x", u32, 8), "R.x, which is missing"),
        (Field("x", u32), Field("x", Optional(u32)), "R.x, which is of another kind"),
        (Field("x", List(u32)), Field("x", List(string)), "R.x, which is of another kind"),
        (Field("x", Optional(u32)), Field("x", List(u32)), "R.x, which is of another kind"),
        (Field("x", Optional(u32)), Field("x", u32), ""),
        (Field("x", Optional(u32)), Field("y", u32), ""),
        (Field("x", u32, default=7), Field("y", u32), ""),
        (Field("x", u32), Field("x", i64), ""),
        (Field("x", timestamp("ms")), Field("x", u32), ""),
    ],
)
def test_a_schema_demands_what_is_neither_optional_nor_has_a_default(
    reader: Field, writer: Field, part: str
) -> None:
    one, other = (Schema("s", Record("R", [each])) for each in (reader, writer))
    assert demanded(one, other, ["R"]) == part
    assert demanded(one, other, ["Other"]) == ""


@pytest.mark.parametrize(
    ("reader", "writer", "part"),
    [(i64, i16, "R.x, which is of another kind"), (i64, u32, ""), (List(u8), List(i8), ""), (i64, i64, "")],
)
def test_readers_pass_over_numbers_of_other_types_where_messages_name_them(
    reader: Type, writer: Type, part: str
) -> None:
    one, other = (Schema("s", Record("R", [Field("x", each)])) for each in (reader, writer))
    assert demanded(one, other, ["R"], told_apart("thrift_plain")) == part
    assert demanded(one, other, ["R"], told_apart("proto")) == ""


def test_a_message_demands_nothing_of_records_that_it_has_not() -> None:
    inner, other = Record("Inner", [Field("x", u32)]), Record("Other", [Field("x", u32)])
    shape = Union("Shape", [Alternative("one", inner), Alternative("none")])
    fields = [Field("a", Optional(other)), Field("b", List(inner)), Field("c", Map(string, shape))]
    root = Record("R", fields)
    assert set(records_in(root, (None, [], {"k": (1, None)}))) == {"R"}
    assert set(records_in(root, ((1,), [], {"k": (0, (2,))}))) == {"R", "Other", "Inner"}
    assert set(records_in(root, (None, [(1,)], {}))) == {"R", "Inner"}


def test_another_value_without_an_error_is_due_to_the_library() -> None:
    assert [blamed(word, "", True) for word in ("defaults", "misread")] == ["library", "library"]


def test_nobody_is_to_blame_where_nothing_was_read_wrong() -> None:
    assert {blamed(word, "library", True) for word in ("kept", "impossible", "not tried")} == {""}


def test_all_that_code_without_a_library_does_is_the_adapters() -> None:
    assert {blamed(word, "library", False) for word in ("refused", "misread", "crash")} == {"adapter"}


def test_a_field_that_our_idl_file_requires_is_missing_by_our_word() -> None:
    inner = Record("Inner", [Field("x", u32)])
    lacking = Schema("s", Record("R", [Field("a", u32)]))
    with_record = Schema("s", Record("R", [Field("a", u32), Field("b", inner)]))
    with_optional = Schema("s", Record("R", [Field("a", u32), Field("b", Optional(inner))]))
    codecs = {name: VARIANTS[name].codec for name in ("cpp/flatbuffers", "cpp/thrift:binary", "cpp/cereal")}
    found = {name: requires_missing(codec, with_record, lacking) for name, codec in codecs.items()}
    assert found == {"cpp/flatbuffers": True, "cpp/thrift:binary": False, "cpp/cereal": False}
    assert not requires_missing(codecs["cpp/flatbuffers"], with_optional, lacking)
    assert not requires_missing(codecs["cpp/flatbuffers"], lacking, with_record)


def test_a_struct_that_a_message_lacks_is_refused_and_not_read() -> None:
    inner = Record("Inner", [Field("x", u32)])
    schema = Schema("s", Record("R", [Field("sure", inner), Field("maybe", Optional(inner))]))
    text = glue_of("go/thrift", schema)
    assert text.count('faults.Add("a required field is absent")') == 1 and "if from.Sure == nil {" in text


def test_our_json_schema_requires_no_field_that_a_message_may_lack() -> None:
    schema = Schema("s", Record("R", [Field("sure", u32), Field("maybe", Optional(u32))]))
    text = glue_of("javascript/fast_json_stringify", schema)
    assert 'required: ["sure"]' in text and "maybe: { " in text


@pytest.mark.parametrize(
    ("fault", "by"),
    [("refuses_all", "schema"), ("error@decode", "library"), ("crash@decode", ""), ("none", "")],
)
def test_runners_say_whose_error_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, by: str
) -> None:
    found = outcome(fake(tmp_path, monkeypatch, fault=fault)[0], tmp_path, monkeypatch)
    assert found.by == by


def test_reasons_tell_the_adapters_errors_from_the_librarys() -> None:
    outcomes = [
        Evolved("p", "w", "add=y:u8", "backward", "refused", "KeyError: 'y'", by="adapter"),
        Evolved("q", "w", "add=y:u8", "backward", "refused", "the bytes end early", by="library"),
        Evolved("r", "w", "add=y:u8", "backward", "refused", "its schema demands R.y", by="schema"),
    ]
    (table,) = evolution_tables(outcomes)
    assert table.notes[-3:] == [
        "p, add=y:u8 backward: refused (the adapter's error): KeyError: 'y'",
        "q, add=y:u8 backward: refused: the bytes end early",
        "r, add=y:u8 backward: refused (due to the schema): its schema demands R.y",
    ]


ADAPTER = """
import json
import library
from cell import glue

class Refusal(Exception): pass

def by_glue(): glue.read({})
def by_builtin(): json.loads("{")
def by_c(): bytes.fromhex("x")
def by_library(): library.refuse()
def by_hook(): library.call(lambda: {}["a"])
def by_itself(): raise Refusal()
def by_key(): {}["a"]
def by_enum(): glue.member()
def by_compiled(): glue.compiled()
def by_group(): library.group()
"""

GLUE = """
import enum
from messages import read_message as compiled

class Colour(enum.Enum):
    RED = 1

def read(plain): return plain["a"]
def member(): return Colour(9)
"""

LIBRARY = """
def refuse(): raise ValueError
def call(hook): hook()
def group():
    raise ExceptionGroup("all", [ValueError()])
"""

ORIGINS = {
    "by_glue": "adapter",
    "by_builtin": "library",
    "by_c": "library",
    "by_library": "library",
    "by_hook": "adapter",
    "by_itself": "adapter",
    "by_key": "adapter",
    "by_enum": "adapter",
    "by_compiled": "library",
    "by_group": "library",
}
"""Function of ``ADAPTER`` → whose code raises its error."""


def written(folder: Path) -> dict[str, str]:
    """The texts of a generated folder, a codec's folder and its libraries, by their paths in ``folder``."""
    return {
        "generated/cell/__init__.py": "",
        "generated/cell/glue.py": GLUE,
        "generated/messages/__init__.py": "def read_message(): raise EOFError",
        "codec/adapter.py": ADAPTER,
        "libraries/library.py": LIBRARY,
    }


@pytest.mark.parametrize("function", ORIGINS)
def test_the_innermost_frame_of_python_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    for name, text in written(tmp_path).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folders = [str(tmp_path / name) for name in ("generated", "codec", "libraries")]
    for folder in folders:
        monkeypatch.syspath_prepend(folder)
    for name in ("cell", "cell.glue", "messages", "library"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    adapter = ModuleType("adapter")
    exec(compile(ADAPTER, str(tmp_path / "codec" / "adapter.py"), "exec"), vars(adapter))
    call: Callable[[], object] = vars(adapter)[function]
    with pytest.raises(Exception) as raised:
        call()
    assert origin_of(*folders)(raised.value) == ORIGINS[function]


REFUSED = {
    "c/msgpack:zone": (b"\xc1", b"\xc0"),
    "cpp/thrift:binary": (b"", None),
    "go/mus:varint": (b"", None),
    "rust/thrift:binary": (b"\x0b", None),
    "python/marshal:dataclass": (b"?", b"N"),
    "javascript/builtin_json": (b"{", b"{}"),
}
"""Codec → a message that its library refuses, and one that its adapter or glue does; None for a message with
a byte left over."""


@pytest.mark.native
@pytest.mark.parametrize("codec", REFUSED)
def test_real_runners_tell_the_librarys_refusals_from_the_adapters(
    codec: str, request: pytest.FixtureRequest
) -> None:
    variant, spec = VARIANTS[codec], small_spec(ENOUGH)
    if variant.codec.language in NATIVE:
        unit = request.getfixturevalue("native").unit(variant, ENOUGH)
    else:
        builds = toolchains(PATHS, [variant], specs=[spec])
        (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [spec]), builds, Permission(install=True)))
    assert unit.status == "ok", unit.reason
    (own,) = encoded_by(unit, [bytes(next(unit.data.read_messages()))])
    library, adapter = REFUSED[codec]
    answers = fed(unit, [own, library, own + b"\0" if adapter is None else adapter], LIMIT_S)
    assert [(each.accepted, each.by) for each in answers] == [
        (True, ""),
        (False, "library"),
        (False, "adapter"),
    ]
