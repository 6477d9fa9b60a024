"""``serbench import`` makes a workload from a schema and data; ``serbench try`` also runs it."""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from serbench.cli import options
from serbench.cli.asking import Making, What
from serbench.cli.clustered import Where
from serbench.cli.console import ReadingProgress, announce, running_count
from serbench.cli.options import flag, option
from serbench.cli.printing import Shown
from serbench.cli.run import run_at_first_sight
from serbench.errors import InputError, SelectionError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.following import followed
from serbench.imports.gathering import gathered
from serbench.imports.importing import ImportOrder, Messages, made, name_of, read
from serbench.imports.recognising import recognised
from serbench.imports.synthesis import synthesized
from serbench.imports.twin import twin_of
from serbench.paths import Paths
from serbench.report.explained import explained
from serbench.report.gathering import gathered as by_what
from serbench.report.show import show
from serbench.selecting.catalogue import load_variants
from serbench.system.command import COMMAND, waiting_since
from serbench.workload import Workload, load_workloads


def _framings() -> str:
    """Words on the framings (ways in which a file holds many messages) that each format has."""
    named = by_what((tuple(each.framings), name) for name, each in formats().items() if each.framings)
    return "; ".join(f"{' and '.join(names)}: {', '.join(framings)}" for framings, names in named.items())


_MOST_OPEN = 5
"""The most decisions that data leave open that are told when a workload is made or measured."""


