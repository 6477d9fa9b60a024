"""Tests of OLD and NEW of ``verify --evolution``, which may be files and files at git revisions."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.started import started
from tests.support import PATHS

from serbench.changes import FREE, read_as, shared, unreadable
from serbench.changes.derived import parse_spec
from serbench.cli.evolution import Evolution
from serbench.cli.old_and_new import SideOptions, _of_format, incompatible, old_and_new
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import InputError, SelectionError
from serbench.imports import formats
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Union,
    bytes_,
    i32,
    string,
    u16,
    u32,
)
from serbench.paths import PROJECT, Paths
from serbench.report.evolution_closing import closing
from serbench.selecting.catalogue import load_variants
from serbench.system.git import file_at, parted
from serbench.verification.evolution import Evolved
from serbench.workload import load_workloads


def proto(*fields: str, imports: str = "") -> str:
    """A schema of orders with these fields behind its number."""
    lines = "\n".join(f"  {each};" for each in ("int64 number = 1", *fields))
    return f'syntax = "proto3";\npackage shop;\n{imports}\nmessage Order {{\n{lines}\n}}\n'


CENTS = "int32 cents = 2"
SKU = 'syntax = "proto3";\npackage shop;\nmessage Sku {{ string text = {number}; }}\n'


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def committed(folder: Path, tag: str, **files: str) -> None:
    """A commit with these texts, by name without the ending, and with a tag of its own."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.proto"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", tag)
    git(folder, "tag", tag)


@pytest.fixture(name="shop")
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository of two revisions of a schema and of another one that it imports."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    sku = 'import "schema/sku.proto";'
    committed(folder, "v1", schema__order=proto("Sku sku = 2", imports=sku), schema__sku=SKU.format(number=1))
    committed(folder, "v2", schema__order=proto("Sku sku = 2", imports=sku), schema__sku=SKU.format(number=7))
    monkeypatch.chdir(folder)
    return folder


def paths_of(tmp_path: Path) -> Paths:
    return Paths(PROJECT, tmp_path / "home")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("v1.2:schema/order", ("v1.2", "schema/order")),
        ("HEAD^{/mend: it}:./a:b", ("HEAD^{/mend: it}", "./a:b")),
        ("origin/main:", ("origin/main", "")),
        (":order", ("", "")),
        ("order", ("", "")),
    ],
)
def test_a_revision_ends_at_the_first_colon_outside_of_braces(text: str, found: tuple[str, str]) -> None:
    assert parted(text) == found


def test_a_file_at_a_revision_comes_with_those_that_it_may_import(shop: Path, tmp_path: Path) -> None:
    (shop / "data.bin").write_bytes(b"much")
    committed(shop, "v3")
    found = file_at("v1:schema/order.proto", shop, tmp_path / "old")
    assert found.file.read_text().startswith("syntax") and found.path == "schema/order.proto"
    assert "text = 1" in (tmp_path / "old" / "schema" / "sku.proto").read_text()
    assert not (tmp_path / "old" / "data.bin").exists()
    assert file_at("v2:./order.proto", shop / "schema", tmp_path / "new").path == "schema/order.proto"
    assert found.place_of(shop / "schema") == tmp_path / "old" / "schema"
    assert found.place_of(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v9:schema/order.proto", "found no revision 'v9'; did you mean v2 or v1?"),
        ("--all:schema/order.proto", "found no revision '--all'"),
        ("v1:order.proto", "v1 has no file 'order.proto'; did you mean schema/order.proto?"),
        ("v1:schema/ordre.proto", "v1 has no file 'schema/ordre.proto'; did you mean schema/order.proto"),
        ("v1:schema", "v1 has no file 'schema', but a folder; expected a file"),
        ("v1:../../order.proto", "v1 has no file '../../order.proto'"),
    ],
)
def test_a_revision_or_file_that_is_not_there_is_told_with_the_nearest(
    shop: Path, tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(SelectionError) as error:
        file_at(text, shop, tmp_path / "made")
    assert str(error.value).startswith(f"{text}: {said}")


def test_a_folder_in_no_repository_and_a_shallow_clone_are_told(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match=r"found no git repository: git says: not a git repository"):
        file_at("v1:order.proto", tmp_path, tmp_path / "made")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{shop}", "shallow")
    with pytest.raises(SelectionError, match="this clone is shallow"):
        file_at("main~1:schema/order.proto", tmp_path / "shallow", tmp_path / "made")


def test_files_that_are_left_out_of_archives_are_told(shop: Path, tmp_path: Path) -> None:
    (shop / ".gitattributes").write_text("schema/order.proto export-ignore\n")
    committed(shop, "v3")
    with pytest.raises(SelectionError, match=r"export-ignore in \.gitattributes"):
        file_at("v3:schema/order.proto", shop, tmp_path / "made")


def test_both_sides_have_one_name_in_generated_code_and_labels_of_their_own(
    shop: Path, tmp_path: Path
) -> None:
    (shop / "order-v2.proto").write_text(proto(CENTS, "string note = 3"))
    (shop / "order.proto").write_text(proto(CENTS))
    paths = paths_of(tmp_path)
    with old_and_new(["order.proto", "order-v2.proto"], SideOptions(), paths) as sides:
        old, new = (side.spec for side in sides)
        assert (old.id, new.id) == ("order.proto", "order-v2.proto")
        assert old.workload.schema.name == new.workload.schema.name == "order"
        for spec in (old, new):
            schema = spec.workload.schema
            assert spec.workload.name == f"order__{schema.digest()[:8]}" and spec.workload.base
            data = dataset_for(spec, paths)
            assert data.header.schema == schema.to_json(), "programs refuse data of another schema"
            assert data.messages == 1000 and not data.is_private


def test_imports_and_folders_are_those_of_the_revision(shop: Path, tmp_path: Path) -> None:
    (shop / "schema" / "sku.proto").write_text("no schema")
    pair = ["v1:schema/order.proto", "v2:"]
    with old_and_new(pair, SideOptions(include=[Path()]), paths_of(tmp_path)) as sides:
        skus = [side.spec.workload.schema.records[0].fields[0].number for side in sides]
        assert skus == [1, 7] and [side.spec.id for side in sides] == [pair[0], "v2:schema/order.proto"]


def test_a_fault_at_a_revision_is_told_by_the_revision_and_its_line(shop: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"^v1:schema/order\.proto, line 3, column 1: found .*sku\.proto"),
        old_and_new(["v1:schema/order.proto", "v2:"], SideOptions(), paths_of(tmp_path)),
    ):
        pass


