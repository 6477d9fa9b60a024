"""Makes ``codecs/evolution.json`` and ``docs/evolution-by-codec.md`` of what ``verify --evolution`` found.

``python -m tests.evolution_page FILE...`` takes the outcomes in files that ``verify --evolution --format
json`` wrote in place of those of the same codecs, and keeps the others, so that each language can be run by
itself.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.codec_page import GROUPS, WIDEST, WITHOUT_LIBRARY, Column, evenly, shown

from serbench.changes.catalogue import MEANINGS, word_of
from serbench.codecs.codec import Variant
from serbench.languages import languages
from serbench.paths import PROJECT, Paths
from serbench.report.evolution_table import MARKS
from serbench.selecting.catalogue import load_variants
from serbench.selecting.evolved import FILE, SeenCodec, SeenEvolution, load_evolution
from serbench.system.whole import write_atomically
from serbench.verification.evolution import OUTCOMES
from serbench.workload import load_workloads

PAGE = PROJECT / "docs" / "evolution-by-codec.md"
STORED = PROJECT / "codecs" / FILE
WORKLOAD = "evolving"
COMMAND = f"./serbench verify --evolution -w {WORKLOAD} -c 'LANGUAGE/*' --format json > LANGUAGE.json"
BEHIND = {"adapter": "a", "schema": "s"}
"""The mark behind an outcome that is not the library's, by whom it is due to."""
NOT_SEEN = "?"
KEEPS_UNKNOWN = "keeps unknown fields"
WRAPPED: Any = {"width": 106, "break_long_words": False, "break_on_hyphens": False}

HEAD = f"""# Evolution by codec

What becomes of messages when a schema changes: what programs of a new schema read of old messages, and what
programs of the old schema read of new ones. All of it was seen: for each codec, a program of each schema was
built, and messages were handed from one to the other. No documentation was asked. This page is written by
`tests/evolution_page.py`.

The schema is that of the workload `{WORKLOAD}` (`workloads/{WORKLOAD}.py`): it has a record for each change,
and each message has one of these records. A reader gets the bytes, and beside them the writer's schema where
its library reads with both.

In each cell, the first sign is for a new program that reads old messages, and the second one for an old
program that reads new messages. A third sign is for new messages that an old program reads and writes again,
and a new one reads then:

{{legend}}
- `{BEHIND["adapter"]}` behind a sign: it is so by our adapter, and not by the library.
- `{BEHIND["schema"]}` behind a sign: the reader's schema cannot hold what the message has: a field that it
  demands is missing or of another kind, or a value has no place in it. Code of ours says so, as any has to.

The worst outcome of all messages counts; besides made-up ones, they have edge values of each type. How it is
done, and what the outcomes mean, is in [decision 064](decisions/064-evolution.md) and
[069](decisions/069-evolving.md). `--need evolution` takes codecs that keep `add` and `drop` in both
directions; `--need evolution=add+rename` those that keep these changes. Codecs without a library
({", ".join(f"`{each}`" for each in WITHOUT_LIBRARY)}) are left out.

The last line of each table says whether a program of the old schema keeps an added field, which it does not
know, when it writes again what it has read: the third sign of `add`. `--need unknown_fields` takes codecs
that do.

What was seen, with which version, is in `codecs/{FILE}`. It is made anew, language by language, by

    {COMMAND}
    .venv/bin/python -m tests.evolution_page LANGUAGE.json

The changes, of which `add` and `drop` are of an optional field:

{{changes}}
"""


def declared() -> dict[str, str]:
    """The changes that the workload declares, by their names."""
    return dict(load_workloads(Paths.default().workloads)[WORKLOAD].changes)


