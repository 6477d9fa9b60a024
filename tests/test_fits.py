"""Tests of what codecs of the project declare that they cannot do: schemas that they refuse, each next to a
similar one that they can do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.graphs import GRAPHS
from tests.support import all_workloads, as_measured, small_spec, why_not

from serbench.building.prepare import prepare_builds
from serbench.codecs.codec import StepsLimit
from serbench.dataset.edges import edge_values
from serbench.dataset.values import Limits
from serbench.languages import languages
from serbench.languages.base import BuildOrder, Toolchain
from serbench.measure.job import Job, Permission
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
    Type,
    Union,
    Walk,
    bool_,
    bytes_,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
    u8,
    u16,
    u64,
)
from serbench.model.nesting import nested
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.selecting.support import why_unsupported
from serbench.verification.contract import verify
from serbench.workload import Workload, WorkloadSpec

VARIANTS = load_variants(Paths.default().codecs)
LEVEL = Enum("Level", i16, [("low", -2), ("high", 300)])
POINT = Record("Point", [Field("x", f32), Field("y", f64)])


def workload(name: str, types: Iterable[Type]) -> Workload:
    """A workload with a field of each type; its data are the first edge values, with numbers within [-1, 1]
    and at most 100 steps. Data are few since verification watches every operation on them."""
    root = Record("Root", [Field(f"field_{n}", type) for n, type in enumerate(types)])
    schema = Schema(name, root)  # which lets references in the root know what they mean
    return Workload(name, "", root, lambda: iter(edge_values(schema.root, Limits((-1.0, 1.0), 100))[:4]))


ITEMS: list[Type] = [i32, i64, f32, f64, string, bytes_, LEVEL]
PROTOBUF = workload(
    "protobuf_types",
    [
        bool_,
        *ITEMS,
        *(List(each) for each in [*ITEMS, u8, i8]),
        *(Map(string, each) for each in [*ITEMS, bool_]),
        Map(i32, i32),
    ],
)
FLOATS = workload(
    "floats",
    [f32, f64, List(f32), Array(f64, 3), Optional(f64), Map(string, f32), POINT, List(POINT), u8, string],
)


def choice(*types: Type) -> Record:
    """A record with a union of ``types``, of a number, and of a record with a list of the outer record."""
    inner = Record("Inner", [Field("nodes", List(Ref("Node")))])
    alternatives = [Alternative(f"a{n}", type) for n, type in enumerate([i64, *types, inner])]
    return Record("Node", [Field("value", Union("Choice", alternatives)), Field("level", Optional(LEVEL))])


ENUMS = workload("enums", [choice(Record("Boxed", [Field("level", LEVEL)]), Map(i32, LEVEL))])
MAYBES = workload("maybes", [Optional(List(Optional(i64))), Map(i32, Optional(List(Optional(LEVEL))))])
WORDS = """com config configuration decoder default encoder in instance io java key l long names option org
out p0 scala serbench shapeless string upickle value x"""
HIDING = workload(
    "hiding",
    [
        *(Record(name, [Field("root", i64)]) for name in ("Enum", "Bytes", "Double", "Later")),
        Record("Other", [Field("root", i64, wire="@root"), Field("all", Map(i32, i64))]),
        Record("Words", [Field(name, i64) for name in WORDS.split()]),
        Union("Empty", [Alternative("nothing"), Alternative("bytes", bytes_)]),
        *ITEMS,
    ],
)
"""A workload with names that glue or the code of macros uses too."""

NUMBERS = workload(
    "numbers",
    [
        Enum("Digit", u64, [("zero", 5), ("one", 1)], wire=[("zero", "0")], open=True),
        Enum("Sign", i8, [("zero", 5)], wire=[("zero", "0")]),
        *(Map(type, u64) for type in (u64, i64)),
    ],
)
"""A workload with names that are numbers, and with numbers that need all 64 bits."""

MAYBE_UNIONS = workload(
    "maybe_unions",
    [
        Record(
            "Node",
            [
                Field("text", string),
                Field(
                    "value",
                    Optional(
                        Union(
                            "Value",
                            [
                                Alternative("number", i64),
                                Alternative(
                                    "key",
                                    Union(
                                        "Key", [Alternative("name", string), Alternative("node", Ref("Node"))]
                                    ),
                                ),
                                Alternative("nodes", List(Ref("Node"))),
                            ],
                        )
                    ),
                ),
            ],
        )
    ],
)
"""A workload with an optional of a union whose alternatives are recursive and contain another union."""

RENAMED = workload(
    "renamed",
    [
        Record(
            "Node",
            [
                Field("app_name", string, wire="appName"),
                Field("id", i64, wire="@id"),
                Field("from", Optional(Record("Place", [Field("x", f64, wire='a"b'), Field("y", f64)]))),
                Field("links", Map(string, Ref("Node")), wire="_links"),
                Field("level", LEVEL, wire="app_name"),
            ],
        )
    ],
)
"""A workload whose written names are no identifiers, reserved in Python, or the names of other fields."""

WORDY = workload("wordy", [Record("Wordy", [Field(f"f{n}{'x' * 9000}", i32) for n in range(30)])])
"""A workload whose schema takes 270,000 characters as text, as the schema of DataHub's change events does."""