def test_data_are_private_and_belong_to_one_side(shop: Path, tmp_path: Path) -> None:
    (shop / "order.proto").write_text(proto(CENTS))
    (shop / "new.jsonl").write_text('{"number": 3, "cents": 5}\n{"number": 4, "cents": 6}\n')
    (shop / "old.bin").write_bytes(b"\x02\x08\x05\x02\x08\x06\x02\x08\x07")
    paths = paths_of(tmp_path)
    how = SideOptions(data=["old.bin"], framing="delimited")
    with old_and_new(["order.proto", "new.jsonl"], how, paths) as sides:
        old, new = (dataset_for(side.spec, paths) for side in sides)
        assert (old.messages, new.messages) == (3, 2) and old.is_private and new.is_private
        root = sides[1].spec.workload.schema.root
        assert [decode(root, each) for each in new.read_messages()] == [(3, 5), (4, 6)]
    with (
        pytest.raises(SelectionError, match="small_struct: found data for a workload"),
        old_and_new(["small_struct", "new.jsonl"], SideOptions(data=["old.bin"]), paths),
    ):
        pass


def test_a_workload_and_a_file_of_a_workload_are_sides_too(shop: Path, tmp_path: Path) -> None:
    source = (PROJECT / "workloads" / "small_struct.py").read_text()
    (shop / "small_struct.py").write_text(source)
    paths = paths_of(tmp_path)
    with old_and_new(["small_struct:count=3", "./small_struct.py"], SideOptions(), paths) as (old, new):
        assert old.spec.id == "small_struct:count=3" and old.spec.workload.base is None
        assert new.spec.id == "./small_struct.py" and new.spec.workload.base
        assert old.spec.workload.schema.digest() == new.spec.workload.schema.digest()


SKETCHES = {
    "avsc": '{{"type": "record", "name": "R", "fields": [{{"name": "a", "type": "long"}}{}]}}',
    "thrift": "struct R {{ 1: required i64 a {} }}",
    "capnp": "@0xd5b7d3b1a5c3f2e1;\nstruct R {{ a @0 :Int64; {} }}",
    "fbs": "table R {{ a: long; {} }}\nroot_type R;",
    "json": '{{"$schema": "http://json-schema.org/draft-07/schema#", "title": "R", "type": "object",'
    ' "properties": {{"a": {{"type": "integer"}}{}}}, "required": ["a"]}}',
    "jsonl": '{{"a": 5{}}}\n',
}
"""Ending → a schema or data of that format, with a place for another field."""
MORE = {
    "avsc": ', {"name": "b", "type": ["null", "string"], "default": null}',
    "thrift": ", 2: optional string b",
    "capnp": "b @1 :Text;",
    "fbs": "b: string;",
    "json": ', "b": {"type": "string"}',
    "jsonl": ', "b": "text"',
}
COMPILERS = {"thrift": "thrift", "capnp": "capnp", "fbs": "flatc"}


