"""Codecs: what each folder ``codecs/<language>/<name>/`` declares in its ``codec.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from serbench.errors import FileError
from serbench.files import FileName, Loaded, Name, Text, read_toml
from serbench.model.types import describe, types_in
from serbench.workload import Workload

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

CHECKS = {
    "bounds": "never reads beyond the end of its input",
    "enums": "refuses a number or name that the enum has not",
    "utf8": "refuses strings that are no UTF-8",
    "trailing": "refuses bytes behind the message",
}
"""What ``deserialize`` may check of its input."""

Check = Literal["bounds", "enums", "utf8", "trailing"]


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
        remembers: what a native object keeps of its first encoding, so that the next ones are less work, such as its size; empty
            for none.
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
    remembers: str = ""
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
        without: types that it cannot do, as declarations have them, with ``*`` for anything: ``list<bytes>``. A workload with one
            of them is none for it.
        reason: why it cannot do the others.
        checks: what ``deserialize`` checks, of ``CHECKS``; None where nobody has said.
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
    without: tuple[str, ...] = ()
    reason: str = ""
    derive: str = ""
    checks: tuple[Check, ...] | None = None

    def supports(self, workload: Workload) -> bool:
        if (self.workloads and workload.name not in self.workloads) or workload.name in self.excluded:
            return False
        named = {describe(type) for type in types_in(workload.schema.root)} if self.without else set()
        return not any(fnmatchcase(name, pattern) for name in named for pattern in self.without)

    @property
    def id(self) -> str:
        """``cpp/thrift:compact``; a codec with one variant has no colon."""
        return self.codec.id if len(self.codec.variants) == 1 else f"{self.codec.id}:{self.name}"


@cache
def load_codecs(directory: Path) -> Loaded[Codec]:
    """Every codec below ``directory`` by id; one whose ``codec.toml`` has a fault is among the broken."""
    found: Loaded[Codec] = Loaded()
    for path in sorted(directory.glob("*/*/codec.toml")):
        try:
            codec = load_codec(path)
            found[codec.id] = codec
        except FileError as error:
            found.broken[f"{path.parent.parent.name}/{path.parent.name}"] = error
    return found


def load_variants(directory: Path) -> Loaded[Variant]:
    """Every codec variant below ``directory`` by id; the broken are whole codecs."""
    codecs = load_codecs(directory)
    found = Loaded({v.id: v for codec in codecs.values() for v in codec.variants.values()})
    found.broken = codecs.broken
    return found


if TYPE_CHECKING:
    _Features = dict[str, bool]
else:
    _Features = msgspec.defstruct("_Features", [(name, bool) for name in FEATURES], forbid_unknown_fields=True)

_Words = tuple[Text, ...]


def _matching(pattern: str, expected: str) -> msgspec.Meta:
    return msgspec.Meta(max_length=100, pattern=rf"^{pattern}\Z", extra={"expected": expected})


_Module = Annotated[str, _matching(r"[a-z][a-z0-9_]*", "the name of a generator")]
_VariantName = Annotated[str, _matching(r"[A-Za-z0-9_][\w.-]*", "a name of letters and digits")]
_Symbol = Annotated[str, _matching(r"[A-Za-z_][\w.]*", "the name of a class")]
_Artifact = Annotated[str, _matching(r"[^:\s]+:[^:\s]+:[^:\s]+", "group:artifact:version")]


class _CMakeTable(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    package: Text = ""
    components: _Words = ()
    targets: _Words = ()
    version: Text = ""
    header: Text = ""
    libraries: _Words = ()
    version_header: Text = ""
    version_regex: Text = ""
    programs: _Words = ()
    linking: Literal["", "dynamic"] = ""


class _MavenTable(msgspec.Struct, forbid_unknown_fields=True):
    dependencies: tuple[_Artifact, ...] = ()
    scalac: _Words = ()
    sources: tuple[FileName, ...] = ()
    programs: _Words = ()


class _IdlTable(msgspec.Struct, forbid_unknown_fields=True):
    language: _Module
    file: FileName
    command: _Words = ()
    outputs: tuple[FileName, ...] = ()


class _ToleranceTable(msgspec.Struct, forbid_unknown_fields=True):
    negative_zero: bool = False
    float_absolute: Annotated[float, msgspec.Meta(ge=0, le=1e300)] = 0.0
    float_range: tuple[float, float] | None = None


class _VariantTable(msgspec.Struct, forbid_unknown_fields=True, rename={"excluded": "except"}):
    adapter: _Symbol
    summary: Text
    format: Name = ""
    layout: Name = ""
    tolerance: _ToleranceTable = msgspec.field(default_factory=_ToleranceTable)
    workloads: tuple[Name, ...] = ()
    excluded: tuple[Name, ...] = ()
    without: tuple[Text, ...] = ()
    reason: Text = ""
    derive: Text = ""
    checks: tuple[Check, ...] | None = None


class _CodecTable(msgspec.Struct, forbid_unknown_fields=True):
    """A ``codec.toml``; what its fields mean is said at ``Codec``, ``Variant`` and the others."""

    summary: Text
    homepage: Text
    licence: Text
    format: Name
    features: _Features
    variants: dict[_VariantName, _VariantTable]
    floor: bool = False
    default: bool = True
    remembers: str = ""
    layout: Name = ""
    install: dict[Name, _Words] = {}
    cmake: _CMakeTable = msgspec.field(default_factory=_CMakeTable)
    maven: _MavenTable = msgspec.field(default_factory=_MavenTable)
    idl: _IdlTable | None = None
    glue: _Module | Literal[""] = ""
    mapping: dict[Name, Text] = {}
    checks: tuple[Check, ...] | None = None


def load_codec(path: Path) -> Codec:
    """A codec by its ``codec.toml``.

    Raises:
        FileError: names the file and every fault in it.
    """
    folder = path.parent
    table = read_toml(path, _CodecTable, "codec", lambda table: _problems(table, folder))
    codec = Codec(
        language=folder.parent.name,
        name=folder.name,
        directory=folder,
        summary=table.summary,
        homepage=table.homepage,
        licence=table.licence,
        format=table.format,
        features=msgspec.to_builtins(table.features),
        install=table.install,
        cmake=msgspec.to_builtins(table.cmake),
        maven=Maven(**msgspec.structs.asdict(table.maven)),
        idl=Idl(**msgspec.structs.asdict(table.idl)) if table.idl else None,
        glue=table.glue,
        mapping=table.mapping,
        floor=table.floor,
        default=table.default,
        remembers=table.remembers,
    )
    variants = {
        name: Variant(
            codec=codec,
            name=name,
            adapter=v.adapter,
            summary=v.summary,
            tolerance=Tolerance(**msgspec.structs.asdict(v.tolerance)),
            format=v.format or codec.format,
            layout=v.layout or table.layout,
            workloads=v.workloads,
            excluded=v.excluded,
            without=v.without,
            reason=v.reason,
            derive=v.derive,
            checks=table.checks if v.checks is None else v.checks,
        )
        for name, v in table.variants.items()
    }
    codec.variants.update(variants)  # type: ignore[attr-defined]  # a dict until the codec is whole
    return codec


def _problems(table: _CodecTable, folder: Path) -> list[str]:
    """What no type says of a table."""
    language, problems = folder.parent.name, []
    if table.cmake != _CMakeTable() and not (table.cmake.package or table.cmake.header):
        problems.append("cmake: found neither package nor header; expected one of them")
    if table.idl:
        for key in ("command", "outputs"):
            if language == "cpp" and not getattr(table.idl, key):
                problems.append(f"idl.{key}: missing")
            if language != "cpp" and getattr(table.idl, key):
                problems.append(f"idl.{key}: unknown; expected one of file, language")
        for word in (table.idl.file, *table.idl.command, *table.idl.outputs):
            if re.search(r"[{}]", re.sub(r"\{(workload|directory|file)\}", "", word)):
                problems.append(f"idl: found '{word}', expected no braces but those of {{workload}}, {{directory}} and {{file}}")
    generators = {"glue": table.glue, "idl": table.idl.language if table.idl else ""}
    for kind, name in generators.items():
        if name and not (Path(__file__).parent / "codegen" / kind / f"{name}.py").is_file():
            problems.append(f"{kind}: found '{name}', expected a file of src/serbench/codegen/{kind}")
    for name in table.maven.sources:
        if not (folder.parent / name / "codec.toml").is_file():
            problems.append(f"maven.sources: found '{name}', expected the name of a codec beside this one")
    if not table.variants:
        problems.append("variants: none; expected at least [variants.default]")
    for name, variant in table.variants.items():
        if (variant.workloads or variant.excluded or variant.without) and not variant.reason:
            problems.append(f"variants.{name}.reason: missing; expected why it cannot do the other workloads")
        low, high = variant.tolerance.float_range or (0.0, 1.0)
        if not low < high:
            problems.append(f"variants.{name}.tolerance.float_range: found [{low}, {high}], expected the lesser first")
    if language == "cpp" and not (folder / "adapter.hpp").exists():
        problems.append("adapter.hpp is missing beside it")
    return problems
