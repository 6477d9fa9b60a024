"""Reads the declarations of Thrift schemas, by the compiler thrift, which writes them as XML."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.compilers import NAME_FOLDER, Compiler
from serbench.imports.sources import SourceFiles, Syntax
from serbench.imports.thrift.annotations import taken_out

_NOT_FOUND = re.compile(
    r"^\[WARNING:(?P<file>[^\n\]]*?):(?P<line>\d+)\] (?P<what>Could not find include file [^\n]*)",
    re.MULTILINE,
)
"""Matches thrift's warning of a file that it does not find; thrift goes on, but the import is refused."""

THRIFT = Compiler(
    program="thrift",
    title="A Thrift schema",
    packages={"apt": "thrift-compiler", "homebrew": "thrift"},
    syntax=Syntax(
        tokens=re.compile(
            r"""(?P<comment>(?://|\#)[^\n]*|/\*.*?(?:\*/|\Z))|"""
            r"""(?P<text>"[^"]*"|'[^']*')|(?P<word>\w+)|[^\s\w]""",
            re.DOTALL,
        ),
        words=frozenset({"include", "cpp_include"}),
    ),
    fault=re.compile(
        r"^\[(?:ERROR|FAILURE):(?P<file>[^\n\]]*?):(?P<line>\d+)\] ?"
        r"(?:\(last token was '(?P<token>[^\n]*)'\)\n)?(?P<what>(?:(?!\[WARNING:)[^\n])*)",
        re.MULTILINE,
    ),
    remedies=(
        (re.compile(r"include file"), NAME_FOLDER),
        (re.compile(r"^Cannot use reserved"), "give it another name, which changes no byte"),
        (re.compile(r"^Type .* not defined"), "declare it before the default or the method that uses it"),
    ),
    cause=_NOT_FOUND,
    looks_ahead=re.compile(
        r'^(?:type error: const "|Type "|Enum (?:\w+\.)?|Function |"-?\d+: )(?P<name>\w+)"? '
        r"(?:- field|is already|was declared)"
    ),
)

OWN = ("bool", "i8", "byte", "i16", "i32", "i64", "double", "string", "binary", "list", "set", "map")
"""Thrift's words for types of its own."""

_NAMESPACE = "{http://thrift.apache.org/xml/idl}"


@dataclass(frozen=True)
class ThriftType:
    """A type: one of Thrift's own, with its items, or a declared one.

    Attributes:
        word: Thrift's word for it; ``id`` for a declared type.
        name: the name of a declared type, with the name of its file before it; else empty.
        key: the type of a map's keys.
        item: the type of the items of a list or set, or of a map's values.
    """

    word: str
    name: str = ""
    key: ThriftType | None = None
    item: ThriftType | None = None

    def parts(self) -> Iterator[ThriftType]:
        """This type, and those of its keys and items."""
        yield self
        for inner in (self.key, self.item):
            if inner:
                yield from inner.parts()


@dataclass(frozen=True)
class ThriftField:
    """A field of a struct, exception or union.

    Attributes:
        required: ``required``, ``optional``, or empty if the schema says neither.
        default: a number, text or bool; a tuple with Thrift's word for another constant; None if there is
            none.
    """

    name: str
    id: int
    type: ThriftType
    required: str
    default: Any = None


@dataclass(frozen=True)
class Struct:
    """A struct, exception or union; the name of its file stands before its own."""

    name: str
    is_union: bool
    fields: Sequence[ThriftField]


@dataclass(frozen=True)
class ThriftProgram:
    """The declarations of a schema and of all that it includes, by names with that of the file before them.

    Attributes:
        given: the names of the structs in the user's own file.
        services: the names of the services in the user's own file.
        annotations: the names of the annotations that were taken out, as Apache's compiler knows none.
    """

    structs: Mapping[str, Struct]
    enums: Mapping[str, Sequence[tuple[str, int]]]
    typedefs: Mapping[str, ThriftType]
    given: Sequence[str]
    services: Sequence[str]
    annotations: Sequence[str] = ()


