"""Tests that serbench's core, all modules but those for one language, IDL or format, knows languages, codecs,
workloads, suites and IDLs only by their folders: none of their names is in its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from serbench.codegen.words import words
from serbench.idl import emitters
from serbench.languages import compiler_options, languages
from serbench.paths import PROJECT

ELSEWHERE = {
    "languages": "each folder is one",
    "idl": "each module is one",
    "imports": "each module is a format that people have",
    "codegen": "the words that IDL compilers and languages reserve",
    "system/examples": "the names that help texts show",
    "drawing/draws": "the random numbers of a standard library, bit for bit",
    "page/building": "builds what pages bring along, which is no language's",
}
"""Modules that may contain such names, each with the reason."""

BUILD_TOOLS = words(
    """cmake ctest ninja gcc g++ clang clang++ ccache conan vcpkg autotools meson bazel
    maven mvn gradle sbt jdk javac scalac java scala jmh protoc cargo rustc npm"""
)
"""Names that core must not contain: of compilers and build tools, and of the JVM's languages and
libraries."""

VERB = "go"
"""The name of a language that is also an ordinary word: core may use the word alone, but not in front of a
slash."""

WRITTEN_OUT = frozenset({"protocol buffers", "google benchmark"})
"""Names of libraries whose spelling differs from that of their folders by more than case and punctuation."""

ENGLISH = {
    "record": "a type of the type model, and a line of JSON output",
    "everything": "all there is",
    "graph": "what the data of a workload may be, see Walk",
    "csv": "a form that tables are printed in",
    "boost": "of a processor's frequency",
    "python": "what serbench itself is written in",
    "json": "the format of serbench's own files, and of output that is asked for",
    "orjson": "the library that writes these",
    "msgspec": "the library that reads and checks them",
}
"""Names that are also words with a meaning of their own in core; as ``language/name`` they are forbidden
too."""


def _spelled(name: str) -> str:
    """The spelling that is common to ``nlohmann_json``, ``nlohmann-json`` and ``NlohmannJson``."""
    return re.sub(r"[^a-z0-9+]", "", name.lower())


def forbidden_names() -> frozenset[str]:
    """The names that core must not contain: of languages, codecs, workloads, suites and IDLs, which have
    folders or files of their own, and of build tools and compilers' options."""
    folders = [path for path in (PROJECT / "codecs").glob("*/*") if path.is_dir()]
    files = [*(PROJECT / "workloads").glob("*.py"), *(PROJECT / "suites").glob("*.toml")]
    titles = (language.traits.title.removeprefix("the ") for language in languages().values())
    names = {
        *(path.name for path in folders), *(path.stem for path in files), *languages(), *titles, *emitters(),
        *BUILD_TOOLS, *WRITTEN_OUT, *(option.flag for option in compiler_options()),
    }  # fmt: skip
    # One letter alone is a name like any other.
    return frozenset(_spelled(name) for name in names if len(name) > 1) - ENGLISH.keys() - {VERB}


def names_in(line: str, forbidden: Iterable[str]) -> set[str]:
    """The forbidden names in a line of text, alone or as parts of longer words: ``install_with_conan``,
    ``ThriftCodec``, ``nlohmann-json``, ``Cap'n Proto``."""
    parts = list(re.finditer(r"[A-Z]+(?![a-z])[+]*|[A-Z]?[a-z]+[+]*|[0-9]+", text := line.replace("'", "")))
    found = set()
    for at in range(len(parts)):
        joined = parts[at][0].lower()
        found.add(joined)
        for before, part in zip(parts[at:], parts[at + 1 : at + 3], strict=False):
            between = text[before.end() : part.start()]
            if between not in ("", "_", "-") and not (
                between == " " and before[0][0].isupper() and part[0][0].isupper()
            ):
                break
            joined += part[0].lower()
            found.add(joined)
    pairs = {
        f"{language}/{name}"
        for language in languages()
        for name in re.findall(rf"(?<!\w){language}/(\w+|\*)", line)
    }
    return found.intersection(forbidden) | pairs


def sources() -> Iterator[Path]:
    package = PROJECT / "src" / "serbench"
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package).with_suffix("")
        if not {relative.parts[0], relative.as_posix()} & ELSEWHERE.keys():
            yield path


def test_core_names_no_language_codec_workload_suite_idl_or_build_tool() -> None:
    forbidden = forbidden_names()
    offences = [
        f"{path}:{n}: {', '.join(sorted(found))}: {line.strip()}"
        for path in sources()
        for n, line in enumerate(path.read_text().splitlines(), 1)
        if (found := names_in(line, forbidden))
    ]
    assert not offences, "\n" + "\n".join(offences)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("install_with_conan(codecs)", {"conan"}),
        ("what Cap'n Proto and FlatBuffers are for", {"capnproto", "proto", "flatbuffers"}),
        ("class NlohmannJson: nlohmann_json", {"nlohmannjson"}),
        ("the Protobuf-Java of it", {"protobuf", "java", "protobufjava"}),
        ("\"-c 'cpp/*' and csv\"", {"cpp", "cpp/*"}),
        ("the C++ programs of a JVM", {"c++", "jvm"}),
        ("Protocol Buffers have enums", {"protocolbuffers"}),
        ("jvm/csv", {"jvm", "jvm/csv"}),
        ("--revision, --prefix or --cxx", {"cxx"}),
        ("a record of the graph in csv, at boost", set()),
        ("reads proc/stat, in rows for y", set()),
    ],
)
def test_names_are_found_in_whatever_way_they_are_written(line: str, found: set[str]) -> None:
    assert names_in(line, forbidden_names()) == found


def test_exceptions_are_names_of_something() -> None:
    named = {
        *languages(),
        *(path.name for path in (PROJECT / "codecs").glob("*/*")),
        *(path.stem for path in (PROJECT / "workloads").glob("*.py")),
    }
    assert ENGLISH.keys() <= named
