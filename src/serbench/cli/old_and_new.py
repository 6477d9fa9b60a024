"""OLD and NEW of ``verify --evolution``: workloads, files, or files at a git revision, as two workloads whose
generated code has one name."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Annotated

from serbench.changes import unreadable
from serbench.changes.derived import derived, name_in, parse_spec
from serbench.cli.console import announce
from serbench.cli.importing import Given, messages_of, ordered, reading, told_of
from serbench.cli.options import option
from serbench.codecs.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.dataset.file import write_messages
from serbench.errors import InputError, SelectionError, SetupError
from serbench.imports import formats
from serbench.imports.base import Format
from serbench.imports.importing import made, name_of, read
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.system.files import not_there
from serbench.system.git import Unpacked, file_at, parted
from serbench.system.locks import using_home
from serbench.workload import Parameter, Workload, WorkloadSpec, load_workload, load_workloads

MADE_UP = 1000
"""How many messages are made up for a schema without data."""

_OF_FILES = "With OLD or NEW as files:"


@dataclass(frozen=True)
class SideOptions:
    """Options of ``verify --evolution`` that say how files are read, as ``import`` has them."""

    root: Annotated[
        list[str] | None,
        option("TYPE", f"{_OF_FILES} the message type; given twice, that of OLD and that of NEW.", "--root"),
    ] = None
    data: Annotated[
        list[str] | None,
        option("FILE", f"{_OF_FILES} data of OLD; may be repeated. Default: messages are made up.", "--data"),
    ] = None
    new_data: Annotated[
        list[str] | None, option("FILE", f"{_OF_FILES} data of NEW; may be repeated.", "--new-data")
    ] = None
    framing: Annotated[
        str, option("NAME", f"{_OF_FILES} how messages are separated in --data and --new-data.")
    ] = ""
    include: Annotated[
        list[Path] | None,
        option(
            "FOLDER",
            f"{_OF_FILES} folder in which to look for imported schemas, at the file's own revision; may be "
            "repeated.",
            "-I",
            "--include",
        ),
    ] = None
    format_name: Annotated[
        str, option("FORMAT", f"{_OF_FILES} their format, if their endings do not tell.", "--from")
    ] = ""

    def check(self, pair: Sequence[str]) -> None:
        """Checks that the options go together with OLD and NEW.

        Raises:
            SelectionError: they do not.
        """
        given = [each for each in ("root", "data", "new_data", "framing", "include") if getattr(self, each)]
        if (given or self.format_name) and not pair:
            named = f"--{given[0].replace('_', '-')}" if given else "--from"
            raise SelectionError(f"found {named}; expected --evolution OLD NEW too, with a file")
        if len(self.root or ()) > 2:
            raise SelectionError("found more than two --root; expected one, or that of OLD and that of NEW")

    def of(self, which: int, place: Unpacked | None) -> Given:
        """The request of an import for OLD (0) or NEW (1), still without the file.

        Args:
            place: the folder with the file's revision, unpacked; None for a file that is there.
        """
        roots = self.root or [""]
        data = self.new_data if which else self.data
        folders = [place.place_of(each) if place else each for each in self.include or ()]
        return Given(
            [],
            root=roots[min(which, len(roots) - 1)],
            data=data,
            framing=self.framing if data else "",
            include=[each for each in folders if place is None or each.is_dir()],
            format_name=self.format_name,
        )


@dataclass(frozen=True)
class GivenSide:
    """OLD or NEW.

    Attributes:
        name: the name that its generated code would have by itself.
        format: the format of its file; None for a workload, which may be a file of Python.
    """

    spec: WorkloadSpec
    name: str
    format: Format | None = None
    is_file: bool = False


@contextmanager
def old_and_new(pair: Sequence[str], how: SideOptions, paths: Paths) -> Iterator[list[GivenSide]]:
    """The two sides, while this context lasts, for which the messages of files are kept. Generated code of
    both has the name of OLD, since formats write names of types.

    Raises:
        SelectionError: a text names no workload, file or revision, with the nearest ones.
        InputError: a file cannot be read, with its place.
    """
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        sides = []
        for n, text in enumerate(_whole(pair)):
            work = Path(folder) / str(n)
            work.mkdir()
            sides.append(_side(text, n, how, paths, work))
        yield [_called(each, sides[0].name, paths, Path(folder)) for each in sides]


def _whole(pair: Sequence[str]) -> list[str]:
    """OLD and NEW, where a revision without a path (``v1.2:``) gets the path of the other one."""
    old, new = pair
    return [_with_path(old, new), _with_path(new, old)]


def _with_path(text: str, other: str) -> str:
    revision, path = parted(text)
    if not revision or path:
        return text
    return f"{revision}:{parted(other)[1] or PurePath('.', other).as_posix()}"


def _side(text: str, which: int, how: SideOptions, paths: Paths, work: Path) -> GivenSide:
    known = load_workloads(*paths.all_workloads)
    if text not in known and Path(text).exists():
        return _of_file(text, Path(text), how.of(which, None), work)
    if name_in(text) in known:
        _refuse_data(text, how.of(which, None))
        spec = parse_spec(text, known)
        return GivenSide(spec, spec.workload.schema.name)
    if parted(text)[0] and "=" not in text:  # with it, the text is a workload with parameters or changes
        place = file_at(text, Path.cwd(), work / "revision")
        try:
            return _of_file(text, place.file, how.of(which, place), work)
        except InputError as error:
            told = str(error).replace(f"{place.folder}/", f"{parted(text)[0]}:")
            raise InputError(told) from error
    endings = {ending for each in formats().values() for ending in each.suffixes}
    if Path(text).suffix in endings or len(Path(text).parts) > 1:
        raise InputError(f"{text}: no such file")
    raise not_there("workload", name_in(text), known)


def _refuse_data(text: str, given: Given) -> None:
    if given.data:
        raise SelectionError(f"{text}: found data for a workload; expected data for a file alone")


def _of_file(text: str, file: Path, given: Given, work: Path) -> GivenSide:
    """The side of a file, or of a folder or several files of data."""
    if file.suffix == ".py":
        _refuse_data(text, given)
        spec = WorkloadSpec.usual(load_workload(file))
        return GivenSide(replace(spec, label=text), spec.workload.name, is_file=True)
    given = replace(given, files=[file])
    with ordered(given) as order, reading(order, order.format.readings):
        imported = read(order)
        if imported.values is None:
            given = replace(given, synthesize=MADE_UP)
        workload = made(order, imported, messages_of(given, order, imported), work)
    for line in told_of(imported):
        announce(f"{text}: {line}")
    spec = replace(WorkloadSpec.usual(workload), label=text)
    return GivenSide(spec, name_of(order, "data"), order.format, is_file=True)


def _called(side: GivenSide, name: str, paths: Paths, folder: Path) -> GivenSide:
    """The side with generated code of this name. Its programs are in folders that are named by the digest of
    the schema, as those of changed workloads are."""
    spec = side.spec
    if not side.is_file and spec.workload.schema.name == name:
        return side
    with using_home(paths.home, announce):
        data = dataset_for(spec, paths)
    schema = Schema.from_json(spec.workload.schema.to_json() | {"name": name})
    kept = write_messages(folder, name, data.header.parameters, schema, map(bytes, data.read_messages()))
    base = Workload(
        name,
        spec.workload.summary,
        schema.root,
        parameters=[Parameter("count", kept.messages, "all of its messages")],
        also=schema.named,
        source=spec.workload.source,
        data=kept.path,
        origin=spec.workload.origin,
    )
    return replace(side, spec=replace(WorkloadSpec.usual(derived(base, schema)), label=spec.id))


def chosen_for(job: Job, sides: Sequence[GivenSide]) -> Job:
    """The job with both sides as its workloads, and, where codecs were not asked for, with those of the
    format of a file."""
    chosen = replace(job.chosen, workloads=[side.spec for side in sides])
    format = next((side.format for side in sides if side.format), None)
    if format and not job.asked.codecs:
        variants = _of_format(format, load_variants(*job.paths.all_codecs))
        if variants:
            announce(f"codecs: those of {format.title}, since -c names none")
            chosen = replace(chosen, variants=variants)
    return replace(job, chosen=chosen)


def _of_format(format: Format, known: Mapping[str, Variant]) -> list[Variant]:
    """The codecs that write what schemas or data of a format describe: the format of this name, or those of
    codecs whose code is generated from files with its endings."""
    generated = {
        each.format
        for each in known.values()
        if each.codec.idl and PurePath(each.codec.idl.file).suffix in format.suffixes
    }
    own = format.name.partition("-")[0]  # a JSON Schema describes JSON
    return [each for each in known.values() if each.format in {own, *generated}]


def incompatible(old: WorkloadSpec, new: WorkloadSpec) -> list[str]:
    """A line for each part that both schemas have, with types that have no value in common.

    Raises:
        SelectionError: the schemas have nothing in common.
    """
    before, after = old.workload.schema, new.workload.schema
    try:
        return list(dict.fromkeys([*unreadable(before, after), *unreadable(after, before)]))
    except SelectionError as error:
        raise SelectionError(f"{old.id} to {new.id}: {error}") from error


def installed(units: Sequence[Unit]) -> list[Unit]:
    """The units of codecs that are installed; the others are announced.

    Raises:
        SetupError: there are none.
    """
    missing = list(dict.fromkeys(unit.name for unit in units if unit.status == "not_installed"))
    left = [unit for unit in units if unit.name not in missing]
    if missing and not left:
        raise SetupError(f"none of these codecs is installed: {', '.join(missing)}")
    if missing:
        announce(f"left out, since not installed: {', '.join(missing)}")
    return left