def compiled(file: Path, folders: Sequence[Path]) -> ThriftProgram:
    """The declarations of a schema and of all that it includes from its own folder and from ``folders``;
    raises InputError with file and line, and SetupError if thrift is not installed."""
    with THRIFT.copied(file, folders) as sources:
        stems = [PurePosixPath(name).stem for name in sources.names]
        if alike := sorted({stem for stem in stems if stems.count(stem) > 1}):
            raise refused(file, "", f"several files called {alike[0]}", "files with distinct names")
        annotations = taken_out(sources, THRIFT.syntax)
        made = sources.made()
        options = ["-r", "--allow-neg-keys", "--allow-64bit-consts", "--gen", "xml", "-out", made.name]
        said = THRIFT.run([*options, *sources.searched, sources.main], sources)
        if _NOT_FOUND.search(said):
            raise THRIFT.refusal(said, sources)
        own = PurePosixPath(sources.main).stem
        try:
            documents = {each.stem: ElementTree.parse(each).getroot() for each in sorted(made.glob("*.xml"))}
            if own not in documents:
                raise THRIFT.refusal(said, sources)
            declared = program({name: _document(each) for name, each in documents.items()}, own)
            _check_declared(declared, sources)
            return replace(declared, annotations=annotations)
        except (ElementTree.ParseError, ValueError, KeyError, TypeError, RecursionError):
            found = "a schema for which thrift prints invalid XML"
            raise refused(file, "", found, "a schema without unprintable characters") from None


def _check_declared(schema: ThriftProgram, sources: SourceFiles) -> None:
    """Raises InputError for a field or typedef of a type that no file declares, which thrift lets pass."""
    known = schema.structs.keys() | schema.enums.keys() | schema.typedefs.keys()
    uses = [(each.name, field.type) for each in schema.structs.values() for field in each.fields]
    uses += [("", type) for type in schema.typedefs.values()]
    for struct, used in uses:
        for part in used.parts():
            if part.word == "id" and part.name not in known:
                raise _undeclared(struct, part.name, known, sources)


def _undeclared(struct: str, type: str, known: Collection[str], sources: SourceFiles) -> InputError:
    module, _, own = struct.rpartition(".")
    module = module or type.partition(".")[0]
    of, _, word = type.removeprefix(f"{module}.").rpartition(".")
    file, line = THRIFT.place_of(sources, module, [own, word] if own else [word])
    like = get_close_matches(word, [*OWN, *(name.rpartition(".")[2] for name in known)], 1)
    remedy = f"is it {like[0]}?" if like else "declare it, or include the file that does"
    expected = f"one that {of}.thrift declares" if of else "one that is declared"
    return refused(file, f"line {line}" if line else "", f"the type {word}", expected, remedy)


def _document(root: ElementTree.Element) -> ElementTree.Element:
    found = root.find(f"{_NAMESPACE}document")
    if found is None:
        raise ValueError
    return found


def program(documents: Mapping[str, ElementTree.Element], own: str) -> ThriftProgram:
    """The declarations in XML documents, which are given by the names of schemas' files; raises KeyError or
    ValueError if thrift cannot have written a document."""
    structs: dict[str, Struct] = {}
    enums: dict[str, Sequence[tuple[str, int]]] = {}
    typedefs: dict[str, ThriftType] = {}
    for module, document in documents.items():
        for each in document:
            name = f"{module}.{each.get('name', '')}"
            match each.tag.removeprefix(_NAMESPACE):
                case "struct" | "union" | "exception" as kind:
                    fields = [_field(field) for field in each.findall(f"{_NAMESPACE}field")]
                    structs[name] = Struct(name, kind == "union", fields)
                case "enum":
                    members = each.findall(f"{_NAMESPACE}member")
                    enums[name] = [(member.attrib["name"], int(member.attrib["value"])) for member in members]
                case "typedef":
                    typedefs[name] = _part(each)
    services = [f"{own}.{each.attrib['name']}" for each in documents[own].findall(f"{_NAMESPACE}service")]
    return ThriftProgram(
        structs, enums, typedefs, [name for name in structs if name.rpartition(".")[0] == own], services
    )


def _field(element: ElementTree.Element) -> ThriftField:
    default = element.find(f"{_NAMESPACE}default")
    return ThriftField(
        element.attrib["name"],
        int(element.attrib["field-id"]),
        _part(element),
        element.get("required", ""),
        None if default is None else _constant(default),
    )


def _constant(element: ElementTree.Element) -> Any:
    value = element[0]
    match value.tag.removeprefix(_NAMESPACE):
        case "int":
            return int(value.text or "0")
        case "double":
            return float(value.text or "0")
        case "string":
            return value.text or ""
        case kind:
            return (kind,)


def _part(element: ElementTree.Element) -> ThriftType:
    word = element.attrib["type"]
    if word == "id":
        return ThriftType(word, f"{element.attrib['type-module']}.{element.attrib['type-id']}")
    key, value = (element.find(f"{_NAMESPACE}{name}") for name in ("keyType", "valueType"))
    item = element.find(f"{_NAMESPACE}elemType") if value is None else value
    return ThriftType(word, "", None if key is None else _part(key), None if item is None else _part(item))