def merged(
    known: SeenEvolution, records: Iterable[Mapping[str, Any]], changes: Mapping[str, str]
) -> SeenEvolution:
    """All that is known, with outcomes as ``verify`` tells them, in place of those of the same codecs.
    Outcomes that say nothing of the codec are left out, those of readers without the writer's schema
    where their library reads with it, and those of readers of another codec's messages."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    versions: dict[str, str] = {}
    for each in records:
        if each["outcome"] == "not tried" or each.get("writer_schema") is False or "reader" in each:
            continue
        by = each.get("by") or "library"
        word = (
            each["outcome"] if by == "library" or each["outcome"] == "kept" else f"{each['outcome']} by {by}"
        )
        told = found.setdefault(each["codec"], {}).setdefault(each["direction"], {})
        told.setdefault(word, []).append(each["change"])
        versions[each["codec"]] = each.get("version", "")
    seen = {
        codec: SeenCodec(
            versions[codec],
            {way: {w: tuple(names) for w, names in told.items()} for way, told in own.items()},
        )
        for codec, own in found.items()
    }
    return SeenEvolution(dict(changes), dict(sorted({**known.codecs, **seen}.items())))


def dump(evolution: SeenEvolution) -> str:
    """The text of the file: a line for each codec, direction and outcome."""
    text = json.dumps(msgspec.to_builtins(evolution), indent=1)
    return re.sub(r"\[[^]]*\]", lambda found: "[" + " ".join(found[0][1:-1].split()) + "]", text) + "\n"


def page(variants: Sequence[Variant], evolution: SeenEvolution) -> str:
    """The whole text of the page."""
    used = {
        word.partition(" by ")[0]
        for s in evolution.codecs.values()
        for own in s.outcomes.values()
        for word in own
    }
    legend = [
        f"- `{MARKS[word]}` **{word}**: {meaning}." for word, meaning in OUTCOMES.items() if word in used
    ]
    legend.append(f"- `{NOT_SEEN}` not tried, or something else failed.")
    changes = [
        textwrap.fill(
            f"- **{name}**: {MEANINGS[word_of(text)]} (`{text}`)", subsequent_indent="  ", **WRAPPED
        )
        for name, text in evolution.changes.items()
    ]
    parts = [HEAD.format(legend="\n".join(legend), changes="\n".join(changes))]
    libraries = shown(variants)
    for name, language in languages().items():
        own = [v for v in libraries if v.codec.language == name and v.id in evolution.codecs]
        if own:
            title = language.traits.title.removeprefix("the ")
            parts += [f"## {title}\n", *_language(own, evolution)]
    missing = [variant.id for variant in libraries if variant.id not in evolution.codecs]
    if missing:
        parts.append(textwrap.fill(f"Not tried: {', '.join(missing)}.", **WRAPPED) + "\n")
    return "\n".join(parts)


def _language(variants: Sequence[Variant], evolution: SeenEvolution) -> Iterator[str]:
    groups: dict[str, list[Column]] = {title: [] for title in GROUPS.values()}
    for codec in {v.codec.id: v.codec for v in variants}.values():
        title = next(title for feature, title in GROUPS.items() if not feature or codec.features[feature])
        alike: dict[tuple[str, ...], list[Variant]] = {}
        for variant in variants:
            if variant.codec.id == codec.id:
                alike.setdefault(_cells(evolution, evolution.codecs[variant.id]), []).append(variant)
        groups[title] += [Column(tuple(own), cells) for cells, own in alike.items()]
    every = [column for columns in groups.values() for column in columns]
    for title, columns in ({"": every} if len(every) <= WIDEST else groups).items():
        yield from [f"### {title}\n"] if title and columns else []
        for some in evenly(columns):
            rows = [["Change", *(c.title for c in some)], ["---"] * (1 + len(some))]
            heads = [*evolution.changes, KEEPS_UNKNOWN]
            rows += [[name, *(c.cells[n] for c in some)] for n, name in enumerate(heads)]
            yield "".join(f"| {' | '.join(row)} |\n" for row in rows)
    versions = {v.codec.name: evolution.codecs[v.id].version for v in variants}
    named = ", ".join(f"{name} {version}".rstrip() for name, version in versions.items())
    yield textwrap.fill(f"Seen with: {named}.", **WRAPPED) + "\n"


def _cells(evolution: SeenEvolution, seen: SeenCodec) -> tuple[str, ...]:
    def mark(change: str, direction: str) -> str:
        for word, changes in seen.outcomes.get(direction, {}).items():
            if change in changes:
                outcome, _, by = word.partition(" by ")
                return MARKS[outcome] + BEHIND.get(by, "")  # type: ignore[index]  # a word of OUTCOMES
        return NOT_SEEN

    directions = ["backward", "forward", *(["through"] if "through" in seen.outcomes else [])]
    keeps = {True: "yes", False: "no", None: NOT_SEEN}[seen.keeps_unknown]
    if seen.of("add", "through") == "impossible":
        keeps = MARKS["impossible"]
    return (*("".join(mark(change, way) for way in directions) for change in evolution.changes), keeps)


def main(files: Sequence[str]) -> None:
    """Take in the outcomes of files, and write the stored file and the page."""
    evolution = load_evolution(STORED.parent)
    for file in files:
        evolution = merged(evolution, json.loads(Path(file).read_text()), declared())
    write_atomically(STORED, dump(evolution))
    write_atomically(PAGE, page(list(load_variants(PROJECT / "codecs").values()), evolution))


if __name__ == "__main__":
    main(sys.argv[1:])
