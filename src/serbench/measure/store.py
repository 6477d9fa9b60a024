"""Runs on disk: a folder each, with a manifest that is written once and a journal to which samples are
appended."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any, get_args

import msgspec

from serbench.errors import FileError, SelectionError, SerbenchError, unknown
from serbench.measure.earlier import LAST_VERSION, tell_events, tell_manifest
from serbench.measure.events import Event
from serbench.measure.manifest import MANIFEST_VERSION, Manifest
from serbench.measure.taken import Taken
from serbench.system.command import COMMAND
from serbench.system.files import faults, parse_json, read_bytes, short, to_json
from serbench.system.locks import lock
from serbench.system.whole import write_atomically

_BLOCK_BYTES = 1 << 20  # a call for each line would take as long as what it does

LONGEST_LINE = 16 << 20
"""The most bytes of an event; the order of a round of ten thousand cells takes a tenth of it."""

MACHINES = "machines"
"""The folder of a run of several machines that holds a run for each machine (``measure/parts.py``)."""

KINDS = "kinds"
"""The folder in the name of a run of a kind. Such a run is joined from the runs of its machines when it is
read; the folder never exists."""

MOST_DAMAGED = 100
"""The most unreadable lines of a journal that is used; with more, the rest is no fair part of what was
measured."""

_DECODER = msgspec.json.Decoder(Event)
_KINDS = {kind.__struct_config__.tag: kind for kind in get_args(Event)}

Note = Callable[[str], None]
"""A function that takes a line for the user, such as on a run that is left out because it cannot be read."""


@dataclass(frozen=True)
class Run:
    """One run: ``manifest.json`` says what was planned and where, ``samples.jsonl`` has what was measured. A
    run of an earlier version is translated to today's names of operations.

    Attributes:
        only: the codec variants to show, as if the run had been of them alone; None for all.
        going_on: whether the run is being measured, so that missing samples may still come.
    """

    directory: Path
    only: frozenset[str] | None = None
    going_on: bool = False

    @property
    def id(self) -> str:
        """The run's name; for a machine's part ``RUN/MACHINE``."""
        folder = self.directory.parent
        within = f"{folder.parent.name}/" if folder.name in (MACHINES, KINDS) else ""
        return within + self.directory.name

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest as it was when first asked for; raises FileError where it is missing, unreadable or of
        another version."""
        manifest = _read_manifest(self.directory / "manifest.json")
        return manifest if self.only is None else manifest.of_codecs(self.only)

    def check(self) -> None:
        """Raise FileError where the manifest cannot be read."""
        _ = self.manifest

    @cached_property
    def is_earlier(self) -> bool:
        """Whether names of operations meant something else when the run was made (``measure/earlier.py``)."""
        # The version is read alone, since a run of doctor has a manifest of its own.
        path = self.directory / "manifest.json"
        return (
            parse_json(read_bytes(path, "manifest"), _Versioned, str(path), "manifest").version
            <= LAST_VERSION
        )

    @property
    def journal(self) -> Path:
        return self.directory / "samples.jsonl"

    def events(self, damaged: list[str] | None = None) -> Iterator[Event]:
        """Yield every event in order, reading the journal as they are asked for. A last line that a killed
        run left unfinished is ignored; other unreadable lines are left out and added to ``damaged``. Raise
        FileError where the journal cannot be read, or more than ``MOST_DAMAGED`` lines are unreadable."""
        stored = self._stored_events([] if damaged is None else damaged)
        return tell_events(stored) if self.is_earlier else stored

    def _stored_events(self, damaged: list[str]) -> Iterator[Event]:
        for first, block in _blocks(self.journal):
            try:
                events = _DECODER.decode_lines(block)
            except (ValueError, RecursionError):
                events = list(_undamaged(self.journal, first, block, damaged))
            yield from events

    @cached_property
    def taken(self) -> Taken:
        """The content of the journal, which is read when first asked for, and anew after ``forget_taken``."""
        # Looking for garbage among millions of numbers that all stay takes a third of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            damaged: list[str] = []
            taken = Taken.of(self.events(damaged))
            taken.damaged = damaged
            return taken
        finally:
            if collects:
                gc.enable()

    def forget_taken(self) -> None:
        """Have ``taken`` read the journal anew when it is next asked for."""
        self.__dict__.pop("taken", None)

    def so_far(self, taken: Taken) -> Run:
        """Return this run, while it is being measured, with what was ``taken`` so far; the journal is not
        read."""
        return Run(self.directory, self.only, going_on=True).holding(self.manifest, taken)

    def holding(self, manifest: Manifest, taken: Taken) -> Run:
        """Return this run with the given manifest and samples in place of those in its files."""
        held = Run(self.directory, self.only, self.going_on)
        held.__dict__.update(manifest=manifest, is_earlier=False, taken=taken)
        return held


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield a journal in blocks of whole lines, each with the number of its first line; without an unfinished
    last line. Raise FileError where the journal cannot be read or a line is too long for an event."""
    number, left = 1, b""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                end = block.rfind(b"\n") + 1
                if not end:
                    left += block
                else:
                    lines = left + block[:end]
                    yield number, lines
                    number, left = number + lines.count(b"\n"), block[end:]
                if len(left) > LONGEST_LINE:
                    raise FileError(
                        f"{path}, line {number}: more than {LONGEST_LINE:,} bytes; the file was altered"
                    )
    except OSError as error:
        raise FileError(f"{path}: the journal cannot be read: {error.strerror}") from error


def _undamaged(path: Path, first: int, block: bytes, damaged: list[str]) -> Iterator[Event]:
    """Yield the events of a block in which some line is no event; ``first`` is the number of its first
    line."""
    for number, line in enumerate(block.split(b"\n"), start=first):
        if not line.strip():
            continue
        try:
            yield _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            damaged.append(f"{path}, line {number}: {_damage(line, error)}")
            if len(damaged) > MOST_DAMAGED:
                raise FileError(
                    f"{path}: more than {MOST_DAMAGED} of its lines are no events, such as line {number}: "
                    f"{_damage(line, error)}; the file was altered: measure again"
                ) from error


def _damage(line: bytes, error: Exception) -> str:
    """Return what is wrong with a line of a journal, with the path of the field where the line is JSON."""
    try:
        values = msgspec.json.decode(line)
    except (ValueError, RecursionError) as reason:
        return f"not JSON ({str(reason).partition(': ')[2] or reason})"
    if not isinstance(values, dict):
        return f"found {type(values).__name__}, expected an event"
    kind = _KINDS.get(values.get("event")) if isinstance(values.get("event"), str) else None
    if kind is None:
        return "an event unknown to this serbench"
    return "; ".join(faults(values, kind)[:3]) or str(error)


class Journal:
    """Appends events to the journal of a run; each is handed to the system before the next is accepted."""

    def __init__(self, run: Run):
        """Open the journal and lock it; raise SerbenchError where another process is appending to it."""
        self._run, self._path = run, run.journal
        # not buffered, so that nothing is left to be written when a disk is full
        self._file = self._path.open("r+b", buffering=0)
        if not lock(self._file):
            self._file.close()
            raise SerbenchError(
                f"run {run.id} is still being measured by another process; continue it when that has ended"
            )
        self._end = _end_of_whole_lines(self._file)
        self._file.truncate(self._end)  # a killed run may have begun a line
        self._file.seek(self._end)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, event: dict[str, Any]) -> None:
        """Append one event. Raise OSError where that fails; then no part of the event stays in the file."""
        self._run.forget_taken()
        line = (json.dumps(event, separators=(",", ":"), ensure_ascii=False) + "\n").encode(errors="replace")
        try:
            written = 0
            while written < len(line):
                written += self._file.write(line[written:])
        except BaseException as error:
            with contextlib.suppress(OSError):
                self._file.truncate(self._end)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self._path)) from error
            raise
        self._end += len(line)

    def note(self, event: Event, taken: Taken) -> None:
        """Append an event, and add it to ``taken``."""
        self.append(msgspec.to_builtins(event))
        taken.add(event)


def is_going_on(run: Run) -> bool:
    """Whether a process is measuring this run: it holds a lock on the journal until it ends, in whatever way.
    Raises FileError where the journal cannot be read."""
    try:
        with run.journal.open("rb") as file:
            return not lock(file)
    except OSError as error:
        raise FileError(f"{run.journal}: the journal cannot be read: {error.strerror}") from error


def refuse_if_going_on(run: Run) -> None:
    """Raise SerbenchError where another process is measuring this run."""
    Journal(run).__exit__()


def _end_of_whole_lines(file: IO[bytes]) -> int:
    """Return the offset behind the last end of a line, where a line that is not finished begins."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(end - _BLOCK_BYTES, 0)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def create_run(runs: Path, manifest: Mapping[str, Any]) -> Run:
    """Create the folder of a new run, named by the time, and write its manifest."""
    return begin_run(runs / f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}", manifest)


