"""Reads the declarations of Cap'n Proto schemas, by capnp, which compiles a schema and prints it as JSON."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from serbench.imports.base import refused
from serbench.imports.compilers import NAME_FOLDER, Compiler
from serbench.imports.sources import SourceFiles, Syntax

CAPNP = Compiler(
    program="capnp",
    title="A Cap'n Proto schema",
    packages={"apt": "capnproto libcapnp-dev", "homebrew": "capnp"},
    syntax=Syntax(
        tokens=re.compile(r"""(?P<comment>\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<word>\w+)|[^\s\w]"""),
        words=frozenset({"import", "embed"}),
        is_rooted=True,
    ),
    fault=re.compile(
        r"^(?P<file>[^\s:][^\n:]*):(?P<line>\d+)(?::(?P<column>\d+)[\d-]*)?: error: (?P<what>[^\n]*)",
        re.MULTILINE,
    ),
    remedies=((re.compile(r"^Import failed"), NAME_FOLDER),),
)

_STANDARD = (Path("/usr/local/include"), Path("/usr/include"))
"""The folders in which capnp looks for its own schemas, such as ``/capnp/c++.capnp``."""

_OWN = Path(__file__).with_name("own")
"""The folder with schemas that are not installed with capnp, but with its versions for other languages."""

_NO_MEMBER = 0xFFFF
"""The number of a field that is not in a union; unions tell their members apart by such numbers."""


@dataclass(frozen=True)
class CapnpField:
    """A field of a struct or group.

    Attributes:
        type: the type as JSON: ``{"int32": None}``, ``{"list": {"elementType": …}}``; empty for a group.
        group: the id of the node of a group; empty for any other field.
        default: the default as JSON; None if none is declared.
        ordinal: the number of the field; -1 for a group.
        member: the number by which a union tells its members apart; None if the field is not in a union.
    """

    name: str
    type: Mapping[str, Any]
    group: str
    default: Mapping[str, Any] | None
    ordinal: int
    member: int | None


@dataclass(frozen=True)
class CapnpNode:
    """A declaration in a schema.

    Attributes:
        name: its full name within the file: ``Order.Line``.
        kind: ``struct``, ``enum``, ``interface``, ``const``, ``annotation`` or ``file``.
        fields: the fields of a struct, in the order in which they are written.
        members: the members of an enum, in the order of their numbers.
    """

    id: str
    name: str
    kind: str
    is_group: bool = False
    is_generic: bool = False
    fields: Sequence[CapnpField] = ()
    members: Sequence[str] = ()


@dataclass(frozen=True)
class Nodes:
    """The declarations in a schema and all that it imports.

    Attributes:
        by_id: every node by its id.
        given: the ids of the nodes that the user's file declares, also inside other nodes.
    """

    by_id: Mapping[str, CapnpNode]
    given: Sequence[str]


def compiled(file: Path, folders: Sequence[Path]) -> Nodes:
    """The declarations of a schema and of all that it imports from its own folder, from ``folders`` and from
    capnp's own folders; raises InputError with file and line, and SetupError if capnp is not installed."""
    with copied(file, folders) as sources:
        request, told = sources.work / "request", sources.work / "told"
        said = CAPNP.run(["compile", "-o-", *searching(sources), sources.main], sources, writes=request)
        if not request.stat().st_size:
            raise CAPNP.refusal(said, sources)
        shutil.copyfile(Path(__file__).with_name("request.capnp"), sources.work / "request.capnp")
        command = ["convert", "binary:json", "--short", "--no-standard-import"]
        CAPNP.run([*command, "request.capnp", "CodeGeneratorRequest"], sources, reads=request, writes=told)
        try:
            return nodes(orjson.loads(told.read_bytes()))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise refused(
                file, "", "an unknown form of output", "that of capnp 0.8 to 1", "try another version"
            ) from None


@contextmanager
def copied(file: Path, folders: Sequence[Path]) -> Iterator[SourceFiles]:
    """A context with copies of a schema and of all that it imports; raises InputError."""
    standard = _standard()
    with CAPNP.copied(file, folders, standard) as sources:
        # All of capnp's own schemas are copied, since it imports some that a schema does not name: that of
        # the results of ``-> stream`` is one.
        for copy, folder in sources.folders.items():
            for schema in (folder / "capnp").glob("*.capnp") if folder in standard else ():
                place = sources.work / copy / "capnp" / schema.name
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(schema.read_bytes())
        yield sources


def searching(sources: SourceFiles) -> list[str]:
    """The options that make capnp look for imports among the copies alone."""
    return ["--no-standard-import", *(f"-I{copy}" for copy in sources.folders)]


def _standard() -> list[Path]:
    beside = shutil.which(CAPNP.program)
    own = [Path(beside).resolve().parent.parent / "include"] if beside else []
    return [folder for folder in dict.fromkeys([*own, *_STANDARD, _OWN]) if (folder / "capnp").is_dir()]


def nodes(told: Mapping[str, Any]) -> Nodes:
    """The nodes in the JSON of capnp; raises KeyError, TypeError or ValueError if it has another form."""
    made = {each["id"]: _node(each) for each in told["nodes"]}
    inner = {each["id"]: [nested["id"] for nested in each.get("nestedNodes", ())] for each in told["nodes"]}
    given: list[str] = []
    left = [each["id"] for each in told["requestedFiles"]]
    while left:
        given.append(left.pop(0))
        left = [id for id in inner.get(given[-1], ()) if id in made] + left
    return Nodes(made, given)


def _node(told: Mapping[str, Any]) -> CapnpNode:
    kind = next(
        kind for kind in ("struct", "enum", "interface", "const", "annotation", "file") if kind in told
    )
    struct = told["struct"] if kind == "struct" else {}
    fields = sorted(struct.get("fields", ()), key=lambda each: each["codeOrder"])
    return CapnpNode(
        id=told["id"],
        name=told["displayName"].rpartition(":")[2],
        kind=kind,
        is_group=struct.get("isGroup", False),
        is_generic=told["isGeneric"],
        fields=[_field(each) for each in fields],
        members=[each["name"] for each in told["enum"].get("enumerants", ())] if kind == "enum" else (),
    )


def _field(told: Mapping[str, Any]) -> CapnpField:
    slot = told.get("slot", {})
    member = told["discriminantValue"]
    return CapnpField(
        name=told["name"],
        type=slot["type"] if slot else {},
        group="" if slot else told["group"]["typeId"],
        default=slot["defaultValue"] if slot and slot["hadExplicitDefault"] else None,
        ordinal=told["ordinal"].get("explicit", -1),
        member=None if member == _NO_MEMBER else member,
    )