DOABLE = [
    ("cpp/avro", ENUMS),
    ("cpp/avro_c", WORDY),
    ("cpp/zpp_bits:protobuf", PROTOBUF),
    ("cpp/bitsery:compression", FLOATS),
    *((f"cpp/cista:{kind}_pointers", graph) for kind in ("offset", "raw") for graph in GRAPHS),
    ("jvm/jackson:json", MAYBES),
    *((f"jvm/{codec}", HIDING) for codec in ("circe", "jsoniter")),
    *((f"jvm/{codec}", NUMBERS) for codec in ("csv", "upickle:json")),
    ("python/cattrs", MAYBE_UNIONS),
    ("python/cattrs", RENAMED),
    ("python/dataclasses_json", RENAMED),
    ("python/mashumaro", RENAMED),
    *((f"python/pyfory:{mode}", each) for mode in ("compatible", "xlang") for each in (MAYBE_UNIONS, WORDY)),
]


OWN = Paths(PROJECT, Paths.default().home / "fits")


@pytest.fixture(scope="module")
def builds() -> list[Toolchain]:
    """Toolchains for the codecs and workloads of this module alone; builds are kept from one test run to the
    next."""
    found: list[Toolchain] = []
    for language in ("cpp", "jvm", "python"):
        own = [(VARIANTS[id].codec, each) for id, each in DOABLE if VARIANTS[id].codec.language == language]
        codecs = {codec.id: codec for codec, _ in own}
        workloads = {workload.name: workload for _, workload in own}
        order = BuildOrder(OWN, list(codecs.values()), list(workloads.values()))
        found += languages()[language].toolchains(order)
    return found


@pytest.mark.native
@pytest.mark.parametrize(("variant", "workload"), DOABLE, ids=lambda each: getattr(each, "name", each))
def test_what_a_codec_lets_through_it_can_do(
    builds: list[Toolchain], variant: str, workload: Workload, request: pytest.FixtureRequest
) -> None:
    if variant.startswith(("cpp/", "jvm/")) and not request.config.getoption("all"):
        pytest.skip("a build of its own, up to a minute for each codec: ./serbench test --all")
    own = [build for build in builds if build.language == VARIANTS[variant].codec.language]
    chosen = Chosen([VARIANTS[variant]], [WorkloadSpec(workload, {})])
    (unit,) = prepare_builds(Job(OWN, chosen, own, Permission(install=True)))
    if unit.status == "not_installed":
        pytest.skip(unit.reason)
    assert unit.status == "ok", unit.reason
    verified = verify(as_measured(unit, request.config.getoption("all")))
    assert verified.ok, verified.reason


