"""Tests of schemas that importers need not supply, since they come with protoc or with serbench."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.cli.importing import Given, ordered
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.importing import read
from serbench.imports.protobuf.compiler import _well_known

GOGO = """syntax = "proto3";
import "%s";
option (gogoproto.marshaler_all) = true;
option (gogoproto.goproto_enum_prefix_all) = false;
option (gogoproto.goproto_registration) = true;
message A {
  option (gogoproto.equal) = true;
  E e = 1 [(gogoproto.nullable) = false, (gogoproto.customname) = "EID"];
  bytes b = 2 [(gogoproto.customtype) = "T", (gogoproto.castrepeated) = "Ts"];
}
enum E {
  option (gogoproto.goproto_enum_stringer) = false;
  NONE = 0 [(gogoproto.enumvalue_customname) = "None"];
}
"""


@pytest.mark.parametrize(
    "name", ["gogoproto/gogo.proto", "github.com/gogo/protobuf/gogoproto/gogo.proto"], ids=["short", "long"]
)
def test_options_of_gogoproto_need_no_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.proto").write_text(GOGO % name)
    found = formats()["proto"].read(Request((tmp_path / "a.proto",), root="A"))
    assert [field.name for field in found.root.fields] == ["e", "b"] and not found.losses


def test_a_gogoproto_that_is_there_is_taken(tmp_path: Path) -> None:
    (tmp_path / "gogoproto").mkdir()
    (tmp_path / "gogoproto" / "gogo.proto").write_text('syntax = "proto3"; package gogoproto; message Own {}')
    text = 'syntax = "proto3"; import "gogoproto/gogo.proto"; message A { gogoproto.Own own = 1; }'
    (tmp_path / "a.proto").write_text(text)
    assert formats()["proto"].read(Request((tmp_path / "a.proto",))).root.fields[0].name == "own"


def test_all_that_comes_with_protoc_can_be_imported(tmp_path: Path) -> None:
    names = [path.relative_to(_well_known()).as_posix() for path in _well_known().rglob("*.proto")]
    assert {f"google/protobuf/{name}.proto" for name in ("any", "descriptor", "go_features")} < {*names}
    imports = " ".join(f'import "{name}";' for name in names)
    (tmp_path / "a.proto").write_text(f'syntax = "proto3"; {imports} message A {{ int32 x = 1; }}')
    found = formats()["proto"].read(Request((tmp_path / "a.proto",), root="A"))
    assert [field.name for field in found.root.fields] == ["x"]


@pytest.mark.parametrize("path", ["a/x.proto", "x.proto"])
def test_schemas_in_a_folder_import_each_other_below_it_or_beside_each_other(
    path: str, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.proto").write_text('syntax = "proto3"; message X { int32 x = 1; }')
    root = tmp_path / "a" / "root.proto"
    root.write_text(f'syntax = "proto3"; import "{path}"; message M {{ X x = 1; }}')
    with ordered(Given([tmp_path])) as order:
        assert read(order).root.name == "M"
