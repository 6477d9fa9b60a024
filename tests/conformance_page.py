"""Makes ``codecs/conformance.json`` and ``docs/conformance/by-codec.md`` of what ``verify --conformance``
found.

``python -m tests.conformance_page FILE...`` takes the outcomes in files that ``verify --conformance --format
json`` wrote in place of those of the same codecs, and keeps the others, so that each language can be run by
itself. It leaves out what was seen with other cases than the catalogues have, and ends where a codec reads a
message that its ``checks`` refuse.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from serbench.codecs.codec import Variant
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conformance import load_catalogues
from serbench.selecting.conforming import (
    CONFORMS,
    FILE,
    NONE,
    NOT_TRIED,
    OPEN,
    HeldCodec,
    SeenConformance,
    load_conformance,
)
from serbench.system.whole import write_atomically

PAGE = PROJECT / "docs" / "conformance" / "by-codec.md"
STORED = PROJECT / "codecs" / FILE
COMMAND = "./serbench verify --conformance -c 'LANG/*' --format-profile '*:*' --format json > LANG.json"
FAULTS = ("differs", "accepts", "rejects", "crash", "hang")
DENIED = "{codec}: declares the check {denied} but reads '{case}': correct checks in its codec.toml first"
NEARLY_ALL = 9
"""How many cases of a section conform for each that does not, at least, for it not to stand in bold."""
WRAPPED: Any = {"width": 106, "break_long_words": False, "break_on_hyphens": False}

HEAD = f"""# Conformance by codec

How many cases of its format's specification come out of each codec as the specification says, when the
adapter that is timed reads and writes them. [How a case is made](../conformance.md) is told elsewhere, as are
the findings. This page is written by `tests/conformance_page.py`, from `codecs/{FILE}`, which has the
numbers of each section. It is made anew, language by language, by

    {COMMAND}
    .venv/bin/python -m tests.conformance_page LANG.json

- **decided**: of the cases that the specification decides and of which the codec has a message, how many
  conform. `--need conformant` takes codecs with which all do, `--need conformant=json` those of that format.
- **differs**: it reads another value, or writes other bytes; **accepts**: it reads what is no message;
  **rejects**: it refuses a message, or a value; **crash**, **hang**: its process ends, or does not.