def begin_run(directory: Path, manifest: Mapping[str, Any]) -> Run:
    """Create this folder for a new run, and write its manifest."""
    now = datetime.now().astimezone()
    directory.mkdir(parents=True)
    (directory / "samples.jsonl").touch()
    name = Run(directory).id
    own = {"version": MANIFEST_VERSION, "run": name, "started": now.isoformat(timespec="seconds")}
    whole = own | {key: value for key, value in manifest.items() if key not in own}
    write_atomically(directory / "manifest.json", to_json(whole), durable=True)
    return Run(directory)


def list_runs(runs: Path, note: Note = lambda _: None) -> list[Run]:
    """Return every run, newest first. ``note`` is called with a line on each run that cannot be read; those
    of older versions in another form are left out silently."""
    found = []
    for path in sorted(runs.glob("*/manifest.json"), reverse=True):
        run = Run(path.parent)
        try:
            run.check()
            if not run.journal.is_file():
                raise FileError(f"{run.journal}: the journal is missing")
        except _OldVersion:
            continue
        except SerbenchError as error:
            note(f"run {run.id} is left out: {error}; delete its folder if you do not need it")
            continue
        found.append(run)
    return found


def find_run(runs: Path, name: str | None, suite: str | None = None, note: Note = lambda _: None) -> Run:
    """Return the run with the id ``name``, or the only one whose id begins with it; for None, the newest run
    (of the suite, if given), and call ``note`` with a line on each run that cannot be read."""
    if name is not None:
        return _named_run(runs, name)
    known = [run for run in list_runs(runs, note) if suite in (None, run.manifest.suite)]
    if not known:
        what, option = (f"run of suite {suite}", f" --suite {suite}") if suite else ("run", "")
        raise SelectionError(f"there is no {what} yet; start one with: {COMMAND} run{option}")
    return known[0]


