"""Tests of generated Rust: names, recursion, attributes, and the lock file of crates."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.locked_crates import crates_of

from serbench.dataset.canonical import encode
from serbench.errors import FileError
from serbench.idl import capnp_rust, fbs_planus
from serbench.languages.rust.build import RustBuild
from serbench.languages.rust.domain import ATTRIBUTES, PRELUDE, domain_source
from serbench.languages.rust.locking import cargo_lock
from serbench.languages.rust.options import CargoOptions, types_of
from serbench.languages.rust.sources import canonical_source, cell_source, manifest
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    bytes_,
    i32,
    string,
    u8,
)
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs, load_variants

TREE = Record("Tree", [Field("next", Optional(Ref("Tree")))])


def of(*fields: Field, options: CargoOptions | None = None) -> str:
    return domain_source(Schema("odd", Record("Everything", fields)), options or CargoOptions())


def test_names_that_rust_reserves_are_others() -> None:
    held = Record("Option", [Field("self", i32), Field("type", string), Field("camelCase", u8)])
    level = Enum("level", u8, ["Self", "low"], [("also_low", 1)])
    text = of(Field("option", held), Field("level", level))
    assert "pub struct Option_ {" in text
    assert "pub self_: i32," in text and "pub type_: String," in text and "pub camel_case: u8," in text
    assert "pub enum Level {" in text and "Self_ = 0," in text
    assert "pub const ALSO_LOW: Level = Level::Low;" in text


def test_generated_code_imports_no_name_that_a_type_may_have() -> None:
    """An imported name would hide a type of the same name in ``domain::*``."""
    schema = Schema("odd", Record("Odd", [Field("tree", TREE), Field("level", Enum("Level", u8, ["low"]))]))
    glues = [c.glue.emit for c in load_codecs(Paths.default().codecs).values() if c.language == "rust"]
    for text in (canonical_source(schema), *(emit(schema) for emit in glues if emit)):
        imports = re.findall(r"^use ([^;]+);", text, re.MULTILINE)
        names = {name for each in imports for name in re.findall(r"\b[A-Z]\w*\b(?! as _)", each)}
        assert imports and names <= PRELUDE, names - PRELUDE


def test_attributes_stand_where_a_codec_wants_them() -> None:
    attributes = {
        "renamed": "#[name({name})]",
        "bytes": "#[bytes]",
        "field": "#[n({index})]",
        "back": "#[back]",
    }
    union = Union("Any", [Alternative("blob", bytes_), Alternative("more", List(Ref("Any")))])
    text = of(
        Field("outEdges", FixedBytes(2)),
        Field("any", union),
        options=CargoOptions({}, ("Trait",), None, attributes),
    )
    assert '    #[name("outEdges")]\n    #[n(0)]\n    #[bytes]\n    pub out_edges: [u8; 2],\n' in text
    assert '    #[name("blob")]\n    Blob(#[bytes] Vec<u8>),\n' in text
    assert '    #[name("more")]\n    More(#[back] Vec<Any>),\n' in text
    assert "#[derive(Clone, Debug, PartialEq, Trait)]" in text


def test_a_root_of_one_field_octets_and_what_has_no_value_have_attributes_of_their_own() -> None:
    attributes = {"lone": "#[lone]", "octets": "#[octets]", "empty": "#[empty]"}
    options = CargoOptions({}, (), None, attributes)
    union = Union("Any", [Alternative("number", i32), Alternative("nothing")])
    text = of(Field("any", union), options=options)
    assert "#[lone]\npub struct Everything {" in text
    assert "    #[empty]\n    Nothing,\n" in text and "#[empty]\n    Number" not in text
    text = of(Field("numbers", Optional(List(u8))), Field("text", string), options=options)
    assert "    #[octets]\n    pub numbers: Option<Vec<u8>>,\n    pub text: String,\n" in text
    assert "#[lone]" not in text
    back = Record("Everything", [Field("next", Optional(Ref("Everything")))])
    assert "#[lone]" not in domain_source(Schema("odd", back), options)


def test_what_makes_serde_demand_an_optional_field_says_that_it_may_be_absent() -> None:
    """Serde takes an optional field that is missing for absent, but not with ``with`` before it. Records as
    arrays have no fields that are missing."""
    attributes = {"octets": "#[with]", "optional": "#[default]"}
    fields = Field("octets", Optional(List(u8))), Field("text", Optional(string)), Field("more", List(u8))
    text = of(*fields, options=CargoOptions({}, (), None, attributes))
    assert "    #[with]\n    #[default]\n    pub octets: Option<Vec<u8>>,\n    pub text" in text
    assert text.count("#[with]") == 2 and text.count("#[default]") == 1
    asked = set()
    for variant in load_variants(Paths.default().codecs).values():
        if variant.codec.language == "rust" and "arrays" not in variant.layout:
            own = types_of(variant).attributes
            if any("serde(with" in own.get(part, "") for part in ("field", "bytes", "octets")):
                asked.add(variant.codec.name)
                assert own["optional"] == "#[serde(default)]", variant.id
    assert asked == {"apache_avro", "bson", "cbor4ii", "ciborium", "rmp_serde", "serde_avro_fast"}


def test_a_variant_has_its_codecs_types_but_for_what_it_says() -> None:
    variants = load_codecs(Paths.default().codecs)["rust/rmp_serde"].variants
    derived, numbered = types_of(variants["arrays"]), types_of(variants["numbered_arrays"])
    assert derived.derive_enum is None and "lone" not in derived.attributes
    assert numbered.derive_enum == ("serde_repr::Serialize_repr", "serde_repr::Deserialize_repr")
    assert numbered.attributes["lone"] == "#[serde(transparent)]"
    assert numbered.attributes.items() >= derived.attributes.items()


def test_an_open_enum_derives_as_the_struct_that_it_is() -> None:
    level = Enum("Level", u8, ["low"])
    text = of(
        Field("level", level),
        Field("code", Enum("Code", u8, ["none"], open=True)),
        options=CargoOptions({}, ("Whole",), ("Numbered",)),
    )
    assert "Hash, Numbered)]\n#[repr(u8)]\npub enum Level" in text
    assert "Hash, Whole)]\npub struct Code(pub u8);" in text


def test_a_value_to_be_read_into_ends_even_where_the_first_alternative_leads_back() -> None:
    union = Union("Any", [Alternative("negated", Ref("Any")), Alternative("number", i32)])
    text = canonical_source(Schema("odd", Record("Root", [Field("any", union)])))
    assert "Any::Number(serbench::Value::empty())\n" in text


def test_a_struct_of_thrift_that_two_types_share_has_a_conversion_from_each() -> None:
    """A domain field of a recursive type has a pointer to its value, and another field of the same type has
    the value itself; in Thrift both have the same struct."""
    node = Record("Node", [Field("next", List(Optional(Ref("Node"))))])
    emit = load_codecs(Paths.default().codecs)["rust/thrift"].glue.emit
    assert emit
    glue = emit(Schema("odd", Record("Everything", [Field("nodes", List(Optional(node)))])))
    assert "around!(Option<Box<domain::Node>> as OptionalNode);" in glue
    assert "around!(Option<domain::Node> as OptionalNode);" in glue
    assert "behind!(domain::Node as Node);" in glue


def test_thrifts_lists_point_to_what_arrays_of_the_domain_point_to() -> None:
    pairs = Map(string, List(Array(Ref("Node"), 2)))
    node = Record("Node", [Field("pairs", pairs), Field("some", List(Optional(Array(Ref("Node"), 2))))])
    emit = load_codecs(Paths.default().codecs)["rust/thrift"].glue.emit
    assert emit
    glue = emit(Schema("odd", Record("Everything", [Field("nodes", List(node))])))
    assert "1: pairs: BTreeMap<String, Vec<Vec<Box<Node>>>>," in glue
    assert "1: value: Option<Vec<Node>>," in glue and "held!(domain::Node as Node);" in glue


def test_capnproto_has_no_name_that_its_generated_rust_has_besides() -> None:
    fields = [Field(name, Optional(i32)) for name in ("core", "async", "type", "other")]
    union = Union("Any", [Alternative(name, i32) for name in ("self", "reader", "which_builder", "get")])
    level = Enum("From", u8, ["self", "low"])
    low = capnp_rust.lowered(Schema("odd", Record("Odd", [*fields, Field("any", union), Field("l", level)])))
    names = [field.name for field in low.record("Odd").fields]
    assert names == ["coreValue", "asyncValue", "type", "other", "any", "l"]
    alternatives = [each.name for each in low.union("Any").alternatives]
    assert alternatives == ["selfValue", "readerValue", "whichBuilderValue", "get"]
    assert [(enum.name, enum.members[0][0]) for enum in low.enums] == [("FromType", "selfValue")]
    assert capnp_rust.module("Type") == "type_" and capnp_rust.module("ABc2d") == "a_bc2d"


def test_apache_avro_has_each_record_by_the_name_of_the_struct_that_it_is_read_into() -> None:
    union = Union("Any", [Alternative("number", i32), Alternative("none", None)])
    held = Record("Held", [Field("any", union), Field("by_number", Map(i32, Optional(i32)))])
    codecs = load_codecs(Paths.default().codecs)
    names = {}
    for codec in ("apache_avro", "serde_avro_fast"):
        emit = codecs[f"rust/{codec}"].glue.emit
        assert emit
        glue = emit(Schema("odd", Record("Odd", [Field("held", held)])))
        names[codec] = re.findall(r'"type": "record",\s+"name": "([^"]+)"', glue)
    assert [name.rpartition(".")[2] for name in names["apache_avro"]] == [
        "Odd", "Held", "Around", "Around", "Nothing", "Entry", "Around",
    ]  # fmt: skip
    assert len(set(names["apache_avro"])) == len(names["serde_avro_fast"]) == 7


def test_a_cell_has_the_modules_that_its_codec_shares() -> None:
    codecs, runner = load_codecs(Paths.default().codecs), PROJECT / "runners" / "rust"
    schema = Schema("odd", Record("Odd", [Field("x", i32)]))
    cells = {
        name: cell_source(next(iter(codecs[f"rust/{name}"].variants.values())), schema, runner)
        for name in ("apache_avro", "capnp")
    }
    assert f'#[path = "{runner / "shared" / "avro.rs"}"]\nmod avro;\n' in cells["apache_avro"]
    assert "mod avro;" not in cells["capnp"]


def test_a_generator_is_a_program_of_its_codecs_package(tmp_path: Path) -> None:
    codecs, runner = load_codecs(Paths.default().codecs), PROJECT / "runners" / "rust"
    texts = {
        name: manifest(tmp_path, runner, tmp_path, codecs[f"rust/{name}"], []) for name in ("capnp", "prost")
    }
    assert '\n[[bin]]\nname = "generate__capnp"\npath = "' in texts["capnp"]
    assert 'capnp/generate.rs"\n' in texts["capnp"] and "[[bin]]" not in texts["prost"]


def test_a_codec_is_missing_without_a_program_that_its_generator_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(PROJECT, tmp_path)
    codec = load_codecs(paths.codecs)["rust/capnp"]
    monkeypatch.setenv("PATH", str(tmp_path))
    found = RustBuild(paths, "g++", [codec], [])._resolve(codec, tmp_path)
    assert (found.installed, found.missing) == (False, "no program 'capnp' is on the path")


def test_a_list_of_crates_gives_the_lock_that_it_was_made_of(tmp_path: Path) -> None:
    lock = (
        '# Generated by serbench.\nversion = 4\n\n[[package]]\nname = "cells"\nversion = "0.0.0"\n'
        'dependencies = [\n "a 1.0.0",\n "b",\n]\n\n[[package]]\nname = "a"\nversion = "1.0.0"\n'
        'source = "somewhere"\nchecksum = "12"\n'
    )
    crates = tmp_path / "crates.lock"
    crates.write_text(crates_of(lock))
    assert "somewhere" not in crates.read_text()
    assert cargo_lock(crates, "somewhere") == lock
    crates.write_text("one two\n")
    with pytest.raises(FileError, match="expected name, version and SHA-256"):
        cargo_lock(crates, "")


def test_a_canonical_reader_has_an_error_where_a_message_is_too_deep(tmp_path: Path) -> None:
    schema = Schema("deep", Record("Root", [Field("tree", TREE), Field("by_name", Map(string, i32))]))
    (tmp_path / "domain.rs").write_text(domain_source(schema, CargoOptions()))
    (tmp_path / "canonical.rs").write_text(canonical_source(schema))
    (tmp_path / "main.rs").write_text(MAIN)
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "deep"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
        f'[dependencies]\nserbench = {{ path = "{PROJECT / "runners" / "rust"}" }}\n'
        '[lib]\npath = "main.rs"\n'
    )
    messages = [b"\1" * steps + b"\0" + b"\0" * 4 for steps in (MAX_DEPTH, MAX_DEPTH + 1, 100_000)]
    pair = b"\1\0\0\0a" + b"\0" * 4
    messages += [b"\0\2\0\0\0" + pair + pair, b"\0" * 5 + b"\7"]
    assert encode(schema.root, ((None,), {})) == b"\0" * 5
    for n, message in enumerate(messages):
        (tmp_path / str(n)).write_bytes(message)
    done = subprocess.run(
        ["cargo", "test", "--quiet", "--offline", "--", "--nocapture"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    said = [line.removeprefix("said ") for line in done.stdout.splitlines() if line.startswith("said ")]
    deep = f"more than {MAX_DEPTH} steps of recursion"
    assert said == ["read", deep, deep, "the keys of a map do not ascend", "1 bytes are left over"], (
        done.stderr
    )


MAIN = r"""
mod canonical;
mod domain;

