"""Tests of the common part of imports whose schemas a compiler of the user's system reads."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.test_import_round import PROGRAMS, need

import serbench.imports.compilers as compilers_module
from serbench.errors import InputError, SerbenchError, SetupError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.gathering import gathered
from serbench.imports.sources import MOST_BYTES, MOST_UPWARD
from serbench.model import Record

PLAIN = {
    "fbs": "table A { x:int; }",
    "capnp": "@0xa93fc509624c72d9; struct A { x @0 :Int32; }",
    "thrift": "struct A { 1: i32 x }",
}

INNER = {
    "fbs": "namespace n; table B { x:int; }",
    "capnp": "@0xa93fc509624c72da; struct B { x @0 :Int32; }",
    "thrift": "struct B { 1: i32 x }",
}

USING = {
    "fbs": 'include "%s"; table A { b:n.B; } root_type A;',
    "capnp": '@0xa93fc509624c72d9; using N = import "%s"; struct A { b @0 :N.B; }',
    "thrift": 'include "%s"\nstruct A { 1: inner.B b }',
}
"""IDL → a schema whose record has a field of a record from another file."""

HIDDEN = {
    "fbs": ["include // x\n'%s';", 'include /* " */ "%s";', '/* /* */ include "%s";', '// "\ninclude "%s";'],
    "capnp": [
        '# "\nconst c :Text = embed "%s";',
        'const c :Text = embed\n# x\n"%s";',
        'using X = (import "%s").B;',
    ],
    "thrift": [
        "include # x\n'%s'",
        'include /* " */ "%s"',
        '// "\ninclude "%s"',
        "# '\ninclude '%s'",
        'cpp_include "%s"',
    ],
}
"""IDL → import statements that a simple search in the text would overlook."""

languages = pytest.mark.parametrize("language", PROGRAMS)


def _read(folder: Path, language: str, text: str, **asked: Any) -> Imported:
    file = folder / f"given.{language}"
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(text)
    return formats()[language].read(Request((file,), root="A", **asked))


def _fault(folder: Path, language: str, text: str, **asked: Any) -> str:
    with pytest.raises(InputError) as caught:
        _read(folder, language, text, **asked)
    return str(caught.value)


@languages
def test_a_compiler_that_is_not_there_is_named_with_the_command_that_gets_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SetupError,
        match=rf"needs {PROGRAMS[language]}, which is not installed; get it: .*apt-get install",
    ):
        _read(tmp_path, language, PLAIN[language])


@languages
def test_imports_are_found_beside_the_schema_and_below_the_given_folders(
    language: str, tmp_path: Path
) -> None:
    need(language)
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "include" / "deep" / f"inner.{language}").write_text(INNER[language])
    rooted = "/" if language == "capnp" else ""
    text = USING[language] % f"{rooted}deep/inner.{language}"
    assert _read(tmp_path, language, text, folders=(tmp_path / "include",)).also[0].name == "B"
    assert "-I" in _fault(tmp_path, language, text)
    assert "no folder" in _fault(tmp_path, language, text, folders=(tmp_path / "nowhere",))
    beside = USING[language] % f"deep/inner.{language}"
    assert _read(tmp_path / "include", language, beside).also[0].name == "B"
    below = USING[language] % f"../deep/inner.{language}"
    assert (
        _read(tmp_path / "include" / "sub", language, below, folders=(tmp_path / "include",)).also[0].name
        == "B"
    )
    assert _read(tmp_path / "odd, 'a:b=c; ü", language, PLAIN[language]).root.name == "A"


@languages
@pytest.mark.parametrize(
    "path",
    [
        "{here}/inner.{ext}",
        "../inner.{ext}",
        "x/../../inner.{ext}",
        "x/" * 9 + "../" * 9 + "given.{ext}",
        "in\\x6eer.{ext}",
    ],
)
def test_imports_from_elsewhere_are_refused_before_anything_is_read(
    language: str, path: str, tmp_path: Path
) -> None:
    (tmp_path / f"inner.{language}").write_text(INNER[language])
    path = path.replace("{here}", str(tmp_path)).replace("{ext}", language)
    if language == "capnp" and path.startswith("/"):
        path = f"/..{path}"  # which is below the folders for imports else
    fault = _fault(tmp_path / "in", language, USING[language] % path)
    assert f"given.{language}, line 1: found an import of '" in fault and "expected a path below" in fault


@languages
def test_no_import_is_overlooked(language: str, tmp_path: Path) -> None:
    for way in HIDDEN[language]:
        fault = _fault(tmp_path, language, f"{way % '../x'}\n{PLAIN[language]}")
        assert "found an import of '../x'" in fault, way


@languages
def test_a_schema_is_alone_and_says_every_type(language: str, tmp_path: Path) -> None:
    file = tmp_path / f"given.{language}"
    file.write_text(PLAIN[language])
    for request, told in (
        (Request((file, file.with_name(f"other.{language}"))), "found 2 schemas that no other imports: "),
        (Request((file,), settings={"A.x": "timestamp"}), "A.x: found a setting with --set"),
    ):
        with pytest.raises(InputError) as caught:
            formats()[language].read(request)
        assert told in str(caught.value)
    assert "no file" in _fault_of(Request((tmp_path / f"no.{language}",)), language)
    file.write_bytes(b"/" * (MOST_BYTES + 1))
    assert "too large" in _fault_of(Request((file,)), language)


def test_data_that_no_tool_tells_are_refused_with_what_else_can_be_done(tmp_path: Path) -> None:
    (tmp_path / "given.thrift").write_text(PLAIN["thrift"])
    fault = _fault_of(Request((tmp_path / "given.thrift",), data=(tmp_path / "data.bin",)), "thrift")
    assert "data.bin: found data of Thrift" in fault and "--synthesize 1000" in fault


def _fault_of(request: Request, language: str) -> str:
    with pytest.raises(InputError) as caught:
        formats()[language].read(request)
    return str(caught.value)


@languages
def test_a_compiler_that_does_not_end_is_ended(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _be(tmp_path, language, "import time; time.sleep(30)", monkeypatch)
    monkeypatch.setattr(compilers_module, "MOST_S", 0.5)
    assert f"takes {PROGRAMS[language]} longer than" in _fault(tmp_path, language, PLAIN[language])


@languages
def test_a_compiler_that_crashes_or_takes_all_memory_is_told(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _be(tmp_path, language, "import os; os.abort()", monkeypatch)
    assert "it crashed, or took too much time or memory" in _fault(tmp_path, language, PLAIN[language])
    if sys.platform == "linux":
        _be(
            tmp_path,
            language,
            "try: bytearray(3 << 30)\nexcept MemoryError: exit('out of memory')",
            monkeypatch,
        )
        assert "rejects (out of memory)" in _fault(tmp_path, language, PLAIN[language])


@languages
def test_a_compiler_runs_in_a_folder_of_its_own_without_the_environment(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    _be(
        tmp_path,
        language,
        "import os; open(os.environ['PATH'] + '/said', 'w').write(f'{os.getcwd()} {dict(os.environ)}')",
        monkeypatch,
    )
    with pytest.raises(SerbenchError):
        _read(tmp_path, language, PLAIN[language])
    said = (tmp_path / "bin" / "said").read_text()
    assert "serbench-" in said and "s3cret" not in said
    assert not Path(said.split(" ")[0]).exists()


def _be(folder: Path, language: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a Python program in the place of an IDL's compiler."""
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / PROGRAMS[language]
    source = program.with_name(f"{program.name}.py")
    source.write_text(f"{code}\n")
    # A first line that names Python would end at a space in its path.
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(source)])} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.fspath(folder / "bin"))