@dataclass(frozen=True)
class Given:
    """The options that say what is imported, and how."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Schemas, or data files that carry their own schema; also folders and patterns.",
        ),
    ]
    root: Annotated[str, option("TYPE", "The message type, by its name in the schema.")] = ""
    data: Annotated[
        list[str] | None,
        option("FILE", "Data files: a file, folder or pattern, or - for standard input; may be repeated."),
    ] = None
    framing: Annotated[
        str,
        option(
            "NAME",
            "How messages are separated in data files. Default: as a file's ending says, else found by "
            f"trying each on all bytes; docs/imports.md explains them. {_framings()}.",
        ),
    ] = ""
    include: Annotated[
        list[Path] | None,
        option("FOLDER", "Folder in which to look for imported schemas; may be repeated.", "-I", "--include"),
    ] = None
    settings: Annotated[
        list[str] | None,
        option(
            "PATH=TYPE", "Set the type of a field, instead of the inferred one; may be repeated.", "--set"
        ),
    ] = None
    format_name: Annotated[
        str,
        option(
            "FORMAT", f"Format of the files, if their endings do not tell: {', '.join(formats())}.", "--from"
        ),
    ] = ""
    name: Annotated[str, option("NAME", "Name of the workload. Default: the name of the first file.")] = ""
    sample: Annotated[
        str,
        option(
            "N", "Number of messages to draw at random, or 'all'. Default: all, but at most 64 MiB of them."
        ),
    ] = ""
    synthesize: Annotated[
        int | None,
        option(
            "N",
            "Make up this many messages from the schema alone, with sizes typical of published data.",
            min=1,
        ),
    ] = None
    twin: Annotated[
        bool,
        flag(
            "--twin",
            "Replace all values by made-up ones of the same shape and size, so that the data can be shared.",
        ),
    ] = False
    seed: Annotated[int, option("N", "Seed for drawing or making up messages.", min=0)] = 1


def import_(
    given: Given,
    explain: Annotated[
        bool, flag("--explain", "Show the mapping and what would be lost, without importing.")
    ] = False,
    format: options.OutputFormat = options.TableFormat.table,
) -> None:
    """Make a workload from your schema and data, for use with every command that takes workloads.

    The data stay on this machine: their values appear in no run and in no error message.
    """
    with ordered(given) as order:
        if explain:
            with reading(order, 1):
                imported = read(order)
            variants = load_variants(Paths.default().codecs).values()
            _tell_notes(imported)
            tables, records = explained(imported, order.request.files[0].name, variants)
            show(tables, records, format.value)
            return
        with reading(order, order.format.readings):
            imported = read(order)
            workload = _made(given, order, imported)
    _tell(workload, imported)
    print(f"workload {workload.name}: {workload.summary}")
    print(f"next: {COMMAND} run -w {workload.name}")


def try_(
    given: Given,
    codec: options.Codecs = None,
    need: options.Needs = None,
    read_paths: options.Reads = None,
    condition: options.Conditions = None,
    version: options.Versions = None,
    no_install: options.NoInstall = False,
    full: options.AllNotes = False,
    format: options.OutputFormat = options.TableFormat.table,
    *,
    where: Where,
) -> None:
    """Import your schema and data, and measure them quickly with the installed codecs."""
    since = waiting_since()
    where.address()  # refuses a wrong one before anything is read
    with ordered(given) as order, reading(order, order.format.readings):
        imported = read(order)
        workload = _made(given, order, imported)
    _tell(workload, imported)
    what = What(codec=codec, need=need, read=read_paths, condition=condition)
    making = Making(no_install=no_install, version=version)
    run_at_first_sight(workload, what, making, Shown(full=full, format=format), where, since)


@contextmanager
def ordered(given: Given) -> Iterator[ImportOrder]:
    """The import that the user asks for, with its files found. Standard input is kept in a file meanwhile.

    Raises:
        InputError: a file does not exist, or the files are of no format that is known.
        SelectionError: an option has a value that it cannot have.
    """
    with tempfile.TemporaryDirectory(prefix="serbench-") as temporary:
        files = gathered([str(path) for path in given.files])
        data = gathered(given.data or [], Path(temporary) / "standard-input")
        known = recognised(files.files, files.found, given.format_name)
        for note in (*files.notes, *data.notes, *known.notes):
            announce(note)
        request = Request(
            files=known.files,
            data=tuple(data.files),
            root=given.root,
            framing=given.framing,
            folders=(*(given.include or ()), *files.folders),
            settings=dict(_setting(each) for each in given.settings or ()),
        )
        yield ImportOrder(request, known.format, given.name, _sample(given.sample), given.seed)


@contextmanager
def reading(order: ImportOrder, readings: int) -> Iterator[None]:
    """Shows, while this context lasts, how much of the files, which are read ``readings`` times, was read."""
    # Reading makes many objects, and the collector would look at all of the program's again and again.
    gc.freeze()
    size = sum(path.stat().st_size for path in (*order.request.files, *order.request.data))
    with ReadingProgress(size, readings) as progress, followed(progress.more):
        yield


def _setting(text: str) -> tuple[str, str]:
    path, _, type = text.rpartition("=")  # a key may have the sign, and no type has
    if not path or not type or '"' in type:
        raise SelectionError(f"--set: found '{text}', expected PATH=TYPE such as order.id=u64")
    return path, type


def _sample(text: str) -> int | None:
    if text in ("", "all"):
        return sys.maxsize if text else None
    if not text.isascii() or not text.isdigit() or not int(text):
        raise SelectionError(f"--sample: found '{text}', expected a number of messages, or 'all'")
    return int(text)


def _made(given: Given, order: ImportOrder, imported: Imported) -> Workload:
    """Makes the workload of an import, and returns it.

    Raises:
        InputError: there are no data.
        SelectionError: its name is taken by a workload that is built in or in a folder of the user's.
    """
    paths = Paths.default()
    messages = messages_of(given, order, imported)
    name = name_of(order, messages.kind)
    known = load_workloads(*paths.all_workloads)
    if name in known.folders and known.folders[name] != paths.imported:
        raise SelectionError(
            f"a workload named '{name}' exists already, in {known.folders[name]}; choose another name with "
            "--name"
        )
    return made(order, imported, messages, paths.imported)


def messages_of(given: Given, order: ImportOrder, imported: Imported) -> Messages:
    """The messages that a workload is made of: real, made up, or a twin's.

    Raises:
        InputError: there are no data.
        SelectionError: both a twin and made-up messages are asked for.
    """
    root, count = imported.schema("imported").root, given.synthesize
    if count and given.twin:
        raise SelectionError(
            "found both --synthesize, which makes up messages, and --twin, which needs real ones; expected "
            "only one of them"
        )
    if count:
        return Messages.of("synthetic", lambda: _counted(synthesized(root, count, order.seed)))
    if imported.values is None:
        file = order.request.files[0]
        raise InputError(
            f"{file}: found a schema without data; expected data files with --data, or --synthesize 1000 to "
            "make up messages"
        )
    if given.twin:
        return Messages(
            "twin", lambda pass_over: twin_of(root, partial(imported.wanted, pass_over))(), imported.count
        )
    return Messages("data", imported.wanted, imported.count)


def _counted(values: Iterator[Any]) -> Iterator[Any]:
    """The same values; meanwhile the user sees how many have been made up."""
    with running_count("making up messages") as count:
        for number, value in enumerate(values, 1):
            if number % 1000 == 0:
                count(number)
            yield value


def _tell_notes(imported: Imported) -> None:
    for note in imported.notes:
        announce(note)


def told_of(imported: Imported) -> Iterator[str]:
    """The lines for the user on what an import lost and left open."""
    for loss in imported.losses:
        yield f"lost: {loss.path}: {loss.what}"
    for open in imported.open[:_MOST_OPEN]:
        yield f"open: {open.path}: {open.what}"
    if len(imported.open) > _MOST_OPEN:
        yield f"open: {len(imported.open) - _MOST_OPEN} more; import --explain shows them"


def _tell(workload: Workload, imported: Imported) -> None:
    _tell_notes(imported)
    for line in told_of(imported):
        announce(line)
    origin = workload.origin
    if origin and origin.messages < origin.read:
        announce(f"{origin.messages:,} of {origin.read:,} messages were drawn; --sample changes this")
