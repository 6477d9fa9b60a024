"""Runs on disk: a directory each, with a manifest written once and samples appended as they come."""

from __future__ import annotations

import gc
import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from serbench.errors import SelectionError, SerbenchError, unknown
from serbench.measure.taken import Taken

MANIFEST_VERSION = 3

_LINES_AT_ONCE = 1000  # one call for each would take as long as what it does


@dataclass(frozen=True)
class Run:
    """One run: ``manifest.json`` says what was planned and where, ``samples.jsonl`` what came of it."""

    directory: Path
    manifest: dict[str, Any]

    @property
    def id(self) -> str:
        return self.directory.name

    @property
    def version(self) -> int:
        """Of the form in which it is stored."""
        return int(self.manifest["version"])

    def events(self) -> Iterator[dict[str, Any]]:
        """Every event in order, read as they are asked for. A last line that a killed run left unfinished is passed over; any
        other damage is an error."""
        path = self.directory / "samples.jsonl"
        with path.open("rb") as file:
            first = 1
            while lines := list(islice(file, _LINES_AT_ONCE)):
                try:
                    yield from orjson.loads(b"[" + b",".join(lines) + b"]")
                except ValueError:
                    yield from _up_to_damage(path, first, lines)
                first += len(lines)

    @cached_property
    def taken(self) -> Taken:
        """What its journal held when this was first asked for."""
        # Looking for garbage among millions of numbers that all stay takes a third of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            return Taken.of(self.events())
        finally:
            if collects:
                gc.enable()


def _up_to_damage(path: Path, first: int, lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """The events of lines of which at least one is none; ``first`` is the number of the first line."""
    for number, line in enumerate(lines, start=first):
        try:
            yield orjson.loads(line)
        except ValueError as error:
            if not line.endswith(b"\n"):
                return
            raise SerbenchError(f"{path}, line {number}: not JSON ({error}); the file was altered") from error


class Journal:
    """Appends events to a run; each is on its way to the disk before the next is taken."""

    def __init__(self, run: Run):
        path = run.directory / "samples.jsonl"
        _drop_unfinished_line(path)
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, event: dict[str, Any]) -> None:
        self._file.write(json.dumps(event, separators=(",", ":"), ensure_ascii=False) + "\n")
        self._file.flush()


def _drop_unfinished_line(path: Path) -> None:
    """Cuts off what a killed run began to write, so that the next event has a line of its own."""
    with path.open("r+b") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


def create_run(runs: Path, manifest: dict[str, Any]) -> Run:
    """Makes the directory of a new run and writes its manifest."""
    now = datetime.now().astimezone()
    directory = runs / f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    directory.mkdir(parents=True)
    whole = {"version": MANIFEST_VERSION, "run": directory.name, "started": now.isoformat(timespec="seconds"), **manifest}
    (directory / "manifest.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    (directory / "samples.jsonl").touch()
    return Run(directory, whole)


def list_runs(runs: Path) -> list[Run]:
    """Every run, newest first; those that another version of serbench wrote in a form of its own are left out."""
    loaded = [_load(path) for path in sorted(runs.glob("*/manifest.json"), reverse=True)]
    return [run for run in loaded if run.version == MANIFEST_VERSION]


def find_run(runs: Path, name: str | None, suite: str | None = None) -> Run:
    """The run of this id or of an unmistakable beginning of one; the newest (of the suite, if given) for None."""
    if name is not None:
        return _named_run(runs, name)
    known = [run for run in list_runs(runs) if suite in (None, run.manifest.get("suite"))]
    if not known:
        what, option = (f"run of suite {suite}", f" --suite {suite}") if suite else ("run", "")
        raise SelectionError(f"there is no {what} yet; make one with: ./serbench run{option}")
    return known[0]


def _named_run(runs: Path, name: str) -> Run:
    known = sorted(path.parent.name for path in runs.glob("*/manifest.json"))
    matching = [each for each in known if each.startswith(name)]
    if not matching:
        raise unknown("run", name, known)
    if len(matching) > 1:
        raise SelectionError(f"'{name}' is the beginning of {len(matching)} runs: {', '.join(matching)}")
    run = _load(runs / matching[0] / "manifest.json")
    if run.version != MANIFEST_VERSION:
        raise SerbenchError(f"run {run.id} has version {run.version}; this serbench reads {MANIFEST_VERSION}: measure again")
    return run


def _load(path: Path) -> Run:
    try:
        manifest = json.loads(path.read_text())
        manifest["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SerbenchError(f"{path} is not a manifest: {error}; remove the folder if the run is of no use") from error
    return Run(path.parent, manifest)
