"""Codecs: what each folder ``codecs/<language>/<name>/`` declares in its ``codec.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from serbench.errors import SerbenchError

FEATURES = {
    "schema": "needs a schema or type declarations to read",
    "code_generation": "code is generated from an IDL in advance",
    "self_describing": "bytes can be read without a schema",
    "zero_copy": "fields are read from the bytes in place",
    "random_access": "one field can be read without the ones before it",
    "evolution": "old readers read new data, or new readers old data",
    "human_readable": "text",
    "cross_language": "other languages read and write it",
    "cycles": "objects that point at each other",
}

_TOP = {"summary", "homepage", "licence", "format", "features", "variants"}
_TOP_OPTIONAL = {"floor", "default", "layout", "install", "cmake", "maven", "idl", "glue", "mapping"}
_CMAKE = {"package", "components", "targets", "version"}
_CMAKE |= {"header", "libraries", "version_header", "version_regex", "programs", "linking"}
_MAVEN = {"dependencies", "scalac", "sources", "programs"}
_IDL = {"language", "file", "command", "outputs"}
_VARIANT = {"adapter", "summary", "format", "layout", "tolerance", "workloads", "except", "reason", "derive"}


@dataclass(frozen=True)
class Tolerance:
    """What a codec that is lossy by design may change.

    Attributes:
        negative_zero: -0.0 may come back as 0.0.
        float_absolute: floats may be off by this much.
        float_range: floats outside are no data for it; edge values stay within.
    """

    negative_zero: bool = False
    float_absolute: float = 0.0
    float_range: tuple[float, float] | None = None

    def describe(self) -> str:
        """What it allows, in words; empty where nothing is lost."""
        allowed = []
        if self.negative_zero:
            allowed.append("-0.0 may become 0.0")
        if self.float_absolute:
            allowed.append(f"floats may be off by {self.float_absolute:g}")
        if self.float_range:
            allowed.append(f"floats are of {self.float_range[0]:g} to {self.float_range[1]:g} only")
        return ", ".join(allowed)


@dataclass(frozen=True)
class Idl:
    """How a codec's code is generated from an IDL.

    Attributes:
        language: the emitter, ``codegen/idl/<language>.py``.
        file: name of the IDL file; ``{workload}`` stands for the workload's name here and below.
        command: the library's compiler, run in the folder of generated files; ``{directory}`` and ``{file}`` too.
        outputs: the files that it writes; those that end in ``.cc``, ``.cpp`` or ``.c++`` are compiled.

    A JVM codec has neither command nor outputs: its ``plugins.xml`` says how Maven generates.
    """

    language: str
    file: str
    command: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Maven:
    """What Maven builds a JVM codec with.

    Attributes:
        dependencies: ``group:artifact:version``; the first is the library, whose version is the codec's.
        scalac: further options of the Scala compiler.
        sources: names of JVM codecs whose adapter this one uses too, compiled into its own module.
        programs: what ``plugins.xml`` runs that no Maven repository has; found on the path.
    """

    dependencies: tuple[str, ...] = ()
    scalac: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Codec:
    """One serialization library in one language.

    Attributes:
        glue: the generator of ``glue.hpp``, ``codegen/glue/<glue>.py``; empty where none is needed.
        default: whether a command that names no codec takes it.
    """

    language: str
    name: str
    directory: Path
    summary: str
    homepage: str
    licence: str
    format: str
    features: Mapping[str, bool]
    install: Mapping[str, tuple[str, ...]]
    cmake: Mapping[str, Any]
    maven: Maven
    idl: Idl | None
    glue: str
    mapping: Mapping[str, str]
    floor: bool
    default: bool
    variants: Mapping[str, Variant] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.language}/{self.name}"

    @property
    def source_folders(self) -> list[Path]:
        """Where a JVM codec's adapter is: its own folder, and those of codecs whose adapter it uses too."""
        return [self.directory, *(self.directory.parent / name for name in self.maven.sources)]

    @property
    def is_dynamic(self) -> bool:
        """Whether its library exists only as a shared one, so that its executables are not static as all others are."""
        return self.cmake.get("linking") == "dynamic"


@dataclass(frozen=True)
class Variant:
    """One way of using a codec; a row of a table.

    Attributes:
        format: of its bytes; two codecs with the same format and layout read each other's.
        layout: how the types are laid out in a format that leaves it open, such as records as maps or as arrays.
        workloads: those that it can do; empty for all.
        excluded: those that it cannot do, where they are the fewer.
        reason: why it cannot do the others.
        derive: for a JVM codec, the Scala expression of what a program makes once, the adapter's argument; in it,
            ``Root`` is the root type, ``{workload}`` stands for the workload's package, and ``{field_names}`` for a function
            from the names of the case classes' fields to the type model's.
    """

    codec: Codec
    name: str
    adapter: str
    summary: str
    tolerance: Tolerance
    format: str
    layout: str = ""
    workloads: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    reason: str = ""
    derive: str = ""

    def supports(self, workload: str) -> bool:
        return (not self.workloads or workload in self.workloads) and workload not in self.excluded

    @property
    def id(self) -> str:
        """``cpp/thrift:compact``; a codec with one variant has no colon."""
        return self.codec.id if len(self.codec.variants) == 1 else f"{self.codec.id}:{self.name}"