@pytest.mark.parametrize("ending", SKETCHES)
def test_files_of_each_format_are_sides(shop: Path, tmp_path: Path, ending: str) -> None:
    if (compiler := COMPILERS.get(ending)) and not shutil.which(compiler):
        pytest.skip(f"no program {compiler} is on the path")
    names = [f"{which}.{ending}" for which in ("old", "new")]
    for name, more in zip(names, ("", MORE[ending]), strict=True):
        (shop / name).write_text(SKETCHES[ending].format(more))
    with old_and_new(names, SideOptions(), paths_of(tmp_path)) as sides:
        fields = [[field.name for field in side.spec.workload.schema.root.fields] for side in sides]
        assert fields == [["a"], ["a", "b"]]
        assert not incompatible(sides[0].spec, sides[1].spec)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ordr.proto", "ordr.proto: no such file"),
        ("schema/none", "schema/none: no such file"),
        ("smal_struct", "unknown workload 'smal_struct'; did you mean small_struct"),
        ("smal_struct:count=2", "unknown workload 'smal_struct'; did you mean small_struct"),
        ("small_struct/drp=name", "unknown change 'drp'; did you mean drop"),
    ],
)
def test_a_side_that_is_nothing_is_told_with_the_nearest(
    shop: Path, tmp_path: Path, text: str, said: str
) -> None:
    with (
        pytest.raises((SelectionError, InputError), match=said),
        old_and_new(["mesh", text], SideOptions(), paths_of(tmp_path)),
    ):
        pass


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (SideOptions(root=["A"]), "found --root; expected --evolution OLD NEW too"),
        (SideOptions(new_data=["a"]), "found --new-data; expected"),
        (SideOptions(format_name="proto"), "found --from; expected"),
    ],
)
def test_options_of_files_need_a_pair(how: SideOptions, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        how.check([])


def test_a_pair_is_of_two() -> None:
    with pytest.raises(SelectionError, match="found a twice; expected two different schemas"):
        Evolution(["a", "a"], evolution=True).check([], SideOptions(), False)
    with pytest.raises(SelectionError, match="more than two --root"):
        SideOptions(root=["A", "B", "C"]).check(["a", "b"])


@pytest.mark.parametrize(
    ("name", "of", "others"),
    [
        ("proto", {"python/protobuf", "rust/prost", "c/protobuf_c"}, {"python/json:dataclass"}),
        ("avro", {"python/fastavro", "go/hamba_avro"}, {"python/protobuf"}),
        ("json-schema", {"go/encoding_json"}, {"go/protobuf", "go/fxamacker_cbor"}),
        ("thrift", {"cpp/thrift:compact", "jvm/thrift_java:binary"}, {"python/fastavro"}),
    ],
)
def test_the_codecs_of_a_file_are_those_of_its_format(name: str, of: set[str], others: set[str]) -> None:
    known = load_variants(PATHS.codecs)
    chosen = {each.id for each in _of_format(formats()[name], known)}
    named = {each for each in known for one in of if each.startswith(one)}
    assert named and named & chosen and not others & chosen
    assert all(any(each.startswith(one) for each in chosen) for one in of)


STATUS = Enum("Status", u16, [("open", 0), ("done", 1)])
BEFORE = Schema(
    "before",
    Record(
        "R",
        [
            Field("text", string),
            Field("raw", bytes_),
            Field("status", STATUS),
            Field("number", i32),
            Field("inner", Optional(Record("Inner", [Field("a", u32), Field("b", List(u32))]))),
        ],
    ),
)
AFTER = Schema(
    "after",
    Record(
        "R",
        [
            Field("text", bytes_),
            Field("raw", string),
            Field("status", i32),
            Field("number", STATUS),
            Field("inner", Optional(Record("Inner", [Field("a", u32), Field("b", Map(string, u32))]))),
            Field("more", u32),
        ],
    ),
)


def test_a_part_without_a_value_in_common_is_free_and_told_by_its_path() -> None:
    value = ("é", b"\xff", 1, 7, (4, [1]))
    assert read_as(BEFORE, AFTER)(value) == ("é".encode(), FREE, 1, FREE, (4, FREE), 0)
    assert shared(BEFORE, AFTER)(value) == ("é".encode(), FREE, 1, FREE, (4, FREE), FREE)
    (line,) = unreadable(BEFORE, AFTER)
    assert line == "inner.b: u32 cannot be read as map<string, u32>"


def test_a_union_without_values_in_common_is_free_wherever_it_stands() -> None:
    def schema(type: Any) -> Schema:
        either = Union("Either", [Alternative("a", type), Alternative("b", u16)])
        return Schema("s", Record("R", [Field("x", either), Field("y", either), Field("z", u32)]))

    before, after = schema(Map(string, u32)), schema(string)
    assert read_as(before, after)(((0, {}), (1, 7), 3)) == (FREE, FREE, 3)
    assert [line.partition(":")[0] for line in unreadable(before, after)] == ["x.a", "y.a"]


def test_schemas_with_nothing_in_common_are_refused() -> None:
    other = Schema("other", Record("R", [Field("more", Map(string, u32), 9)]))
    with pytest.raises(SelectionError, match="no field of R is one of R, by name or number"):
        unreadable(BEFORE, other)
    with pytest.raises(SelectionError, match="text: string cannot be read as map<u32, u32>"):
        unreadable(BEFORE, Schema("other", Record("R", [Field("text", Map(u32, u32))])))


def test_closing_lines_say_who_loses_what() -> None:
    def seen(codec: str, direction: Any, outcome: Any, reason: str = "", is_loss: bool = False) -> Evolved:
        return Evolved(codec, "old", "new", direction, outcome, reason, is_loss)

    kept = [seen("p", "backward", "kept"), seen("q", "forward", "refused", "no")]
    assert closing(kept, []) == ["passed: no value that both have is misread or lost (2 codecs)"]
    lost = [
        seen("p", "backward", "misread", "R.a: found 0, expected 1\nin lines", True),
        seen("p", "forward", "defaults", "R.a: found 1, expected 0", True),
        seen("r", "forward", "not tried", "no compiler"),
        seen("s", "forward", "impossible", "no maps"),
    ]
    assert closing([*kept, *lost], ["b: list cannot be read as u32"]) == [
        "failed: b: list cannot be read as u32, so no codec can keep it",
        "failed: values that both have are misread or lost (1 of 2 codecs):",
        "  p, backward and forward: R.a: found 0, expected 1",
        "failed: could not be tried: r",
    ]
    assert closing(lost[3:], []) == ["nothing was seen, since no codec could do both schemas"]


def test_changed_and_counted_messages_of_private_data_are_private(shop: Path, tmp_path: Path) -> None:
    paths = paths_of(tmp_path)
    (shop / "orders.jsonl").write_text('{"number": 3, "note": "a"}\n{"number": 4, "note": "b"}\n')
    done = serbench("import", "orders.jsonl", folder=shop, home=paths.home)
    assert done.returncode == 0, done.stderr
    known = load_workloads(paths.imported)
    for text in ("orders", "orders:count=1", "orders/drop=note", "orders/take=1"):
        assert dataset_for(parse_spec(text, known), paths).is_private, text


def serbench(*words: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """A run of a command in a folder, with builds and data in ``home``."""
    return started(*words, home=home, folder=folder)


@pytest.mark.native
@pytest.mark.parametrize(
    ("old", "new", "cents", "status", "said"),
    [
        (
            [CENTS],
            [CENTS, "string note = 3"],
            b"\x10\x07",
            0,
            "passed: no value that both have is misread or lost (1 codec)",
        ),
        (
            [CENTS],
            ["int32 cents = 5"],
            b"\x28\x07",
            1,
            "failed: values that both have are misread or lost (1 of 1 codec):",
        ),
        ([CENTS], ["repeated Order cents = 2"], b"\x12\x02\x08\x05", 1, "failed: cents: "),
        (
            ["// a comment\n  int32 cents = 2"],
            [CENTS],
            b"\x10\x07",
            0,
            "passed: old:order.proto and order.proto have the",
        ),
    ],
)
def test_the_status_says_whether_a_change_of_a_committed_schema_loses_values(
    tmp_path: Path, old: Sequence[str], new: Sequence[str], cents: bytes, status: int, said: str
) -> None:
    """Both sides have a message as data, ``cents`` being the bytes of that field in the new schema: made-up
    messages are a thousand, each of which readers are given several times."""
    git(tmp_path, "init", "-q")
    committed(tmp_path, "old", order=proto(*old))
    (tmp_path / "order.proto").write_text(proto(*new))
    for name, field in (("old", b"\x10\x07"), ("new", cents)):
        message = b"\x08\x05" + field
        (tmp_path / f"{name}.bin").write_bytes(bytes([len(message)]) + message)
    words = ["--evolution", "old:order.proto", "order.proto", "-c", "python/protobuf", "--format", "json"]
    words += ["--data", "old.bin", "--new-data", "new.bin", "--framing", "delimited"]
    done = serbench("verify", *words, folder=tmp_path, home=PATHS.home)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
    for each in json.loads(done.stdout):
        assert (each["workload"], each["change"]) == ("old:order.proto", "order.proto")