#[test]
fn read() {
    println!();
    for n in 0..5 {
        let mut root: domain::Root = serbench::Value::empty();
        match serbench::read(&std::fs::read(n.to_string()).unwrap(), &mut root) {
            Ok(()) => println!("said read"),
            Err(error) => println!("said {error}"),
        }
    }
}
"""


def test_the_page_on_codecs_shows_the_files_of_one() -> None:
    page = (PROJECT / "docs" / "add-a-rust-codec.md").read_text()
    codec = PROJECT / "codecs" / "rust" / "postcard"
    assert (codec / "adapter.rs").read_text() in page
    shown = page.partition("```toml\n")[2].partition("```")[0]
    assert all(line in (codec / "codec.toml").read_text().splitlines() for line in shown.splitlines())
    assert all(f"| `{part}` | {before} |" in page for part, before in ATTRIBUTES.items())


def test_an_adapter_of_a_library_that_derives_is_the_calls_into_it() -> None:
    """The adapter of a library with derive macros consists of calls of the library. The runner keeps and
    overwrites values for it, since adapters would else copy the code for that from each other."""
    adapters = [path.read_text() for path in (PROJECT / "codecs" / "rust").glob("*/adapter.rs")]
    derived = [text for text in adapters if "impl Derived for" in text]
    assert len(derived) >= 6
    for text in derived:
        assert "clear()" not in text
        ways = text.count("\npub struct ") + text.count(" Lends<B> for ")
        further = ways - 1 + 2 * text.count("writer_schema()")  # ways of using it
        assert len(text.splitlines()) <= 40 + 10 * further, text[:80]


def test_planus_writes_names_in_the_style_of_rust_and_none_of_them_twice() -> None:
    assert [fbs_planus.upper_camel(name) for name in ("a_b", "XYPair", "vec3D")] == ["AB", "XyPair", "Vec3D"]
    assert [fbs_planus.snake(name) for name in ("a_b", "XYPair", "vec3D")] == ["a_b", "xy_pair", "vec3_d"]
    fields = [Field("type", i32), Field("item", Record("Item", [Field("text", string)]))]
    fields += [Field("reference", Record("ItemRef", [Field("text", string)]))]
    fields += [Field("level", Enum("ITEM", u8, ["low", "LOW"]))]
    low = fbs_planus.lowered(Schema("odd", Record("Odd", fields)))
    assert [each.name for each in low.records] == ["ItemType", "ItemRefType", "Odd"]
    assert low.record("Odd").fields[0].name == "type_field"
    assert [(each.name, [name for name, _ in each.members]) for each in low.enums] == [
        ("ITEM", ["Low", "LOWValue"])
    ]


def test_planus_takes_no_struct_of_too_many_members() -> None:
    (variant,) = load_codecs(Paths.default().codecs)["rust/planus"].variants.values()
    reasons = [
        variant.why_not(Schema("odd", Record("Odd", [Field("x", Record("X", [Field("a", Array(u8, n))]))])))
        for n in (256, 257)
    ]
    assert reasons[0] is None and "more than 256" in str(reasons[1])
