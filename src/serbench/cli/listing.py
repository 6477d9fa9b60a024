"""``serbench list``: list what can be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from serbench.building.prepare import known_variants, toolchains, where_to_get
from serbench.changes.catalogue import MEANINGS, changes_of, word_of
from serbench.cli import options
from serbench.cli.clustered import Where, machines_of
from serbench.cli.console import announce, in_place_of_others
from serbench.cli.releases import releases_table
from serbench.cluster.listing import machines_found
from serbench.codecs.codec import ALL_FEATURES, SEEN_FEATURES, WAYS, Codec
from serbench.errors import FileError, SelectionError, SetupError
from serbench.languages.base import Found
from serbench.measure.store import list_runs
from serbench.paths import Paths
from serbench.report.checked import LEGEND, harmed
from serbench.report.checked import letters as letters_of
from serbench.report.gathering import gathered
from serbench.report.notes import said_of_codecs
from serbench.report.show import show
from serbench.report.table import Table
from serbench.selecting.catalogue import load_codecs
from serbench.selecting.conforming import load_conformance
from serbench.selecting.evolved import features_of, load_evolution
from serbench.selecting.selection import HEADLINE, OPERATIONS, select_workloads
from serbench.selecting.suite import load_suites
from serbench.system import examples
from serbench.system.command import COMMAND
from serbench.system.files import Loaded
from serbench.workload import Workload, WorkloadSpec, load_workloads


class Kind(str, Enum):
    """The kinds of things that can be listed."""

    codecs = "codecs"
    workloads = "workloads"
    operations = "operations"
    suites = "suites"
    runs = "runs"
    changes = "changes"
    machines = "machines"
    releases = "releases"


def list_kind(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="codecs, workloads, operations, suites, runs, changes, machines or releases.",
            show_default=False,
        ),
    ],
    where: Where,
    format: options.OutputFormat = options.TableFormat.table,
    compilers: options.Compilers = None,
    workload: options.Workloads = None,
    codec: options.Codecs = None,
) -> None:
    """List codecs (with their features and installed versions), workloads, operations, suites, runs (newest
    first), the changes that the schema of -w can have, the machines of a --cluster with what doctor finds of
    each, or the releases of the libraries of -c: which are newer than those that are measured."""
    paths = Paths.default()
    if (where.address() is not None) != (kind is Kind.machines):
        raise SelectionError(
            "list machines lists those of a cluster; expected --cluster ADDRESS"
            if kind is Kind.machines
            else f"--cluster is for list machines; found list {kind.value}"
        )
    if bool(workload) != (kind is Kind.changes):
        raise SelectionError(
            f"list changes lists those of a workload's schema; expected {examples.WORKLOAD}"
            if kind is Kind.changes
            else f"-w is for list changes; found list {kind.value}"
        )
    if codec and kind is not Kind.releases:
        raise SelectionError(f"-c is for list releases; found list {kind.value}")
    makers = {"workloads": _workloads, "operations": _operations, "suites": _suites, "runs": _runs}
    if kind is Kind.machines:
        with machines_of(where) as (_, members):
            table, records = machines_found(members)
    elif kind is Kind.codecs:
        table, records = _codecs(paths, compilers or ())
    elif kind is Kind.releases:
        table, records = releases_table(paths, codec or ())
    elif kind is Kind.changes:
        table, records = _changes(select_workloads(workload or (), load_workloads(*paths.all_workloads)))
    else:
        table, records = makers[kind.value](paths)
    show([table], records, format.value)


def _codecs(paths: Paths, compilers: Sequence[str]) -> tuple[Table, list[dict[str, Any]]]:
    codecs = load_codecs(*paths.all_codecs)
    # Whether a library is there needs no sources of every workload, which take most of the time.
    specs = select_workloads((), load_workloads(*paths.all_workloads))
    known = known_variants(paths).values()
    builds = {build.language: build for build in toolchains(paths, known, compilers[:1], specs=specs)}
    for build in builds.values():
        try:
            build.configure()
        except SetupError as error:
            if len(builds) == 1:
                raise
            build.found = {
                c.name: Found(False, "", str(error)) for c in codecs.values() if c.language == build.language
            }
    seen, held = load_evolution(paths.codecs).codecs, load_conformance(paths.codecs).codecs
    rows: list[Sequence[str]] = []
    records = []
    missing = []
    for codec in codecs.values():
        found = builds[codec.language].found[codec.name]
        version = (found.version or "–") if found.installed else "not installed"
        reason = "" if found.installed else f"{found.missing}; get it: {where_to_get(codec)}"
        missing += [f"{codec.id}: {reason}"] if reason else []
        variants = ", ".join(codec.variants) if len(codec.variants) > 1 else ""
        checks = ", ".join(dict.fromkeys(letters_of(variant.checks) for variant in codec.variants.values()))
        ways = ", ".join(dict.fromkeys(variant.reads for variant in codec.variants.values()))
        features = {variant.id: features_of(variant, seen, held) for variant in codec.variants.values()}
        letters = "".join(mark_of(name, {own[name] for own in features.values()}) for name in ALL_FEATURES)
        formats = ", ".join(dict.fromkeys(variant.format for variant in codec.variants.values()))
        rows.append((codec.id, variants, version, formats, letters, checks, ways, codec.licence))
        for variant in codec.variants.values():
            records.append(
                {
                    "codec": variant.id,
                    "summary": variant.summary,
                    "installed": found.installed,
                    "version": found.version,
                    "reason": reason,
                    "format": variant.format,
                    "licence": codec.licence,
                    "homepage": codec.homepage,
                    "maintenance": codec.maintenance,
                    "reviewed": str(codec.reviewed or ""),
                    "folder": str(codec.directory),
                    **features[variant.id],
                    "checks": None if variant.checks is None else list(variant.checks),
                    "hostile": None if variant.hostile is None else list(variant.hostile),
                    "reads": variant.reads,
                }
            )
    rows += [(codec, "", "broken", "", "", "", "", "") for codec in codecs.broken]
    records += _broken("codec", codecs.broken)
    missing += [f"{codec}: {error}" for codec, error in codecs.broken.items()]
    return Table(
        "codecs",
        ("codec", "variants", "version", "format", "features", "checks", "reads", "licence"),
        rows,
        notes=[*_legend(codecs.values()), *_whence(codecs, paths.codecs), *missing],
    ), records


def _legend(codecs: Iterable[Codec]) -> Iterator[str]:
    """Notes on the letters that stand for features and checks in the table, and on some codecs."""
    yield from (
        f"{_LETTERS[name]}  {name.replace('_', ' ')}: {meaning}" for name, meaning in ALL_FEATURES.items()
    )
    seen = ", ".join(SEEN_FEATURES)
    yield f"~  of some variants; ?  not known: {seen} are seen by {COMMAND} verify --evolution, --conformance"
    yield LEGEND
    yield f"reads a few fields: {'; '.join(f'{way}: {meaning}' for way, meaning in WAYS.items())}"
    hostile = {variant.id: variant.hostile for codec in codecs for variant in codec.variants.values()}
    if harm := harmed(hostile, [(name, name) for name in hostile]):
        yield harm
    yield from said_of_codecs({codec.id: codec.maintenance for codec in codecs})
    yield from said_of_codecs({codec.id: str(codec.reviewed or "") for codec in codecs})


def mark_of(feature: str, found: set[bool | None]) -> str:
    """The mark of a codec whose variants have a feature, or not, or of which that is not known."""
    if found == {True}:
        return _LETTERS[feature]
    return "~" if True in found else "?" if None in found else "·"


_LETTERS = {
    "schema": "s",
    "code_generation": "g",
    "self_describing": "d",
    "zero_copy": "z",
    "evolution": "e",
    "unknown_fields": "u",
    "conformant": "k",
    "human_readable": "h",
    "cross_language": "x",
    "cycles": "c",
}


def _workloads(paths: Paths) -> tuple[Table, list[dict[str, Any]]]:
    rows: list[Sequence[str]] = []
    records = []
    workloads = load_workloads(*paths.all_workloads)
    for workload in workloads.values():
        parameters = []
        for p in workload.parameters:
            values = "|".join(p.choices) if p.choices else type(p.default).__name__
            parameters.append(f"{p.name}={p.default} ({values}): {p.help}")
            records.append(
                {
                    "workload": workload.name,
                    "summary": workload.summary,
                    "file": str(workload.source),
                    **({"origin": msgspec.to_builtins(workload.origin)} if workload.origin else {}),
                    "parameter": p.name,
                    "default": p.default,
                    "help": p.help,
                }
            )
        rows.append((workload.name, "\n".join([workload.summary, *_sizes(workload)]), "\n".join(parameters)))
    rows += [(name, f"broken: {error}", "") for name, error in workloads.broken.items()]
    notes = [f"default: {w.name}" for w in workloads.values() if w.default]
    notes += _whence(workloads, paths.workloads)
    table = Table("workloads", ("workload", "data", "parameters"), rows, notes=notes)
    return table, [*records, *_broken("workload", workloads.broken)]


def _changes(specs: Sequence[WorkloadSpec]) -> tuple[Table, list[dict[str, Any]]]:
    records = [
        {"workload": spec.id, "change": change.text, "description": MEANINGS[word_of(change.text)]}
        for spec in specs
        for change in changes_of(spec.workload.schema)
    ]
    first = f"{records[0]['workload']}/{records[0]['change']}" if records else ""
    notes = [f"for instance: -w '{first}'; several one after another: /CHANGE/CHANGE"] if first else []
    rows = [[*record.values()] for record in records]
    return Table("changes", ("workload", "change", "what it does"), rows, notes=notes), records


def _sizes(workload: Workload) -> list[str]:
    """For an imported workload, a line with the number and sizes of its messages, and a bar for each range of
    sizes, which double from bar to bar. Empty for other workloads."""
    origin = workload.origin
    if origin is None:
        return []
    least = next(n for n, count in enumerate(origin.sizes) if count)
    counts = origin.sizes[least:]
    bars = "".join(_BARS[0 if not count else 1 + (len(_BARS) - 2) * count // max(counts)] for count in counts)
    most = 1 << len(origin.sizes) - 1
    lost = f"; {len(origin.losses)} loss{'es' if len(origin.losses) > 1 else ''}" if origin.losses else ""
    return [f"{origin.messages:,} messages of {((1 << least) >> 1) + 1:,} to {most:,} bytes  {bars}{lost}"]


_BARS = "·▁▂▃▄▅▆▇█"
"""The blocks of bars, from no messages to many; the first is no space, at which a line would be broken."""


def _whence(loaded: Loaded[Any], built_in: Path) -> list[str]:
    """Notes on codecs or workloads of the user's folders, and on those that replace others of their name."""
    names = gathered((folder, name) for name, folder in loaded.folders.items())
    of_users = [f"from {folder}: {', '.join(those)}" for folder, those in names.items() if folder != built_in]
    return [*of_users, *in_place_of_others(loaded)]


