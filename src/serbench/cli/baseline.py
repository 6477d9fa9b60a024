"""The comparison of a library with its baseline in one command: both are built, and measured in turn."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

from serbench.building.prepare import known_variants
from serbench.cli.asking import Making, What, ask
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.run import carried_out
from serbench.codecs.edition import WORKING_TREE, is_path
from serbench.errors import SelectionError
from serbench.languages import languages
from serbench.languages.versions import LATEST, PREVIOUS
from serbench.paths import INSTALLED, Paths
from serbench.report.compare_table import Side, halves
from serbench.selecting.selection import select_variants
from serbench.system.git import commit_of

Kind = Literal["version", "prefix", "revision"]

_KINDS = {"version": "version or package", "prefix": "folder", "revision": "git revision"}
"""Kind of edition, by the name of its option → what a user calls it."""


def measured_against(baseline: str, candidate: str | None, what: What, effort: Effort) -> tuple[Side, Side]:
    """Measures codecs with their libraries as they are and as they were, in the same rounds; returns both
    sides, the baseline first.

    Args:
        baseline: a revision of the adapters; a version or a package of the library, for languages whose
            package manager has versions; or else a folder in which the library is installed.
        candidate: the package compared with it, of the same kind; None for the working tree, or the version
            that is measured usually.

    Raises:
        SelectionError: no codec is named, codecs are of languages that have different baselines, or a side is
            not there, or not of the kind of the other.
    """
    if not what.codec:
        raise SelectionError(f"--baseline {baseline}: expected -c CODEC, the codec whose library is compared")
    variants = select_variants(what.codec, known_variants(Paths.default()))
    codecs = sorted({variant.codec.id for variant in variants})
    versioned = [codec for codec in codecs if languages()[codec.partition("/")[0]].versions]
    is_package = Path(baseline).exists() or _is_version(baseline)
    if versioned and is_package and versioned != codecs:
        raise SelectionError(
            f"--baseline {baseline}: {versioned[0]} has versions by its package manager, and "
            f"{next(each for each in codecs if each not in versioned)} has folders; name codecs of one kind"
        )
    kind = _kind_of("--baseline", baseline, bool(versioned))
    if candidate and candidate != WORKING_TREE:
        other = _kind_of("--candidate", candidate, bool(versioned))
        if other != kind:
            raise SelectionError(
                f"--candidate {candidate} is a {_KINDS[other]}; expected a {_KINDS[kind]}, as --baseline is"
            )
    if kind == "version":
        both = [_as_version(each) for each in (baseline, candidate) if each]
        making = Making(version=[f"{codec}={version}" for version in both for codec in codecs])
    else:
        sides = [baseline, candidate or WORKING_TREE]
        making = Making(prefix=sides) if kind == "prefix" else Making(revision=sides)
    job = ask(what, effort, making)
    alone = kind == "version" and bool(candidate)
    done = carried_out(replace(job, editions=replace(job.editions, alone=alone)), effort)
    assert done, "this is no dry run"
    _, units, run = done
    for unit in units:
        if unit.status != "ok" and unit.variant.codec.id in codecs:
            announce(f"{unit.name} × {unit.spec.id}: {unit.status}: {unit.reason}")
    announce(f"this is kept: run {run.id}")
    first, second = halves(run)
    if kind == "version" and not alone:
        return second, replace(first, name=first.name or "the usual version")
    return first, second


def _as_version(text: str) -> str:
    """A version as ``--version`` has it, whose paths have a slash or begin with a dot."""
    return f"./{text}" if Path(text).exists() and not is_path(text) else text


def _kind_of(option: str, text: str, versioned: bool) -> Kind:
    """Return the kind of edition that an option names, where all codecs are ``versioned`` by their package
    managers, or not; raise SelectionError where it names nothing."""
    if Path(text).exists():
        return "version" if versioned else "prefix"
    if versioned and not is_path(text) and _is_version(text):
        return "version"
    if not INSTALLED and commit_of(Paths.default().project, text):
        return "revision"
    version = ", no version" if versioned else ""
    raise SelectionError(
        f"{option} {text}: there is no such file or folder{version} and no git revision; "
        "expected one that there is"
    )


def _is_version(text: str) -> bool:
    """Whether a text may be a version of a package manager: a number with a dot, or a word for one."""
    return text in (LATEST, PREVIOUS) or bool(re.match(r"v?\d+\.", text))
