"""The map of a run's codecs by sections of their format's specification: how many cases come out as it says,
with the version of the library that the run measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.table import Table
from serbench.selecting.conforming import HeldCodec, SeenConformance
from serbench.system.command import COMMAND


@dataclass(frozen=True)
class ConformanceMap:
    """The codecs of a run that have a format.

    Attributes:
        sections: those of the specification.
        codecs: codec variant → for each section, how many cases are as it says, of how many that it decides.
        conforming: those of them with which each case that is decided is as it says.
        not_known: the codecs that were not run with the version that the run measured.
    """

    format: str
    specification: str
    sections: tuple[str, ...]
    codecs: dict[str, tuple[tuple[int, int], ...]]
    conforming: tuple[str, ...]
    not_known: tuple[str, ...]


def maps_of(run: Run, seen: SeenConformance) -> Iterator[ConformanceMap]:
    """The map of each format that has cases, for the codecs of a run; none where nothing is known of any."""
    formats = run.manifest.formats
    own = gathered((formats[codec], codec) for codec in run.manifest.codecs if codec in formats)
    for format, specifications in seen.profiles.items():
        known = {c: held for c in own.get(format, ()) if (held := held_in(run, c, seen))}
        if known:
            yield ConformanceMap(
                format,
                next(iter(specifications.values())),
                tuple(seen.formats[format]),
                {c: tuple(map(held.decided, seen.formats[format])) for c, held in known.items()},
                tuple(c for c, held in known.items() if held.conforms),
                tuple(c for c in own[format] if c not in known),
            )


def held_in(run: Run, codec: str, seen: SeenConformance) -> HeldCodec | None:
    """The outcomes of a codec with the version of its library that a run measured; None where there are
    none."""
    held, library = seen.codecs.get(codec), codec.partition(":")[0]
    versions = {each.libraries[library] for each in run.manifest.toolchains if library in each.libraries}
    return held if held and versions == {held.version} else None


def map_table(of: ConformanceMap) -> Table:
    """The map as a table; ✓ where each case of a section that is decided is as the specification says."""
    rows = [[codec, *map(_in_words, cells)] for codec, cells in of.codecs.items()]
    notes = [
        "✓: each case that the section decides comes out as it says; else how many of how many; –: it decides"
        " none of this codec",
        f"with each case as it says: {', '.join(of.conforming) or 'no codec'}",
    ]
    if of.not_known:
        notes.append(
            f"not known of {', '.join(of.not_known)}, with the version of this run; see {COMMAND} verify "
            "--conformance"
        )
    title = f"{of.format}: cases that come out as {of.specification} says"
    return Table(title, ["codec", *of.sections], rows, frozenset(range(1, 1 + len(of.sections))), notes)


def _in_words(cell: tuple[int, int]) -> str:
    good, decided = cell
    return f"{good}/{decided}" if good < decided else "✓" if good else "–"
