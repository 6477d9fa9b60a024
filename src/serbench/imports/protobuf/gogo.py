"""Writes ``gogoproto/gogo.proto`` for schemas that import it, if the user does not give it. It declares
options for code in Go by their documented names; none of them changes a byte of data."""

from __future__ import annotations

from pathlib import Path

_OF_MESSAGES = """
    goproto_getters goproto_stringer verbose_equal face gostring populate stringer onlyone equal description
    testgen benchgen marshaler unmarshaler stable_marshaler sizer unsafe_marshaler unsafe_unmarshaler
    goproto_extensions_map goproto_unrecognized protosizer compare typedecl messagename goproto_sizecache
    goproto_unkeyed
"""
_OF_ENUMS = "goproto_enum_prefix goproto_enum_stringer enum_stringer enumdecl"
_OF_FILES = " ".join(f"{name}_all" for name in (*_OF_MESSAGES.split(), *_OF_ENUMS.split(), "pool"))

_OPTIONS = {
    "FileOptions": (f"{_OF_FILES} gogoproto_import goproto_registration", ""),
    "MessageOptions": (_OF_MESSAGES, ""),
    "FieldOptions": (
        "nullable embed stdtime stdduration wktpointer",
        "customtype customname jsontag moretags casttype castkey castvalue castrepeated",
    ),
    "EnumOptions": (_OF_ENUMS, "enum_customname"),
    "EnumValueOptions": ("", "enumvalue_customname"),
}
"""The message that options extend → the names of options that are bools, and of those that are strings."""

_NAMES = "gogoproto/gogo.proto", "github.com/gogo/protobuf/gogoproto/gogo.proto"
"""The paths by which schemas import the file."""

_FIRST = 50_000
"""The number of the first option in ``gogo.proto``. Any numbers do, since options occur in no data."""


def write(folder: Path) -> None:
    """Writes ``gogo.proto`` below a folder, under each path by which schemas import it."""
    lines = ['syntax = "proto2";', "package gogoproto;", 'import "google/protobuf/descriptor.proto";']
    for options, (bools, strings) in _OPTIONS.items():
        typed = [f"bool {name}" for name in bools.split()] + [f"string {name}" for name in strings.split()]
        fields = (f"optional {option} = {_FIRST + n};" for n, option in enumerate(typed))
        lines.append(f"extend google.protobuf.{options} {{ {' '.join(fields)} }}")
    texts = ["\n".join(lines), f'syntax = "proto2"; import public "{_NAMES[0]}";']
    for name, text in zip(_NAMES, texts, strict=True):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