def _named_run(runs: Path, name: str) -> Run:
    if not name:
        raise SelectionError(
            f"found '', expected the id of a run or its first characters; to list them: {COMMAND} list runs"
        )
    known = sorted(path.parent.name for path in runs.glob("*/manifest.json"))
    matching = [each for each in known if each.startswith(name)]
    if not matching:
        raise unknown("run", name, known)
    if len(matching) > 1 and name not in matching:
        raise SelectionError(f"'{name}' matches {len(matching)} runs: {', '.join(matching)}")
    run = Run(runs / (name if name in matching else matching[0]))
    try:
        run.check()
    except _OldVersion:
        raise
    except FileError as error:
        raise FileError(
            f"run {run.id} cannot be read: {error}; delete its folder if you do not need it"
        ) from error
    return run


class _OldVersion(FileError):
    """The error of a manifest of an older serbench, whose runs have another form."""


class _Versioned(msgspec.Struct):
    version: int


def _read_manifest(path: Path) -> Manifest:
    data = read_bytes(path, "manifest")
    version = parse_json(data, _Versioned, str(path), "manifest").version
    if version not in (LAST_VERSION, MANIFEST_VERSION):
        said = (
            f"run {path.parent.name} has version {short(version)}; "
            f"this serbench reads {MANIFEST_VERSION}: measure again"
        )
        raise (_OldVersion if 0 < version < MANIFEST_VERSION else FileError)(said)
    manifest = parse_json(data, Manifest, str(path), "manifest")
    return tell_manifest(manifest) if version == LAST_VERSION else manifest
