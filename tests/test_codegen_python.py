"""Tests of generated Python: names, classes of each kind, conversions, and code that runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support import all_workloads

from serbench.dataset.canonical import encode
from serbench.dataset.edges import edge_values
from serbench.idl import fbs_py, proto_py
from serbench.idl.oneofs import HINT
from serbench.languages.python.canonical import canonical_source, packed_source
from serbench.languages.python.domain import domain_source
from serbench.languages.python.fixed import compressed
from serbench.languages.python.options import Domain
from serbench.languages.python.plain import JSON, Style
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Union,
    bool_,
    bytes_,
    f32,
    i32,
    string,
    u8,
)
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs

POINT = Record("Point", [Field("x", f32), Field("y", f32)])
KINDS: tuple[Domain, ...] = ("dataclass", "keywords", "dict", "struct")


def of(*fields: Field, domain: Domain = "dataclass") -> str:
    return domain_source(Schema("odd", Record("Everything", fields)), domain)


def loaded(monkeypatch: pytest.MonkeyPatch, **texts: str) -> dict[str, ModuleType]:
    """Loads modules of the package ``cell`` from their texts; returns them by name."""
    package = ModuleType("cell")
    package.__path__ = []
    monkeypatch.setitem(sys.modules, "cell", package)
    made = {}
    for name, text in texts.items():
        made[name] = ModuleType(f"cell.{name}")
        monkeypatch.setitem(sys.modules, f"cell.{name}", made[name])
        exec(compile(text, f"cell/{name}.py", "exec"), made[name].__dict__)
    return made


def test_names_that_python_reserves_are_others() -> None:
    held = Record("list", [Field("class", i32), Field("match", string), Field("camelCase", u8)])
    level = Enum("level", u8, ["name", "mro", "low"], [("also_low", 2)])
    text = of(Field("held", held), Field("level", level))
    assert "class List:\n    class_: int\n    match_: str\n    camel_case: int\n" in text
    assert "class Level(IntEnum):\n    NAME = 0\n    MRO = 1\n    LOW = 2\n    ALSO_LOW = 2\n" in text


def test_alternatives_are_classes_whose_names_are_nobody_elses() -> None:
    taken = Record("ThingText", [Field("x", i32)])
    union = Union("Thing", [Alternative("text", string), Alternative("record", taken), Alternative("none")])
    text = of(Field("any", union))
    assert "class ThingText:\n    x: int\n" in text and "class ThingText_:\n    value: str\n" in text
    assert "class ThingNone:\n    pass\n" in text
    assert "Thing = ThingText_ | ThingRecord | ThingNone\n" in text


def test_models_are_made_by_their_own_names_even_where_these_are_written_ones_of_others() -> None:
    text = domain_source(
        Schema("odd", Record("Everything", [Field("a", i32, wire="b"), Field("b", string, wire="a")])),
        "model",
    )
    assert "validate_by_name=True, validate_by_alias=False" in text and 'a: int = Field(alias="b")' in text


def test_letters_of_struct_are_put_together() -> None:
    assert compressed(["f", "f", "f", "h", "16s", "16s", "I"]) == "3fh16s16sI"


@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("workload", ["every_kind", "unions", "kinds", "monsters"])
def test_canonical_code_agrees_with_the_encoder(
    workload: str, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = all_workloads()[workload].schema.plain()
    made = loaded(
        monkeypatch, domain=domain_source(schema, domain), canonical=canonical_source(schema, domain)
    )["canonical"]
    for value in edge_values(schema.root):
        expected = encode(schema.root, value)
        assert made.write(made.read(expected)) == expected
        with pytest.raises(Exception, match=r"expected|unpack|index|range|buffer|multiple|size"):
            made.read(expected[:-1])
        with pytest.raises(ValueError, match="expected"):
            made.read(expected + b"\0")


@pytest.mark.parametrize("workload", ["every_kind", "unions", "kinds", "monsters"])
@pytest.mark.parametrize(
    "style",
    [
        JSON,
        Style(records="lists", enums="ints", unions="indexed"),
        Style(enums="numbers", packs_octets=True, is_lone=True),
    ],
    ids=["json", "lists", "lone"],
)
def test_conversions_give_back_what_they_took(
    workload: str, style: Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = all_workloads()[workload].schema.plain()
    modules = loaded(
        monkeypatch,
        domain=domain_source(schema, "dataclass"),
        canonical=canonical_source(schema),
        glue=style.source(schema),
    )
    canonical, glue = modules["canonical"], modules["glue"]
    for value in edge_values(schema.root):
        expected = encode(schema.root, value)
        assert canonical.write(glue.made(glue.plain(canonical.read(expected)))) == expected


def test_what_is_written_by_hand_has_counts_of_eight_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Record(
        "Root",
        [
            Field("points", List(POINT)),
            Field("name", string),
            Field("on", bool_),
            Field("four", Array(u8, 4)),
            Field("by_name", Map(string, i32)),
            Field("page", Optional(bytes_)),
        ],
    )
    schema = Schema("odd", root)
    modules = loaded(
        monkeypatch,
        domain=domain_source(schema, "dataclass"),
        glue=packed_source(schema, "by hand", "Q"),
    )
    domain: Any = modules["domain"]
    message = domain.Root([domain.Point(0.5, -1.0)], "Mie", True, [1, 2, 3, 4], {"b": 2, "a": 1}, None)
    data = modules["glue"].write(message)
    assert data == bytes.fromhex(
        "0100000000000000 0000003f 000080bf 0300000000000000 4d6965 01 01020304"
        "0200000000000000 0100000000000000 62 02000000 0100000000000000 61 01000000 00"
    )
    assert modules["glue"].read(data) == message


def test_a_list_of_what_takes_no_bytes_is_no_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema("odd", Record("Root", [Field("nothing", List(Record("Nothing", [])))]))
    modules = loaded(
        monkeypatch, domain=domain_source(schema, "dataclass"), canonical=canonical_source(schema)
    )
    with pytest.raises(ValueError, match="4294967295 empty items"):
        modules["canonical"].read(b"\xff" * 4)


def test_types_that_snake_case_calls_alike_have_functions_of_their_own() -> None:
    inner = [Record(name, [Field("x", type)]) for name, type in (("Foo_Bar", string), ("FooBar", List(i32)))]
    root = Record("Whole", [Field("a", inner[0]), Field("b", inner[1])])
    text = canonical_source(Schema("odd", root))
    functions = re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    assert len(functions) == len(set(functions)) > 10


def test_a_record_that_takes_no_byte_is_written_by_a_function_that_does_nothing() -> None:
    text = canonical_source(Schema("odd", Record("Odd", [Field("a", Record("Nothing", []))])))
    assert "def write_odd(value: Any, out: bytearray) -> None:\n    return\n" in text


def test_flatbuffers_names_are_those_of_all_versions_of_its_compiler() -> None:
    """Generated names avoid those that flatc spells in more than one way: with an underscore at the end,
    which differs between methods, and with a capital, which differs between versions. They also avoid
    Python's keywords."""
    union = Union("Shape", [Alternative("round", Record("Round", [Field("x", i32)])), Alternative("none")])
    codec = load_codecs(Paths.default().codecs)["python/flatbuffers"]
    assert codec.glue.emit and codec.idl
    fields = [Field("struct", union), Field("outEdges", List(i32)), Field("none", i32), Field("init", i32)]
    glue = codec.glue.emit(Schema("odd", Record("Everything", fields)))
    assert "view.StructFieldType()" in glue and "_Everything.EverythingAddStructFieldType(to, " in glue
    assert "_Everything.EverythingStartOutEdgesVector" in glue and "view.OutEdgesLength()" in glue
    assert "view.NoneField()" in glue and "view.InitField()" in glue and "_Shape.Shape.NoneValue" in glue