@pytest.mark.parametrize(("variant", "workload"), DOABLE, ids=lambda each: getattr(each, "name", each))
def test_it_is_let_through(variant: str, workload: Workload) -> None:
    assert VARIANTS[variant].why_not(workload.schema) is None


@pytest.mark.parametrize(
    ("type", "said"),
    [
        (u16, "neither 8- nor 16-bit integers"),
        (i8, "neither 8- nor 16-bit integers"),
        (List(i16), "neither 8- nor 16-bit integers"),
        (Map(u16, string), "neither 8- nor 16-bit integers"),
        (Optional(i32), "no optionals"),
        (List(Optional(i32)), "no optionals"),
        (Array(i32, 2), "no arrays"),
        (List(bool_), "no lists of bool"),
        (List(List(i32)), "no lists and maps in lists and maps"),
        (Map(string, List(i32)), "no lists and maps in lists and maps"),
        (POINT, "takes only the root for a message"),
        (Map(string, POINT), "takes only the root for a message"),
    ],
)
def test_protobuf_of_zpp_bits_refuses_what_it_has_not(type: Type, said: str) -> None:
    assert said in str(VARIANTS["cpp/zpp_bits:protobuf"].why_not(workload("drawn", [i32, type]).schema))
    assert VARIANTS["cpp/zpp_bits:general"].why_not(workload("drawn", [i32, type]).schema) is None


@pytest.mark.parametrize("type", [LEVEL, List(LEVEL), Map(string, List(LEVEL))])
def test_avro_refuses_an_enum_that_is_in_a_union_which_leads_back(type: Type) -> None:
    said = VARIANTS["cpp/avro"].why_not(workload("drawn", [choice(type)]).schema)
    assert said and "avrogencpp declares an enum twice" in said
    alone = Union("Alone", [Alternative("number", i32), Alternative("other", type)])
    assert VARIANTS["cpp/avro"].why_not(workload("drawn", [alone]).schema) is None


SELF = Ref("Node")


@pytest.mark.parametrize(
    ("type", "said"),
    [
        (List(SELF), None),
        (Optional(SELF), None),
        (List(Optional(SELF)), "lead back through others, as OptionalNode does"),
        (Map(string, SELF), "puts another into its map"),
        (Map(i32, SELF), "lead back through others, as Node does"),
    ],
)
def test_avrohugger_refuses_a_record_that_leads_back_otherwise_than_by_itself(
    type: Type, said: str | None
) -> None:
    node = Record("Node", [Field("next", type)])
    found = VARIANTS["jvm/avrohugger"].why_not(workload("drawn", [node]).schema)
    assert found is None if said is None else said in str(found)


@pytest.mark.parametrize(
    ("type", "holder"),
    [
        (FixedBytes(4), "Node"),
        (Map(i32, FixedBytes(4)), "I32ToBytes4Entry"),
        (Map(string, FixedBytes(4)), None),
    ],
)
def test_avrohugger_refuses_bytes_of_a_fixed_length_in_records_and_entries(
    type: Type, holder: str | None
) -> None:
    node = Record("Node", [Field("id", type)])
    found = VARIANTS["jvm/avrohugger"].why_not(workload("drawn", [node]).schema)
    said = f"makes every new {holder} with a fixed of no bytes"
    assert found is None if holder is None else said in str(found)


@pytest.mark.parametrize(
    ("next", "expected"),
    [
        (Optional(SELF), [1, 2, 3]),
        (List(SELF), [2, 4, 6]),
        (Map(string, List(SELF)), [3, 6, 9]),
        (i32, [1]),
    ],
)
def test_values_inside_each_other_are_those_of_the_deepest_message_of_so_many_steps(
    next: Type, expected: list[int]
) -> None:
    schema = Schema("nested", Record("Node", [Field("next", next)]))
    found = list(nested(schema.composites, schema.root, lambda type: isinstance(type, Record | List | Map)))
    assert found[:3] == expected
    assert len(found) == (1 if next == i32 else MAX_DEPTH + 1)


