"""Runs on disk: a directory each, with a manifest written once and samples appended as they come."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from serbench.errors import SelectionError, SerbenchError, unknown

MANIFEST_VERSION = 1


@dataclass(frozen=True)
class Run:
    """One run: ``manifest.json`` says what was planned and where, ``samples.jsonl`` what came of it."""

    directory: Path
    manifest: dict[str, Any]

    @property
    def id(self) -> str:
        return self.directory.name

    def events(self) -> Iterator[dict[str, Any]]:
        """Every event in order. A last line that a killed run left unfinished is passed over; any other damage is an error."""
        lines = (self.directory / "samples.jsonl").read_bytes().split(b"\n")
        for n, line in enumerate(lines):
            if not line:
                continue
            try:
                yield json.loads(line)
            except ValueError as error:
                if n == len(lines) - 1:
                    return
                raise SerbenchError(
                    f"{self.directory / 'samples.jsonl'}, line {n + 1}: not JSON ({error}); the file was altered"
                ) from error


class Journal:
    """Appends events to a run; each is on its way to the disk before the next is taken."""

    def __init__(self, run: Run):
        self._file = (run.directory / "samples.jsonl").open("a", encoding="utf-8")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, event: dict[str, Any]) -> None:
        self._file.write(json.dumps(event, separators=(",", ":"), ensure_ascii=False) + "\n")
        self._file.flush()


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
    """Every run, newest first."""
    return [_load(path.parent) for path in sorted(runs.glob("*/manifest.json"), reverse=True)]


def find_run(runs: Path, name: str | None) -> Run:
    """The run of this id or of an unmistakable beginning of one; the newest for None."""
    known = list_runs(runs)
    if not known:
        raise SelectionError("there is no run yet; make one with: ./serbench run")
    if name is None:
        return known[0]
    matching = [run for run in known if run.id.startswith(name)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise SelectionError(f"'{name}' is the beginning of {len(matching)} runs: {', '.join(r.id for r in matching)}")
    raise unknown("run", name, (r.id for r in known))


def _load(directory: Path) -> Run:
    path = directory / "manifest.json"
    try:
        manifest = json.loads(path.read_text())
        version = manifest["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SerbenchError(f"{path} is not a manifest: {error}; remove the folder if the run is of no use") from error
    if version != MANIFEST_VERSION:
        raise SerbenchError(f"{path} has version {version}; this serbench reads version {MANIFEST_VERSION}")
    return Run(directory, manifest)