def test_flatbuffers_types_are_called_like_no_function_beside_them() -> None:
    kinds = [Record(name, [Field("x", i32)]) for name in ("Start", "AddX", "CreateIt", "Any", "Startle")]
    types = fbs_py.lowered(Schema("odd", Record("All", [Field(k.name.lower(), k) for k in kinds])))
    assert {record.name for record in types.records} >= {"StartKind", "AddXKind", "CreateItKind"}
    assert {record.name for record in types.records} >= {"AnyKind", "Startle"}


def test_names_of_protobuf_that_python_style_would_make_one_are_kept_apart() -> None:
    names = ("outEdges", "out_edges", "lambda", "load")
    spelled = proto_py.lowered(Schema("s", Record("R", [Field(name, i32) for name in names])))
    fields = [field.name for field in spelled.record("R").fields]
    assert fields == ["outEdges", "out_edges2_", "lambda", "load_"]
    assert [proto_py.attribute(name) for name in fields] == ["out_edges", "out_edges2_", "lambda_", "load_"]
    types = [Record(name, [Field("x", i32)]) for name in ("HTTPServer", "HttpServer", "Foo_bar", "None")]
    spelled = proto_py.lowered(Schema("s", Record("R", [Field(f"f{n}", t) for n, t in enumerate(types)])))
    made = [proto_py.class_name(record.name) for record in spelled.records]
    assert len(set(made)) == 5 and "None" not in made and "HttpServer" in made and "FooBar" in made


def test_a_oneof_that_stands_in_its_message_is_an_argument_of_it() -> None:
    union = Union("Choice", [Alternative("text", string, 2), Alternative("point", POINT, 3)])
    codec = load_codecs(Paths.default().codecs)["python/betterproto2"]
    assert codec.glue.emit
    fields = [Field("outEdges", i32, 1), Field("choice", Optional(union), 4, hints=[HINT])]
    glue = codec.glue.emit(Schema("odd", Record("Whole", fields)))
    assert "pb.Whole(out_edges=value.out_edges, **build_choice(value.choice))" in glue
    assert '        return {"point": build_point(value.value)}\n' in glue
    assert "Whole(native.out_edges, extract_choice(native))" in glue and "total += sum_choice(view)" in glue


def test_the_page_on_codecs_shows_the_files_of_one() -> None:
    page = (PROJECT / "docs" / "add-a-python-codec.md").read_text()
    codec = PROJECT / "codecs" / "python" / "cbor2"
    for file in ("adapter.py", "glue.py"):
        assert (codec / file).read_text() in page
    shown = page.partition("```toml\n")[2].partition("```")[0]
    assert all(line in (codec / "codec.toml").read_text().splitlines() for line in shown.splitlines())


def test_every_codec_with_libraries_has_a_lock_with_hashes_and_without_addresses() -> None:
    codecs = load_codecs(Paths.default().codecs).values()
    locks = {
        codec.id: codec.directory / "requirements.lock"
        for codec in codecs
        if codec.language == "python" and getattr(codec.options, "requirements", None)
    }
    assert len(locks) >= 6
    for name, lock in locks.items():
        text = Path(lock).read_text()
        assert "--hash=sha256:" in text and "://" not in text and "index" not in text, name