@pytest.mark.parametrize(
    ("variant", "most", "said"),
    [
        ("python/orjson:dataclass", 254, "it writes at most 254 values inside each other"),
        ("rust/serde_json", 127, "its from_slice reads at most 127 values inside each other"),
        ("rust/cbor4ii:default", 256, "its from_slice reads at most 256 values inside each other"),
    ],
)
def test_a_library_takes_of_a_schema_as_many_steps_as_have_no_more_values_than_it_takes(
    variant: str, most: int, said: str
) -> None:
    """The library takes at most ``most`` values inside each other, so the limit on steps of recursion depends
    on the schema: root, list and node come first, and each step adds a node and its lists."""
    for lists in (1, 7):
        next: Type = SELF
        for _ in range(lists):
            next = List(next)
        schema = workload("drawn", [List(Record("Node", [Field("next", next)]))]).schema
        limit = StepsLimit((most - 3 - lists) // (1 + lists), said)
        assert VARIANTS[variant].steps_limit(schema) == limit
        assert VARIANTS[variant].why_not(schema) is None
    deep: Type = i32
    for _ in range(most - 1):
        deep = List(deep)
    flat = Schema("flat", Record("Root", [Field("x", deep)]))
    assert VARIANTS[variant].steps_limit(flat) is None
    over = Schema("over", Record("Root", [Field("x", List(deep))]))
    assert VARIANTS[variant].why_not(over) == f"{said}; there can be {most + 1}"


def test_of_values_of_thrift_only_structs_count() -> None:
    """Thrift limits structs inside each other: an optional in a list or map is a struct, a list is none."""
    one = Record("One", [Field("held", List(Optional(SELF)))])
    structs = Record("Node", [Field("next", Map(string, Optional(one)))])
    lists = Record("Node", [Field("next", Map(string, List(List(List(List(List(List(SELF))))))))])
    for node, each_step in ((structs, 4), (lists, 1)):
        limit = VARIANTS["python/thrift:binary"].steps_limit(workload("drawn", [node]).schema)
        assert limit and limit.steps == (64 - 1) // each_step - 1
        assert "accelerator writes and reads at most 64 structs inside each other" in limit.reason


def test_msgp_refuses_pointers_to_maps_for_which_its_code_does_not_compile() -> None:
    variant = VARIANTS["go/tinylib_msgp"]
    assert variant.why_not(workload("drawn", [Map(string, string)]).schema) is None
    for value in (string, Record("Point", [Field("x", u16)])):
        said = variant.why_not(workload("drawn", [Optional(Map(string, value))]).schema)
        assert said == "what it generates for a pointer to a map does not compile"


def test_speedy_reads_no_list_of_what_takes_no_memory_but_has_an_alternative() -> None:
    one = Union("One", [Alternative("only")])
    within = Record("Within", [Field("one", one)])
    other = Union("Other", [Alternative("this"), Alternative("that")])
    for item, said in ((one, True), (within, True), (other, False), (Record("Empty", []), False)):
        found = VARIANTS["rust/speedy"].why_not(workload("drawn", [List(item)]).schema)
        assert (found is not None and "take no memory" in found) is said
    refused = VARIANTS["rust/borsh"].why_not(workload("drawn", [List(within)]).schema)
    assert refused == "it refuses lists whose items take no memory in Rust"


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\n"])
def test_structs_of_msgspec_have_no_names_that_json_escapes(name: str) -> None:
    schema = workload("drawn", [Record("Odd", [Field("a", u16, wire=name)])]).schema
    assert VARIANTS["python/msgspec:json_struct"].why_not(schema) == (
        "its structs have no field whose name has a quote, a backslash or a control character"
    )


@pytest.mark.parametrize(("name", "refuses"), [("toString", True), ("tostring", False)])
def test_fast_json_stringify_takes_what_objects_inherit_for_an_alternative(name: str, refuses: bool) -> None:
    union = Union("Odd", [Alternative("number", u16), Alternative(name, u16)])
    said = VARIANTS["javascript/fast_json_stringify"].why_not(workload("drawn", [union]).schema)
    assert (said == f"takes {name}, which every object inherits, for the alternative of Odd") is refuses
    fields = Record("Odd", [Field(name, u16)])
    assert VARIANTS["javascript/fast_json_stringify"].why_not(workload("drawn", [fields]).schema) is None


@pytest.mark.parametrize("name", ["inline", "omitempty"])
def test_the_driver_of_mongodb_takes_some_names_for_options(name: str) -> None:
    fields = Record("Odd", [Field(name, u16)])
    said = VARIANTS["go/mongo_bson"].why_not(workload("drawn", [fields]).schema)
    assert said == f"its tags have no field called {name}"


def graph(of_edge: list[Field], of_node: list[Field], of_root: list[Field]) -> Schema:
    edge = Record("Edge", [Field("to", u16), *of_edge])
    node = Record("Node", [Field("edges", List(edge)), *of_node])
    return Schema(
        "net", Record("Net", [Field("nodes", List(node)), *of_root]), walk=Walk("nodes", "edges", "to")
    )


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (all_workloads()["monsters"].schema, "only the edges of a graph are pointers"),
        (graph([Field("name", string)], [], []), "edges may hold numbers alone"),
        (graph([], [], [Field("first", "Node")]), "Net.first is no list of a graph's"),
        (graph([], [], [Field("all", "Edge")]), "Net.all is no list of a graph's"),
        (graph([Field("toll", f32)], [Field("name", Optional(string))], [Field("name", string)]), None),
    ],
)
@pytest.mark.parametrize("kind", ["offset", "raw"])
def test_pointers_of_cista_ask_for_a_graph_of_objects(kind: str, schema: Schema, said: str | None) -> None:
    found = VARIANTS[f"cpp/cista:{kind}_pointers"].why_not(schema)
    assert found is None if said is None else said in str(found)
    assert VARIANTS["cpp/cista:offset"].why_not(schema) is None


