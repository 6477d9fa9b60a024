"""Writes the generated sources of the C++ cells and the CMake list that builds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.idl import emit as emit_idl
from serbench.languages.cpp.domain import (
    calls_source,
    domain_header,
    main_program,
    minimal_program,
    program_without,
    shared_source,
)
from serbench.languages.cpp.kept import Write, digest_of, kept
from serbench.languages.cpp.options import options_of
from serbench.model import Schema
from serbench.model.names import as_identifier
from serbench.system.files import write_if_changed
from serbench.workload import Workload


@dataclass(frozen=True)
class PairSources:
    """The sources of one codec variant × workload.

    Attributes:
        files: name of a generated file → its text.
        program: names of the files that the measuring program is compiled from; ``minimal`` has those of the
            least program.
        written: files in the codec's folder from which both are compiled too.
    """

    files: Mapping[str, str]
    program: Sequence[str]
    minimal: Sequence[str]
    written: Sequence[Path] = ()


class Sources:
    """Generates the sources of C++ programs; other languages that are built with CMake have a subclass.

    Attributes:
        glue_file: the name of the file for the text of a codec's ``glue.py``.
        shared_file: the name of a workload's source that is compiled once for all its measuring programs.
    """

    glue_file = "glue.hpp"
    shared_file = "shared.cpp"

    def domain(self, schema: Schema) -> Mapping[str, str]:
        """The files that all codecs of a workload share, name → text."""
        return {"domain.hpp": domain_header(schema), "shared.cpp": shared_source(schema)}

    def pair(self, variant: Variant, schema: Schema) -> PairSources:
        """The files that are generated for one codec variant × workload."""
        program = {"calls.cpp": calls_source, "main.cpp": main_program}
        generators = {**program, "minimal.cpp": minimal_program}
        files = {name: generate(variant.id, variant.adapter, schema) for name, generate in generators.items()}
        # In this order: of templates that several of them instantiate, the linker takes the first
        # (serbench/kinds.hpp).
        return PairSources(files, program=tuple(program), minimal=("minimal.cpp",))

    def without(self, schema: Schema, runners: Path) -> tuple[str, str, Sequence[Path]]:
        """The least program of a workload without a codec: the name and the text of its source, and others
        that are compiled with it."""
        return "without.cpp", program_without(schema), ()

    def idl(self, language: str, schema: Schema) -> str:
        """The text of an IDL file."""
        return emit_idl(language, schema)

    def find(self, codec: Codec) -> dict[str, Any]:
        """The arguments by which a codec's CMake list looks for its library."""
        given = msgspec.to_builtins(codec.options)
        arguments = {key.upper(): value for key, value in given.items()}
        if codec.idl:
            arguments["PROGRAMS"] = sorted({codec.idl.command[0], *options_of(codec).programs})
        return arguments


CPP_SOURCES = Sources()

COUNTING, MINIMAL, CROSS_CHECK = ".counting", ".minimal", ".crosscheck"
"""The ends of the names of the program that counts its allocations, of the least one that uses a codec, and
of the one with both samplers, ours and Google Benchmark's."""


def target_name(variant: Variant, workload: str, end: str = "") -> str:
    """The CMake target and executable of a codec variant × workload."""
    return f"{variant.codec.name}.{variant.name}.{workload}{end}"


def write_cells(
    directory: Path, codecs: Iterable[Codec], workloads: Iterable[Workload], sources: Sources = CPP_SOURCES
) -> list[Path]:
    """Generates everything for ``codecs`` × ``workloads`` below ``directory``.

    A file whose text stays the same is not touched, so that an unchanged build does nothing.

    Returns:
        The CMake lists: first that of all codecs, which reads the others, then one of each codec.
    """
    workloads = list(workloads)
    calls, lists = [], []
    for workload in workloads:
        for name, text in sources.domain(workload.schema.plain()).items():
            write_if_changed(directory / workload.name / name, text)
        own = directory / workload.name
        shared = own / sources.shared_file
        calls.append(_call("serbench_workload", WORKLOAD=workload.name, SOURCE=shared, INCLUDES=[own]))
    for codec in codecs:
        path = directory / "codecs" / codec.name / "CMakeLists.txt"
        lines = [_GENERATED, _call("serbench_codec", NAME=codec.name, **sources.find(codec))]
        for workload in workloads:
            stamp = directory / workload.name / codec.name / "generated.json"
            generate = partial(_codec_workload, directory, codec, workload, sources)
            lines += kept(stamp, digest_of(directory, codec, workload), generate)
        write_if_changed(path, "\n".join(lines) + "\n")
        lists.append(path)
        calls.append(f"serbench_isolated({_quoted(codec.name)} {_quoted(path.parent)})")
    path = directory / "cells.cmake"
    write_if_changed(path, "\n".join([_GENERATED, *calls]) + "\n")
    return [path, *lists]


_GENERATED = "# Generated by serbench."


def _codec_workload(
    directory: Path, codec: Codec, workload: Workload, sources: Sources, write: Write
) -> Iterable[str]:
    variants = [variant for variant in codec.variants.values() if not variant.why_not(workload.schema)]
    if not variants:
        return
    schema = codec.glue.seen(workload.schema)
    common = directory / workload.name
    own = common / codec.name
    includes = [common, codec.directory]
    if codec.idl or codec.glue.emit:
        includes.append(own)
    if codec.glue.emit:
        write(own / sources.glue_file, codec.glue.emit(schema))
    if codec.idl:
        name = as_identifier(schema.name)
        names = {"workload": name, "directory": str(own), "file": codec.idl.file.format(workload=name)}
        write(own / names["file"], sources.idl(codec.idl.language, schema))
        yield _call(
            "serbench_idl",
            CODEC=codec.name,
            WORKLOAD=workload.name,
            DIRECTORY=own,
            FILE=names["file"],
            OUTPUTS=[o.format(**names) for o in codec.idl.outputs],
            COMMAND=[c.format(**names) for c in codec.idl.command],
        )
    for variant in variants:
        pair = sources.pair(variant, workload.schema.plain())
        for name, text in pair.files.items():
            write(own / variant.name / name, text)
        yield _call(
            "serbench_cell",
            TARGET=target_name(variant, workload.name),
            CODEC=codec.name,
            WORKLOAD=workload.name,
            SOURCES=[*(own / variant.name / name for name in pair.program), *pair.written],
            MINIMAL=[*(own / variant.name / name for name in pair.minimal), *pair.written],
            INCLUDES=includes,
        )


def _call(function: str, **arguments: Any) -> str:
    words = []
    for name, value in arguments.items():
        values = value if isinstance(value, list | tuple) else [value]
        words.append(f"{name} {' '.join(_quoted(v) for v in values)}")
    return f"{function}({' '.join(words)})"


def _quoted(value: Any) -> str:
    text = str(value)
    if any(c in text for c in '\\"$;'):
        return f"[==[{text}]==]"
    return f'"{text}"'
