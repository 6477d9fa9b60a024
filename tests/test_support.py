"""Tests of what codecs declare that they cannot do: conditions on a schema or on the data, never the name of
a workload."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from tests.support import all_workloads

from serbench.building.prepare import Listener, prepare_builds, units_of
from serbench.codecs.codec import Inability, Variant
from serbench.codecs.glue import load_glue
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.canonical import decode
from serbench.dataset.edges import edge_values
from serbench.dataset.file import Dataset
from serbench.dataset.values import Limits, steps_of
from serbench.errors import FileError, SerbenchError
from serbench.measure.job import Job
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
    Type,
    Union,
    bytes_,
    decimal,
    f32,
    f64,
    i32,
    i64,
    string,
    timestamp,
    u16,
    u64,
)
from serbench.model.patterns import parse_pattern
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.selection import Chosen
from serbench.selecting.support import limits_of, why_unsupported
from serbench.workload import Workload, WorkloadSpec

VARIANTS = load_variants(Paths.default().codecs)


def codec(folder: Path, added: str, glue: str = "", before: str = "") -> Variant:
    """The only variant of a codec whose ``codec.toml`` ends with ``added`` and begins with ``before``, and
    whose ``glue.py``, if there is one, has the text ``glue``."""
    path = folder / "jvm" / "own" / "codec.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    memcpy = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text()
    for line in ("type_model = 2\n", "floor = true\n"):  # a floor is serbench's own alone
        memcpy = memcpy.replace(line, "")
    path.write_text(f"{before}{memcpy}{added}\n")
    if glue:
        (path.parent / "glue.py").write_text(glue)
    return load_codec(path).variants["default"]


def of(*types: Type, messages: Any = ()) -> Workload:
    """A workload with a field of each type in a record inside a list, so that tests show that conditions in
    ``cannot`` hold for types at any place."""
    item = Record("Item", [Field(f"field_{n}", type) for n, type in enumerate(types)])
    return Workload("drawn", "", Record("Root", [Field("items", List(item))]), lambda: iter(messages))


def reason_for(variant: Variant, workload: Workload, tmp_path: Path) -> str | None:
    home = Path(mkdtemp(dir=tmp_path))  # data are remembered by name and schema
    return why_unsupported(variant, WorkloadSpec(workload, {}), Paths(PROJECT, home))


def test_an_adapter_of_before_is_not_given_what_its_type_model_lacks(tmp_path: Path) -> None:
    workload = of(Union("Shape", [Alternative("point"), Alternative("side", i32)]))
    reason = "its adapter supports only the first edition of the type model, which has no union"
    assert reason_for(codec(tmp_path / "before", "", before="type_model = 1\n"), workload, tmp_path) == reason
    assert reason_for(codec(tmp_path / "now", "", before="type_model = 2\n"), workload, tmp_path) is None


@pytest.mark.parametrize("over", ["steps_over = 2", "nested_over = 10"])
def test_more_steps_of_recursion_than_a_codec_can_do_are_told_and_edges_keep_to_its_limit(
    tmp_path: Path, over: str
) -> None:
    """The codec supports two steps of recursion, or values 10 deep, which is the same here. A message with
    three steps is refused with the reason, and edge values have at most two."""
    folder = Record("Folder", [Field("folders", List(Ref("Folder")))])
    variant = codec(
        tmp_path, f'cannot = [{{ {over}, reason = "its stack is small" }}]', before="type_model = 2\n"
    )
    shallow = of(folder, messages=[([(([([],)],),)],)])
    deep = of(folder, messages=[([(([([([([],)],)],)],),)],)])
    assert reason_for(variant, shallow, tmp_path) is None
    told = "its stack is small; a message has 3 steps of recursion, but it supports at most 2"
    assert reason_for(variant, deep, tmp_path) == told
    flat = of(i32, messages=[([(1,)],)])
    units = [
        units_of(Job(Paths(PROJECT, tmp_path), Chosen([variant], [WorkloadSpec(w, {})])))[0]
        for w in (shallow, flat)
    ]
    root = shallow.schema.root
    steps = {steps_of(root, decode(root, message)) for message in units[0].edge.read_messages()}
    assert steps == {0, 1, 2}
    assert "most_steps" not in units[1].edge.header.parameters


def test_a_count_of_what_is_nested_that_fails_is_the_reason_why_a_codec_cannot_do_a_schema(
    tmp_path: Path,
) -> None:
    cannot = 'cannot = [{ nested_over = 8, reason = "its stack is small" }]'
    broken = codec(tmp_path, cannot, "def nested(schema):\n    yield 1 // len(schema.unions)\n")
    told = reason_for(broken, of(i32), tmp_path)
    assert told and "glue.py, line 2: nested failed: ZeroDivisionError: " in told
    type: Type = i32
    for _ in range(8):
        type = List(type)
    deep, workload = codec(tmp_path / "deep", cannot), of(type)
    assert reason_for(deep, workload, tmp_path) == "its stack is small; there can be 11"
    assert limits_of(deep, workload.schema) == Limits(most_steps=0)


def test_glue_sees_logical_types_where_it_says_so(tmp_path: Path) -> None:
    schema = of(timestamp("ms")).schema
    fits = "def fits(schema, variant):\n    return type(schema.records[0].fields[0].type).__name__\n"
    assert codec(tmp_path / "plain", "", fits).why_not(schema) == "Scalar"
    assert codec(tmp_path / "own", "", f"LOGICAL = True\n{fits}").why_not(schema) == "Logical"


def test_a_condition_is_of_the_types_that_a_codec_sees(tmp_path: Path) -> None:
    """A codec that does not ask for decimals sees a list of decimals over bytes as a list of bytes, so what
    it declares of lists of bytes applies. To a codec that asks for decimals, it does not."""
    schema = of(List(decimal(9, 2, bytes_))).schema
    declared = """cannot = [{ with = ["list<bytes>"], reason = "no lists of bytes" }]
