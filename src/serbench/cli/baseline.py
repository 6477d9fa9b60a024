"""The comparison of a library with its baseline in one command: both are built, and measured in turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from serbench.building.prepare import known_variants
from serbench.cli.asking import Making, What, ask
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.run import carried_out
from serbench.codecs.edition import WORKING_TREE, is_path
from serbench.errors import SelectionError
from serbench.languages import languages
from serbench.languages.versions import LATEST, PREVIOUS
from serbench.paths import Paths
from serbench.report.compare_table import Side, halves
from serbench.selecting.selection import select_variants


def measured_against(baseline: str, candidate: str | None, what: What, effort: Effort) -> tuple[Side, Side]:
    """Measures codecs with their libraries as they are and as they were, in the same rounds; returns both
    sides, the baseline first.

    Args:
        baseline: a revision of the adapters; a version or a package of the library, for languages whose
            package manager has versions; or else a folder in which the library is installed.
        candidate: the package compared with it, of the same kind; None for the working tree, or the version
            that is measured usually.

    Raises:
        SelectionError: no codec is named, or codecs are of languages that have different baselines.
    """
    if not what.codec:
        raise SelectionError(f"--baseline {baseline}: expected -c CODEC, the codec whose library is compared")
    variants = select_variants(what.codec, known_variants(Paths.default()))
    codecs = sorted({variant.codec.id for variant in variants})
    versioned = [codec for codec in codecs if languages()[codec.partition("/")[0]].versions]
    is_there = Path(baseline).exists()
    if not is_there and not _is_version(baseline):
        versioned = []
    elif versioned and versioned != codecs:
        raise SelectionError(
            f"--baseline {baseline}: {versioned[0]} has versions by its package manager, and "
            f"{next(each for each in codecs if each not in versioned)} has folders; name codecs of one kind"
        )
    if versioned:
        both = [_as_version(each) for each in (baseline, candidate) if each]
        making = Making(version=[f"{codec}={version}" for version in both for codec in codecs])
    elif is_there:
        making = Making(prefix=[baseline, candidate or WORKING_TREE])
    else:
        making = Making(revision=[baseline, candidate or WORKING_TREE])
    job = ask(what, effort, making)
    alone = bool(versioned and candidate)
    done = carried_out(replace(job, editions=replace(job.editions, alone=alone)), effort)
    assert done, "this is no dry run"
    _, units, run = done
    for unit in units:
        if unit.status != "ok" and unit.variant.codec.id in codecs:
            announce(f"{unit.name} × {unit.spec.id}: {unit.status}: {unit.reason}")
    announce(f"this is kept: run {run.id}")
    first, second = halves(run)
    if versioned and not alone:
        return second, replace(first, name=first.name or "the usual version")
    return first, second


def _as_version(text: str) -> str:
    """A version as ``--version`` has it, whose paths have a slash or begin with a dot."""
    return f"./{text}" if Path(text).exists() and not is_path(text) else text


def _is_version(text: str) -> bool:
    """Whether a text is a version rather than a git revision, which has no dot in between."""
    return text in (LATEST, PREVIOUS) or "." in text.strip(".")