@cache
def load_codecs(directory: Path) -> dict[str, Codec]:
    """Every codec below ``directory`` by id.

    Raises:
        SerbenchError: names the file and every fault in it.
    """
    found = [load_codec(path) for path in sorted(directory.glob("*/*/codec.toml"))]
    return {codec.id: codec for codec in found}


def load_variants(directory: Path) -> dict[str, Variant]:
    """Every codec variant below ``directory`` by id."""
    return {v.id: v for codec in load_codecs(directory).values() for v in codec.variants.values()}


def load_codec(path: Path) -> Codec:
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SerbenchError(f"{path} is not readable: {error}") from error
    problems = _problems(data, path.parent)
    if problems:
        raise SerbenchError(f"{path}: {len(problems)} error(s)\n" + "\n".join(f"  {p}" for p in problems))
    idl = data.get("idl")
    codec = Codec(
        language=path.parent.parent.name,
        name=path.parent.name,
        directory=path.parent,
        summary=data["summary"],
        homepage=data["homepage"],
        licence=data["licence"],
        format=data["format"],
        features=data["features"],
        install={manager: tuple(packages) for manager, packages in data.get("install", {}).items()},
        cmake=data.get("cmake", {}),
        maven=Maven(**{key: tuple(value) for key, value in data.get("maven", {}).items()}),
        idl=Idl(idl["language"], idl["file"], tuple(idl.get("command", ())), tuple(idl.get("outputs", ()))) if idl else None,
        glue=data.get("glue", ""),
        mapping=data.get("mapping", {}),
        floor=data.get("floor", False),
        default=data.get("default", True),
    )
    variants = {
        name: Variant(
            codec=codec,
            name=name,
            adapter=v["adapter"],
            summary=v["summary"],
            tolerance=_tolerance(v.get("tolerance", {})),
            format=v.get("format", codec.format),
            layout=v.get("layout", data.get("layout", "")),
            workloads=tuple(v.get("workloads", ())),
            excluded=tuple(v.get("except", ())),
            reason=v.get("reason", ""),
            derive=v.get("derive", ""),
        )
        for name, v in data["variants"].items()
    }
    codec.variants.update(variants)  # type: ignore[attr-defined]  # a dict until the codec is whole
    return codec


def _tolerance(data: dict[str, Any]) -> Tolerance:
    low_high = data.get("float_range")
    return Tolerance(**{**data, "float_range": tuple(low_high) if low_high else None})


def _problems(data: dict[str, Any], directory: Path) -> list[str]:
    problems = _key_problems("", data, _TOP, _TOP_OPTIONAL)
    problems += _key_problems("features", data.get("features", {}), set(FEATURES), set())
    for name, value in data.get("features", {}).items():
        if not isinstance(value, bool):
            problems.append(f"features.{name}: found {value!r}, expected true or false")
    for name in ("floor", "default"):
        if not isinstance(data.get(name, False), bool):
            problems.append(f"{name}: found {data[name]!r}, expected true or false")
    cmake = data.get("cmake", {})
    problems += _key_problems("cmake", cmake, set(), _CMAKE)
    if cmake and not {"package", "header"} & set(cmake):
        problems.append("cmake: found neither package nor header; expected one of them")
    language = directory.parent.name
    if "idl" in data:
        generating = {"command", "outputs"}
        problems += _key_problems("idl", data["idl"], _IDL if language == "cpp" else _IDL - generating, set())
    problems += _maven_problems(data.get("maven", {}), directory.parent)
    variants = data.get("variants", {})
    if not variants:
        problems.append("variants: none; expected at least [variants.default]")
    for name, variant in variants.items():
        problems += _key_problems(f"variants.{name}", variant, {"adapter", "summary"}, _VARIANT)
        if (variant.get("workloads") or variant.get("except")) and not variant.get("reason"):
            problems.append(f"variants.{name}.reason: missing; expected why it cannot do the other workloads")
        problems += _key_problems(
            f"variants.{name}.tolerance", variant.get("tolerance", {}), set(), set(Tolerance.__annotations__)
        )
    if language == "cpp" and not (directory / "adapter.hpp").exists():
        problems.append("adapter.hpp is missing beside it")
    return problems


def _maven_problems(maven: dict[str, Any], codecs: Path) -> list[str]:
    problems = _key_problems("maven", maven, set(), _MAVEN)
    for name in maven.get("sources", ()):
        if not (codecs / name / "codec.toml").is_file():
            problems.append(f"maven.sources: found '{name}', expected the name of a codec beside this one")
    for name in maven.get("dependencies", ()):
        if name.count(":") != 2 or not all(name.split(":")):
            problems.append(f"maven.dependencies: found '{name}', expected group:artifact:version")
    return problems


def _key_problems(where: str, table: Any, needed: set[str], optional: set[str]) -> list[str]:
    prefix = f"{where}." if where else ""
    if not isinstance(table, dict):
        return [f"{where}: found {table!r}, expected a table"]
    missing = [f"{prefix}{key}: missing" for key in sorted(needed - set(table))]
    unknown = [
        f"{prefix}{key}: unknown; expected one of {', '.join(sorted(needed | optional))}"
        for key in sorted(set(table) - needed - optional)
    ]
    return missing + unknown