def test_copies_are_deeper_than_any_path_leads_upward() -> None:
    from serbench.imports.sources import _INNER

    assert _INNER.count("/") + 1 >= MOST_UPWARD


@languages
@pytest.mark.parametrize(
    ("given", "place"), [("given", "inner"), ("given", "parts/inner"), ("a/given", "b/inner")]
)
def test_of_a_folder_the_schema_that_imports_the_others_is_taken(
    language: str, given: str, place: str, tmp_path: Path
) -> None:
    need(language)
    file, inner = (tmp_path / f"{each}.{language}" for each in (given, place))
    for each in (file, inner):
        each.parent.mkdir(exist_ok=True)
    rooted = "/" if language == "capnp" else ""
    file.write_text(USING[language] % f"{rooted}{place}.{language}")
    inner.write_text(INNER[language])
    found = gathered([str(tmp_path)])
    imported = formats()[language].read(Request(tuple(found.files), folders=tuple(found.folders)))
    assert [field.name for field in imported.root.fields] == ["b"]
    assert isinstance(imported.also[0], Record) and [f.name for f in imported.also[0].fields] == ["x"]


def test_schemas_that_import_each_other_in_a_circle_are_told(tmp_path: Path) -> None:
    for name, other in ("ab", "ba"):
        (tmp_path / f"{name}.fbs").write_text(f'include "{other}.fbs"; table {name} {{ x:int; }}')
    with pytest.raises(
        InputError, match=r"found 2 schemas that import each other in a circle: a.fbs, b.fbs;"
    ):
        formats()["fbs"].read(Request(tuple(sorted(tmp_path.iterdir()))))
