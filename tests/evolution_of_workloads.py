"""Makes ``docs/evolution-of-workloads.json`` and ``.md`` of what ``verify --evolution`` found for workloads
that do not declare changes.

``python -m tests.evolution_of_workloads FILE...`` takes the outcomes in files that ``verify --evolution
--format json`` wrote in place of those of the same codecs and changes, and keeps the others, so that each
language can be run by itself.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from tests.evolution_page import BEHIND, NOT_SEEN, WRAPPED
from tests.surprises_of_workloads import SURPRISES, Surprise

from serbench.changes.catalogue import KINDS, MEANINGS, word_of
from serbench.languages import languages
from serbench.paths import PROJECT
from serbench.report.evolution_table import MARKS
from serbench.system.whole import write_atomically
from serbench.verification.evolution import OUTCOMES

PAGE = PROJECT / "docs" / "evolution-of-workloads.md"
STORED = PAGE.with_suffix(".json")
COMMAND = "./serbench verify --evolution -w WORKLOAD -c LANGUAGE/popular --format json > FILE.json"

HEAD = f"""# Evolution of two workloads

What becomes of the messages of two real schemas when these change, with the codec of each format that is
best known in its language. [Evolution by codec](evolution-by-codec.md) has all codecs with a schema that is
made for this; here a change is inside lists, inside records and at the root, as it comes in a schema that
people use.

`monsters` is a list of monsters as games have them; `telemetry` has the spans of a tracing system. Of each
kind of change there is the first one that the schema and its messages can have. This page is written by
`tests/evolution_of_workloads.py`, and made anew, file by file, by

    {COMMAND}
    .venv/bin/python -m tests.evolution_of_workloads FILE.json

In each cell, the first sign is for a new program that reads old messages, the second one for an old program
that reads new messages, and the third one for new messages that an old program reads and writes again, and a
new one reads then. Avro's readers have the writer's schema.

{{legend}}
- `{BEHIND["adapter"]}` behind a sign: it is so by our adapter, and not by the library.
- `{BEHIND["schema"]}` behind a sign: the reader's schema cannot hold what the message has.

The worst outcome of all messages counts; besides the workload's own, they have edge values of each type. So
a wider number is refused by old programs for its greatest values alone.

## Thirteen outcomes that surprise

Each stands in the tables below; the source says why.

{{surprises}}"""


class Seen(msgspec.Struct):
    """The outcomes of a codec with a workload.

    Attributes:
        version: the version of its library; empty where it is not known.
        day: the day on which the last of them was seen.
        cells: change → the signs of all directions.
    """

    version: str
    day: str
    cells: dict[str, str]


Stored = dict[str, dict[str, Seen]]
"""Workload → codec variant → its outcomes."""


def load() -> Stored:
    """The stored outcomes; none where there is no file."""
    return msgspec.json.decode(STORED.read_bytes(), type=Stored) if STORED.exists() else {}


def dump(stored: Stored) -> str:
    return json.dumps(msgspec.to_builtins(stored), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def merged(stored: Stored, records: Iterable[Mapping[str, Any]], day: str) -> Stored:
    """The stored outcomes, with those of records, as ``verify`` writes them, in place of those of the same
    codecs and changes. Changes of which a direction was not tried, and readers without the writer's schema
    where their library reads with it, are left out."""
    cells: dict[tuple[str, str, str], list[str]] = {}
    versions: dict[str, str] = {}
    for each in records:
        if each.get("writer_schema") is not False:
            mark = MARKS[each["outcome"]] + BEHIND.get(each["by"], "")
            cells.setdefault((each["workload"], each["codec"], each["change"]), []).append(mark)
            versions[each["codec"]] = each["version"]
    found = {name: dict(codecs) for name, codecs in stored.items()}
    for (workload, codec, change), marks in cells.items():
        if len(marks) == 3 and NOT_SEEN not in marks:
            own = found.setdefault(workload, {})
            known = own[codec].cells if codec in own else {}
            own[codec] = Seen(versions[codec], day, {**known, change: "".join(marks)})
    return found


def page(stored: Stored) -> str:
    """The text of the page."""
    used = {
        sign
        for codecs in stored.values()
        for seen in codecs.values()
        for sign in "".join(seen.cells.values())
    }
    legend = [
        f"- `{MARKS[word]}` **{word}**: {told}." for word, told in OUTCOMES.items() if MARKS[word] in used
    ]
    if any(len({len(seen.cells) for seen in codecs.values()}) > 1 for codecs in stored.values()):
        legend.append(f"- `{NOT_SEEN}` not tried yet.")
    surprises = "\n".join("\n".join(_surprise(n, each)) for n, each in enumerate(SURPRISES, 1))
    parts = [HEAD.format(legend="\n".join(legend), surprises=surprises) + "\n"]
    for workload, codecs in sorted(stored.items()):
        parts += [f"## {workload}\n", *_workload(codecs)]
    return "\n".join(parts)


def _surprise(number: int, each: Surprise) -> Iterator[str]:
    marked: Any = {"initial_indent": f"{number}. ", "subsequent_indent": "   "}
    yield from textwrap.wrap(f"**{each.says}** {each.told}", **WRAPPED, **marked)
    shown = ", ".join(f"{codec} {marks}" for codec, marks in each.cells.items())
    seen = f"`{each.workload}`, `{each.change}`: {shown}. Source: {each.source}."
    yield from textwrap.wrap(seen, **WRAPPED, initial_indent="   ", subsequent_indent="   ")


def _workload(codecs: Mapping[str, Seen]) -> Iterator[str]:
    texts = {change: None for seen in codecs.values() for change in seen.cells}
    changes = sorted(texts, key=lambda text: list(KINDS).index(word_of(text)))
    for text in changes:
        yield from textwrap.wrap(
            f"- **{word_of(text)}**: {MEANINGS[word_of(text)]} (`{text}`)", **WRAPPED, subsequent_indent="  "
        )
    yield ""
    missing = []
    for name, language in languages().items():
        title = language.traits.title.removeprefix("the ")
        own = {codec: seen for codec, seen in codecs.items() if codec.startswith(f"{name}/")}
        if not own:
            missing.append(title)
            continue
        yield f"### {title}\n"
        rows = [["Change", *(codec.partition("/")[2] for codec in own)], ["---"] * (1 + len(own))]
        rows += [
            [word_of(text), *(seen.cells.get(text, NOT_SEEN) for seen in own.values())]
            for text in changes
            if any(text in seen.cells for seen in own.values())
        ]
        yield "".join(f"| {' | '.join(row)} |\n" for row in rows)
        yield "\n".join(textwrap.wrap(_seen_with(own), **WRAPPED)) + "\n"
    if missing:
        yield f"Not tried yet: {', '.join(missing)}.\n"


def _seen_with(codecs: Mapping[str, Seen]) -> str:
    named = (f"{codec.partition('/')[2]} {seen.version}".rstrip() for codec, seen in codecs.items())
    days = sorted({seen.day for seen in codecs.values()})
    return f"Seen on {' and '.join(days)} with: {', '.join(named)}."


def main(files: Sequence[str]) -> None:
    """Take in the outcomes of files, and write the stored file and the page."""
    stored = load()
    for file in files:
        stored = merged(stored, json.loads(Path(file).read_text()), date.today().isoformat())
    write_atomically(STORED, dump(stored))
    write_atomically(PAGE, page(load()))


if __name__ == "__main__":
    main(sys.argv[1:])