@pytest.mark.parametrize("variant", ["jvm/circe", "jvm/msgpack4z:maps"])
def test_a_tree_of_all_values_is_refused_for_a_big_message_alone(variant: str, tmp_path: Path) -> None:
    root = Record("Root", [Field("text", string)])
    (limit,) = [each.message_bytes_over for each in VARIANTS[variant].cannot]
    assert limit and why_not(variant, "graph") is None

    def reason_for(length: int) -> str | None:
        spec = WorkloadSpec(Workload(f"text_{length}", "", root, lambda: iter([("x" * length,)])), {})
        return why_unsupported(VARIANTS[variant], spec, Paths(PROJECT, tmp_path))

    assert reason_for(limit - 4) is None  # behind a length of four bytes
    assert "more than the 3 GB heap that every fork gets" in str(reason_for(limit - 3))


@pytest.mark.parametrize("workload", ["record", "monsters", "nobid", "graph"])
def test_of_the_workloads_of_the_project_these_cannot_be_done(workload: str) -> None:
    refused = {name for name in VARIANTS if why_not(name, workload)}
    pointers = {"cpp/cista:offset_pointers", "cpp/cista:raw_pointers"}
    compression, protobuf = {"cpp/bitsery:compression"}, {"cpp/zpp_bits:protobuf"}
    zeros = {"go/gob"}  # an optional that holds 0
    names = {"python/msgspec:json_dataclass", "python/msgspec:msgpack_dataclass"}  # a field called from
    expected = {
        "record": pointers | compression,
        "monsters": pointers | protobuf,
        "nobid": pointers | compression | protobuf | zeros,
        "graph": compression | protobuf | names,
    }
    assert small_spec(workload).workload.name == workload
    assert refused == expected[workload]