layouts = [{ with = ["list<bytes>"], layout = "bytes in lists as text" }]"""
    plain = codec(tmp_path / "plain", declared, before="type_model = 2\n")
    glue = "LOGICAL = True\ndef fits(schema, variant):\n    return None\n"
    own = codec(tmp_path / "own", declared, glue, before="type_model = 2\n")
    assert plain.why_not(schema) == "no lists of bytes" and own.why_not(schema) is None
    assert [len(each.laid_out(schema)) for each in (plain, own)] == [1, 0]


@pytest.mark.parametrize(
    ("type", "fitting"),
    [
        (bytes_, {"bytes", "*"}),
        (Optional(bytes_), {"optional<*>", "optional<bytes>", "*"}),
        (List(bytes_), {"list<bytes>", "list< * >", "*"}),
        (Map(string, List(bytes_)), {"map<*, list<bytes>>", "map<string, *>", "*"}),
        (Array(i32, 2), {"array<i32, *>", "array<*,2>", "*"}),
        (Map(u16, string), {"map<integer, *>", "*"}),
        (u16, {"integer", "*"}),
        (Enum("Small", u16, ["a"], open=True), {"enum", "open enum", "*"}),
        (Enum("Flags", u64, ["a"]), {"enum", "u64 enum", "*"}),
        (
            Map(Enum("Flags", u64, ["a"], open=True), string),
            {"map<open u64 enum, *>", "map<u64 enum, *>", "*"},
        ),
        (Record("list", [Field("bytes", bytes_)]), {"record", "*"}),
    ],
)
def test_a_pattern_fits_types_by_what_they_are_made_of(type: Type, fitting: set[str]) -> None:
    patterns = {
        "bytes", "optional<*>", "optional<bytes>", "list<bytes>", "list< * >", "map<*, list<bytes>>",
        "map<string, *>", "array<i32, *>", "array<*,2>", "array<*, 3>", "list<list<*>>", "map<integer, *>",
        "integer", "open enum", "u64 enum", "map<open u64 enum, *>", "map<u64 enum, *>", "record", "enum",
        "*",
    }  # fmt: skip
    assert {each for each in patterns if parse_pattern(each).fits(type)} == fitting


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int16", "unknown type 'int16'; did you mean i16 or u16"),
        ("Vec3", "unknown type 'Vec3'; "),
        ("list", "found 'list', expected a type such as"),
        ("list<u8", "found 'list<u8', expected a type such as"),
        ("array<u8>", "found 'array<u8>', expected a type such as"),
        ("array<u8, x>", "found 'array<u8, x>', expected a type such as"),
        ("u8>", "found 'u8>', expected a type such as"),
        ("u8?", "found 'u8\\?', expected a type such as"),
        ("", "found '', expected a type such as"),
    ],
)
def test_a_pattern_of_no_type_is_an_error(text: str, said: str) -> None:
    with pytest.raises(SerbenchError, match=said):
        parse_pattern(text)


def test_a_fault_of_a_damaged_codec_is_told_in_a_line(tmp_path: Path) -> None:
    for faulty in (
        f'cannot = [{{ with = ["{"x" * 70_000}"], reason = "r" }}]',
        f'checks = ["{"x" * 70_000}"]',
    ):
        with pytest.raises(FileError, match=r"line \d+, .* … ") as raised:
            codec(tmp_path, faulty)
        assert len(str(raised.value)) < 1_500


def test_a_fault_in_what_cannot_be_done_is_told_with_its_line(tmp_path: Path) -> None:
    faulty = """cannot = [
  { with = ["list<Vec3>"], reason = "r" },
  { with = ["u8"], without = ["u16"], reason = "r" },
  { reason = "r" },
  { without = ["u8"], reason = " " },
]"""
    with pytest.raises(FileError) as raised:
        codec(tmp_path, faulty)
    text = str(raised.value)
    assert "4 errors" in text
    assert "variants.default.cannot[0].with: unknown type 'Vec3'" in text and "line 23, " in text
    for n in (1, 2):
        assert (
            f"variants.default.cannot[{n}]: expected one of with = [types], "
            "without = [types], message_bytes_over"
        ) in text
    assert "variants.default.cannot[3].reason: expected the reason" in text
    with pytest.raises(FileError, match=r"variants\.default\.cannot\[0\]\.reason: missing"):
        codec(tmp_path, 'cannot = [{ with = ["u8"] }]')


def test_each_condition_has_a_reason_of_its_own(tmp_path: Path) -> None:
    variant = codec(
        tmp_path,
        """cannot = [
  { with = ["list<bytes>", "array<i32, *>"], reason = "no such lists" },
  { without = ["f32", "f64"], reason = "no floats" },
]""",
    )
    assert reason_for(variant, of(List(bytes_), f32), tmp_path) == "no such lists"
    assert reason_for(variant, of(Map(string, Array(i32, 2)), f64), tmp_path) == "no such lists"
    assert reason_for(variant, of(i32), tmp_path) == "no floats"
    assert reason_for(variant, of(Optional(bytes_), Optional(f64)), tmp_path) is None


def test_what_a_whole_codec_cannot_do_none_of_its_variants_can(tmp_path: Path) -> None:
    text = (PROJECT / "codecs" / "jvm" / "msgpack4z" / "codec.toml").read_text()
    path = tmp_path / "jvm" / "msgpack4z" / "codec.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'cannot = [{{ with = ["u16"], reason = "no u16" }}]\n{text}')
    variants = load_codec(path).variants.values()
    assert len(variants) == 2 and {reason_for(v, of(u16), tmp_path) for v in variants} == {"no u16"}


def test_glue_says_what_no_pattern_can(tmp_path: Path) -> None:
    fits = 'def fits(schema, variant):\n    return f"{variant} has no walk" if not schema.walk else None\n'
    variant = codec(tmp_path, "", fits)
    assert reason_for(variant, all_workloads()["record"], tmp_path) == "default has no walk"
    assert variant.why_not(all_workloads()["graph"].schema) is None
    assert variant.codec.glue.emit is None


@pytest.mark.parametrize(
    ("glue", "said"),
    [
        (
            "def fits(schema, variant):\n    return schema.nodes\n",
            "glue.py, line 2: fits failed: AttributeError: 'Schema'",
        ),
        (
            "def fits(schema):\n    return None\n",
            "glue.py: fits failed: TypeError: fits() takes 1 positional argument",
        ),
        (
            "def fits(schema, variant):\n    return False\n",
            "glue.py: fits returned False; expected a reason, or None if",
        ),
    ],
)
def test_glue_that_fails_is_the_reason_and_ends_nothing(tmp_path: Path, glue: str, said: str) -> None:
    assert said in str(reason_for(codec(tmp_path, "", glue), of(i32), tmp_path))


def test_glue_that_defines_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        FileError, match=r"glue\.py defines neither emit\(schema\), .* nor fits\(schema, variant\)"
    ):
        codec(tmp_path, "", "FITS = True\n")


def test_a_largest_message_is_of_the_data_and_not_of_the_schema(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'cannot = [{ message_bytes_over = 100, reason = "too much memory" }]')
    small, large = [([("x" * 92,)],), ([],)], [([],), ([("x" * 93,)],)]
    assert reason_for(variant, of(string, messages=small), tmp_path) is None
    said = "too much memory; one has 101 canonical bytes, but it supports at most 100"
    assert reason_for(variant, of(string, messages=large), tmp_path) == said


@pytest.mark.parametrize("value", [1.5, -1.25, math.inf, math.nan])
def test_floats_that_a_codec_does_not_take_are_told_with_their_place(tmp_path: Path, value: float) -> None:
    variant = codec(tmp_path, 'cannot = [{ floats_outside = [-1.0, 1.0], reason = "too much" }]')
    type = Map(string, List(Optional(f32)))
    fine: Any = ([({"a": [-1.0, None, 1.0]},)],)
    assert reason_for(variant, of(type, messages=[fine]), tmp_path) is None
    found = reason_for(
        variant, of(type, messages=[fine, ([({"a": []},), ({"b": [0.5, value]},)],)]), tmp_path
    )
    assert found == f"too much; message 1, Root.items[1].field_0['b'][1] is {value}"


def test_a_codec_without_infinities_takes_all_other_floats_of_each_width(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'cannot = [{ infinite_floats = true, reason = "JSON has none" }]')
    greatest = {f32: 3.4028234663852886e38, f64: sys.float_info.max}
    for type, most in greatest.items():
        workload = of(type, messages=[([(most,), (-most,)],)])
        assert reason_for(variant, workload, tmp_path) is None
        for value in (math.inf, -math.inf, math.nan):
            found = reason_for(variant, of(type, messages=[([(value,)],)]), tmp_path)
            assert found == f"JSON has none; message 0, Root.items[0].field_0 is {value}"
        edges = edge_values(workload.schema.root, limits_of(variant, workload.schema))
        floats = {value for (items,) in edges for (value,) in items}
        assert {most, -most} <= floats and math.inf not in floats


def test_a_range_of_floats_that_earlier_codecs_declare_as_a_tolerance_is_read(tmp_path: Path) -> None:
    variant = codec(tmp_path, "[variants.default.tolerance]\nfloat_range = [-1.0, 1.0]")
    assert limits_of(variant, of(f64).schema).float_range == (-1, 1)
    assert variant.tolerance == Tolerance()


def test_a_codec_that_takes_all_floats_but_nan_says_so_in_edge_values(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'cannot = [{ floats_outside = [-inf, inf], reason = "NaN is lost" }]')
    limits = limits_of(variant, of(f32).schema)
    assert limits.parameters() == {"float_range": ["-inf", "inf"]}
    assert reason_for(variant, of(f32, messages=[([(math.inf,)],)]), tmp_path) is None
    found = reason_for(variant, of(f32, messages=[([(math.nan,)],)]), tmp_path)
    assert found == "NaN is lost; message 0, Root.items[0].field_0 is nan"


def test_only_floats_make_a_codec_lossy() -> None:
    loss = Tolerance(float_absolute=0.01)
    assert loss.loss_in([of(string).schema, of(Optional(f32)).schema]) == "floats may be off by 0.01"
    assert not loss.loss_in([of(string, i64).schema]) and not Tolerance().loss_in([of(f32).schema])


@pytest.mark.parametrize(
    ("over", "type", "fine", "odd", "said"),
    [
        ("integers_over = 9", Map(u64, Optional(i64)), {8: 9}, {1: 10}, "Root.items[0].field_0[1] is 10"),
        ("integers_over = 9", Map(u64, i64), {9: -10}, {9: -11}, "Root.items[0].field_0[9] is -11"),
        ("integers_over = 9", Map(u64, i64), {9: -10}, {10: 1}, "a key of Root.items[0].field_0 is 10"),
        ("characters_over = 233", Map(string, string), {"é": "aé"}, {"a": "ê"}, "field_0['a'] is 'ê'"),
        (
            "characters_over = 233",
            Map(string, u64),
            {"é": 1},
            {"🐎": 1},
            "a key of Root.items[0].field_0 is '🐎'",
        ),
        ("nul_in_keys = true", Map(string, string), {"a": "\0"}, {"\0": ""}, "field_0 is '\\x00'"),
    ],
)
def test_values_that_a_codec_does_not_take_are_told_and_edges_are_without(
    tmp_path: Path, over: str, type: Type, fine: Any, odd: Any, said: str
) -> None:
    variant = codec(tmp_path, f'cannot = [{{ {over}, reason = "it breaks" }}]')
    assert reason_for(variant, of(type, messages=[([(fine,)],)]), tmp_path) is None
    told = reason_for(variant, of(type, messages=[([(fine,)],), ([(odd,)],)]), tmp_path)
    assert told and told.startswith("it breaks; message 1, ") and told.endswith(said)
    spec = WorkloadSpec(of(type), {})
    root, limits = spec.workload.schema.root, limits_of(variant, spec.workload.schema)
    assert limits != Limits()
    values = edge_values(root, limits)
    assert all(limits.misfit(root, value) is None for value in values)
    assert any(limits.misfit(root, value) for value in edge_values(root))
    # A schema without such types has the edge values that it had.
    assert limits_of(variant, of(f64).schema) == Limits()


def test_private_values_and_keys_are_told_by_their_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = codec(tmp_path, 'cannot = [{ integers_over = 9, reason = "it breaks" }]')
    monkeypatch.setattr(Dataset, "is_private", True)
    told = reason_for(variant, of(Map(string, u64), messages=[([({"a secret": 77},)],)]), tmp_path)
    assert told and told.endswith("field_0[a text of 8 characters] is an integer of 7 bits")


@pytest.mark.parametrize("limit", [0, -3, 10])
def test_a_limit_of_integers_is_one_that_no_edit_goes_beyond(tmp_path: Path, limit: int) -> None:
    with pytest.raises(FileError, match=f"found {limit}, expected an odd number above zero"):
        codec(tmp_path, f'cannot = [{{ integers_over = {limit}, reason = "it breaks" }}]')


def test_an_enum_with_a_number_that_a_codec_does_not_take_cannot_be_done(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'cannot = [{ integers_over = 9, reason = "it breaks" }]')
    assert reason_for(variant, of(Enum("Small", u16, [("a", 9)]), messages=[([(9,)],)]), tmp_path) is None
    assert reason_for(variant, of(Enum("Large", u16, [("a", 1), ("b", 10)])), tmp_path) == "it breaks"


class NeverBuilds:
    """A toolchain that must never be asked to build anything."""

    language, name = "jvm", "none"
    edition = layouts = least_programs = counters = cross_checks = sanitizers = fetches = None

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def notices(self) -> list[str]:
        return []

    missing_packages = notices

    def own(self, variant: Variant) -> Variant:
        return variant

    def configure(self) -> None:
        pass

    def build(self, pairs: list[Any], progress: Any) -> dict[tuple[str, str], str]:
        assert not pairs
        return {}


def test_what_cannot_be_done_is_a_row_with_its_reason_and_is_never_built(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'cannot = [{ message_bytes_over = 100, reason = "too much memory" }]')
    spec = WorkloadSpec(of(string, messages=[([("x" * 93,)],)]), {})
    builds: list[Any] = [NeverBuilds()]
    job = Job(Paths(PROJECT, tmp_path / "home"), Chosen([variant], [spec]), builds)
    (unit,) = prepare_builds(job, Listener(print))
    assert unit.status == "unsupported" and unit.reason.startswith("too much memory; one has 101 ")


def test_no_codec_names_a_workload() -> None:
    """Codecs declare what they cannot do, and why, without naming a workload."""
    names = {*all_workloads()} - {"record"}  # which is a kind of type too
    declared: list[Inability] = [each for variant in VARIANTS.values() for each in variant.cannot]
    assert declared and not [each.reason for each in declared if names & set(each.reason.split())]


def test_the_line_of_a_fault_is_told_below_a_link_too(tmp_path: Path) -> None:
    folder, link = tmp_path / "codec", tmp_path / "link"
    folder.mkdir()
    (folder / "glue.py").write_text("\nfrom . import beside\n")
    (folder / "beside.py").write_text("\n\nraise ValueError('no such thing')\n")
    link.symlink_to(folder)
    with pytest.raises(FileError, match=r"glue\.py, line 2 cannot be loaded: ValueError: no such thing"):
        load_glue(link)