- **open**: the specification leaves it open.
- **none**: there is no such message for this codec, such as one that writes 64 bits as text.
- Behind these, where a format has [profiles](../conformance.md#profiles), how many cases come out as each of
  them says, of how many that it decides; `--need conformant=json:i-json` takes codecs with which all do.

The second table of a format has its sections: ✓ where each case that is decided conforms, else how many do of
how many, in bold where more than a tenth does not; – where none is decided for this codec.

It is true of the version that stands beside it. What a library does there may be by how our adapter calls it.
"""


def catalogued() -> SeenConformance:
    """The number of cases in each section of each catalogue, and its profiles; no codec yet."""
    catalogues = load_catalogues(PROJECT / "conformance")
    return SeenConformance(
        {format: dict(Counter(case.section for case in each.cases)) for format, each in catalogues.items()},
        {
            format: {name: by.specification for name, by in each.by_profile.items()}
            for format, each in catalogues.items()
        },
    )


def merged(
    known: SeenConformance, records: Iterable[Mapping[str, Any]], there: SeenConformance
) -> SeenConformance:
    """All that is known, with outcomes as ``verify`` tells them in place of those of the same codecs; without
    codecs that were run with other cases than the catalogues have, or not at all, and without profiles that
    are no more."""
    counts: dict[str, dict[str, dict[str, Counter[str]]]] = {}
    of: dict[str, tuple[str, str]] = {}
    for each in records:
        if each.get("denied"):
            raise SystemExit(DENIED.format(**each))
        is_open = each["expected"] == "may" and each["outcome"] == CONFORMS
        sections = counts.setdefault(each["codec"], {}).setdefault(each["profile"], {})
        sections.setdefault(each["section"], Counter())[OPEN if is_open else each["outcome"]] += 1
        of[each["codec"]] = (each["format"], each["version"])
    every = dict(known.codecs)
    for codec, profiles in counts.items():
        own, *_ = there.profiles[of[codec][0]]
        outcomes = {name: dict(sorted(words.items())) for name, words in profiles.pop(own, {}).items()}
        totals = {name: sum(words.values(), Counter()) for name, words in profiles.items()}
        every[codec] = HeldCodec(
            *of[codec], outcomes, {name: dict(sorted(words.items())) for name, words in totals.items()}
        )
    kept = {name: _whole(own, there) for name, own in sorted(every.items()) if is_whole(own, there)}
    return SeenConformance(there.formats, there.profiles, kept)


def is_whole(held: HeldCodec, there: SeenConformance) -> bool:
    """Whether a codec was run with as many cases of each section as its catalogue has."""
    own = {section: sum(words.values()) for section, words in held.outcomes.items()}
    run = sum(own.values()) - held.number(NOT_TRIED)
    return run > 0 and own == there.formats.get(held.format)


def _whole(held: HeldCodec, there: SeenConformance) -> HeldCodec:
    """A codec's outcomes without those of profiles that are no more, or had another number of cases."""
    cases = sum(there.formats[held.format].values())
    kept = {
        name: held.profiles[name]
        for name in there.profiles[held.format]
        if name in held.profiles and sum(held.profiles[name].values()) == cases
    }
    return msgspec.structs.replace(held, profiles=kept)


def dump(seen: SeenConformance) -> str:
    """The text of the file: a line for each section."""
    text = json.dumps(msgspec.to_builtins(seen), indent=1)
    return re.sub(r"\{[^{}]*\}", lambda found: "{" + " ".join(found[0][1:-1].split()) + "}", text) + "\n"


def page(variants: Sequence[Variant], seen: SeenConformance) -> str:
    """The whole text of the page."""
    return "\n".join([HEAD, *_formats(variants, seen)])


def _formats(variants: Sequence[Variant], seen: SeenConformance) -> Iterator[str]:
    for format, sections in seen.formats.items():
        own = {v.id: seen.codecs[v.id] for v in variants if v.format == format and v.id in seen.codecs}
        missing = [v.id for v in variants if v.format == format and v.id not in seen.codecs]
        yield f"## {format}, {sum(sections.values())} cases\n"
        if own:
            profiles = [*seen.profiles[format]][1:]
            heads = ["codec", "version", "decided", *FAULTS, OPEN, NONE, *profiles]
            rows = [heads, ["---"] * len(heads), *(_row(name, held, profiles) for name, held in own.items())]
            yield _table(rows)
            names = [*sections]
            lines = [
                ["codec", *names],
                ["---"] * (1 + len(names)),
                *(_map_row(name, own[name], names) for name in own),
            ]
            yield f'<div class="map" markdown>\n\n{_table(lines)}\n</div>\n'
        if missing:
            yield textwrap.fill(f"Not known, since not run: {', '.join(missing)}.", **WRAPPED) + "\n"


def _table(rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _map_row(codec: str, held: HeldCodec, sections: Iterable[str]) -> list[str]:
    """A codec's line in the map of sections: in each, how many cases conform of those that are decided. The
    site shades what is not whole, the more so what is in bold."""
    row = [codec]
    for section in sections:
        good, decided = held.decided(section)
        mark = "*" if good >= NEARLY_ALL * (decided - good) else "**"
        row.append(f"{mark}{good}/{decided}{mark}" if decided > good else "✓" if good else "–")
    return row


def _row(codec: str, held: HeldCodec, profiles: Iterable[str]) -> list[str]:
    good, bad = held.number(CONFORMS), [held.number(word) for word in FAULTS]
    left = [str(number) if number else "" for number in (*bad, held.number(OPEN), held.number(NONE))]
    by = ["/".join(map(str, held.decided_by(each) or ())) or "not known" for each in profiles]
    return [codec, held.version, f"{good}/{good + sum(bad)}", *left, *by]


def main(files: Sequence[str]) -> None:
    """Take in the outcomes of files, and write the stored file and the page."""
    seen = load_conformance(STORED.parent)
    there = catalogued()
    for file in files:
        seen = merged(seen, json.loads(Path(file).read_text()), there)
    seen = merged(seen, [], there)
    write_atomically(STORED, dump(seen))
    write_atomically(PAGE, page(list(load_variants(PROJECT / "codecs").values()), seen))


if __name__ == "__main__":
    main(sys.argv[1:])
