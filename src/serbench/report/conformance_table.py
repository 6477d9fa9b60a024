"""The table of how codecs keep to the specification of their format: sections in columns, cases below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from serbench.errors import in_short
from serbench.report.gathering import gathered
from serbench.report.table import Table
from serbench.selecting.conformance import Catalogue
from serbench.verification.conformance import WORDS, Outcome, Word

_FINDINGS: tuple[Word, ...] = ("crash", "hang", "differs", "accepts", "rejects")
"""The outcomes that are told below the table, the worst first."""


def conformance_table(catalogue: Catalogue, outcomes: Sequence[Outcome]) -> Table:
    """One row for each codec: of the cases of each section that the specification decides and the codec can
    have, how many it does as it says. Below are the others, by case."""
    sections = list(dict.fromkeys(case.section for case in catalogue.cases))
    by_codec = gathered((each.codec, each) for each in outcomes)
    rows = [
        [codec, *(_share([each for each in own if each.case.section == of]) for of in sections), _form(own)]
        for codec, own in by_codec.items()
    ]
    title = (
        f"{catalogue.format}: what codecs do with {len(catalogue.cases)} cases of {catalogue.specification}"
    )
    notes = [
        "Cases that conform of those that the specification decides, by its section. The adapter that is "
        "timed reads and writes them. Preferred form: of the values of which the specification says how they "
        "are better written, how many are written so.",
        *_findings(outcomes),
        *_left_open(outcomes),
        *_denied(outcomes),
        *_not_tried(outcomes),
    ]
    return Table(
        title, ["codec", *sections, "preferred form"], rows, frozenset(range(1, 2 + len(sections))), notes
    )


def record_of(catalogue: Catalogue, outcome: Outcome) -> dict[str, Any]:
    """An outcome in plain values, for ``--format json``; ``expected`` is the profile's verdict."""
    return {
        "codec": outcome.codec,
        "format": catalogue.format,
        "profile": catalogue.profile,
        "specification": catalogue.specification,
        "section": outcome.case.section,
        "case": outcome.case.name,
        "direction": "write" if outcome.case.is_written else "read",
        "expected": outcome.case.verdict,
        "outcome": outcome.word,
        "reason": outcome.reason,
        "preferred": outcome.preferred,
        "denied": outcome.denied,
        "version": outcome.version,
    }


def _share(outcomes: Sequence[Outcome]) -> str:
    decided = [
        each for each in outcomes if each.case.verdict != "may" and each.word not in ("none", "not tried")
    ]
    return f"{sum(each.word == 'conforms' for each in decided)}/{len(decided)}" if decided else "–"


def _form(outcomes: Sequence[Outcome]) -> str:
    written = [each.preferred for each in outcomes if each.preferred is not None]
    return f"{sum(written)}/{len(written)}" if written else "–"


def _findings(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The cases that do not conform, the worst outcomes first, each with its codecs."""
    found = gathered(
        ((each.word, each.case.section, each.case.name), each) for each in outcomes if each.word in _FINDINGS
    )
    for (word, section, name), own in sorted(found.items(), key=lambda item: _FINDINGS.index(item[0][0])):
        by_reason = gathered((_short(each), each.codec) for each in own)
        told = "; ".join(
            f"{', '.join(codecs)}{f' ({reason})' if reason and word != 'rejects' else ''}"
            for reason, codecs in by_reason.items()
        )
        yield f"{section}, {name}: {WORDS[word]}: {told}"


def _left_open(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The cases that the specification leaves open, with what codecs do."""
    found = gathered(
        ((each.case.section, each.case.name), each)
        for each in outcomes
        if each.case.verdict == "may" and each.word == "conforms"
    )
    for (section, name), own in found.items():
        does = gathered(
            (_short(each) if each.reason.startswith(("reads", "writes")) else "refuses", each.codec)
            for each in own
        )
        told = "; ".join(f"{what}: {', '.join(codecs)}" for what, codecs in does.items())
        yield f"{section}, {name} (left open): {told}"


def _denied(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The checks that codecs declare and do not make, with the messages that they read all the same."""
    found = gathered(((each.denied, each.codec), each.case.name) for each in outcomes if each.denied)
    for (check, codec), names in found.items():
        yield f"{codec}: its codec.toml declares the check {check}, but it reads: {'; '.join(names)}"


def _not_tried(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for word in ("not tried", "none"):
        found = gathered(
            ((each.codec, _short(each)), each.case.name) for each in outcomes if each.word == word
        )
        for (codec, reason), names in found.items():
            yield f"{codec}: {WORDS[word]} ({len(names)} cases): {reason}"


def _short(outcome: Outcome) -> str:
    return in_short(outcome.reason).partition("\n")[0]