def _broken(kind: str, broken: Mapping[str, FileError]) -> list[dict[str, Any]]:
    return [{kind: name, "broken": str(error)} for name, error in broken.items()]


def _operations(_: Paths) -> tuple[Table, list[dict[str, Any]]]:
    records = [
        {"operation": name, "headline": name in HEADLINE, "meaning": meaning}
        for name, meaning in OPERATIONS.items()
    ]
    return Table("operations", ("operation", "from → to"), [*OPERATIONS.items()]), records


def _suites(paths: Paths) -> tuple[Table, list[dict[str, Any]]]:
    suites = load_suites(paths.suites)
    records: list[dict[str, Any]] = []
    rows = []
    for s in suites.values():
        told = {"suite": s.name, "summary": s.summary, "rows": len(s.rows)}
        records.append({**told, "workloads": list(s.workloads), "source": s.source})
        rows.append((s.name, str(len(s.rows)), ", ".join(s.workloads), s.summary))
    rows += [(name, "", "", f"broken: {error}") for name, error in suites.broken.items()]
    records += _broken("suite", suites.broken)
    return Table("suites", ("suite", "rows", "workloads", "published table"), rows, frozenset({1})), records


def _runs(paths: Paths) -> tuple[Table, list[dict[str, Any]]]:
    records: list[dict[str, Any]] = [
        {
            "run": run.id,
            "started": run.manifest.started,
            "workloads": list(run.manifest.workloads),
            "codecs": len(run.manifest.codecs),
            "operations": list(run.manifest.operations),
            "arguments": " ".join(run.manifest.arguments),
        }
        for run in list_runs(paths.runs, announce)
    ]
    rows = [
        (str(r["run"]), str(r["codecs"]), ", ".join(r["workloads"]), str(r["arguments"])) for r in records
    ]
    notes = [] if records else [f"none yet; start one with: {COMMAND} run"]
    headings = ("run", "codecs", "workloads", "arguments")
    return Table("runs, newest first", headings, rows, frozenset({1}), notes), records
