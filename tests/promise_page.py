"""Writes the text of ``docs/laboratory/promises.md``: what the documents of formats promise for messages
whose schema changes, and what was seen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.promised import DOCUMENTS
from tests.promised_buf import CATEGORIES, LEFT_OUT
from tests.promised_protobuf import PROTOBUF
from tests.promises import Document, Rule, stored
from tests.surprises import SURPRISES, Surprise

from serbench.paths import PROJECT
from serbench.report.evolution_table import MARKS

PAGE = PROJECT / "docs" / "laboratory" / "promises.md"
WIDTH = 110

SHORT = {
    "c/protobuf_c:heap": "protobuf_c",
    "cpp/protobuf:default": "C++",
    "python/betterproto2": "betterproto",
    "go/capnproto:unpacked": "Go",
    "go/flatbuffers": "Go",
    "go/protobuf:official": "Go",
    "go/thrift:binary": "Go",
    "javascript/flatbuffers": "JavaScript",
    "javascript/thrift:binary": "JavaScript",
    "jvm/protobuf_java": "Java",
    "javascript/protobufjs:static": "protobufjs",
    "python/flatbuffers:plain": "Python",
    "python/protobuf": "Python",
    "python/thrift:binary": "Python",
    "python/thrift:compact": "Python, compact",
    "python/protobuf, JSON form": "JSON",
    "python/avro, bytes alone": "avro alone",
    "python/fastavro, bytes alone": "fastavro alone",
}
"""The heading of a variant's column, where it is not the name of its codec."""

HEAD = """# What documents promise

**Formats whose schemas change have rules for it in their documents. Does what they promise hold, rule by
rule? Does what they warn of happen?**

## How it was seen

    ./serbench test tests/test_promises.py

Each rule is a record of the schema, with values. A program of the schema before the change and one of the
schema after it read each other's messages, as in `verify --evolution`, and what they read is compared with
what the rule says that a reader has. This page is written by `tests/promise_page.py`; the rules stand in
`tests/promised_*.py`, and what was seen, with the versions of the libraries, in
[promises.json](promises.json), which is made anew by

    SERBENCH_UPDATE_GOLDEN=1 ./serbench test --all tests/test_promises.py

The column *says* has what the document promises. A cell has the outcome for the new schema that reads old
messages, and then for the old one that reads new messages:

| mark | outcome |
| --- | --- |
| `✓` | the reader has what the rule says |
| `○` | an empty value or a default in place of another one |
| `✗` | an error |
| `!` | another value, without an error |
| `†` | a crash |
| `~` | said: that the change is not safe, or nothing; never seen |
| `·` | nothing to read in this direction, or the codec cannot have the schema |
"""

BUF_HEAD = """## Buf's rules for breaking changes

`buf breaking` refuses changes of Protocol Buffers' schemas by rules in categories. WIRE is about
messages; WIRE_JSON is also about their JSON form, and FILE about generated code. What WIRE refuses, the
others refuse, and so on. The column *Buf* has the first of the three that refuses the change; the others have
what was seen. JSON is the form of Python's `json_format`, which writes a message as JSON and reads it with
the other schema.
"""

SURPRISES_HEAD = """## Ten outcomes that surprise

Each was seen by the command that stands with it; the source says why.
"""


def page() -> str:
    """The text of the page."""
    seen = stored()
    parts = [HEAD, *(_document(each, seen.get(each.format, {})) for each in DOCUMENTS.values())]
    parts += [
        _buf(seen.get(PROTOBUF.format, {}), seen["buf"]),
        SURPRISES_HEAD + "".join(map(_surprise, SURPRISES)),
    ]
    return "\n".join(parts)


def marks(outcomes: Sequence[str]) -> str:
    """The marks of the outcomes of both directions."""
    known: dict[str, str] = {"unsafe": "~", "": "·"} | {str(word): mark for word, mark in MARKS.items()}
    return "".join(known[each] for each in outcomes)


def _document(document: Document, seen: Mapping[str, Any]) -> str:
    shown = [id for id in (*document.variants, *document.besides) if id in seen]
    rows = [
        [f"`{rule.name}`", marks(rule.promised), *(_cell(rule.name, seen[id]) for id in shown)]
        for rule in document.rules
    ]
    lines = [f"## {document.name}", "", *textwrap.wrap(f"Document: {document.title}.", WIDTH), ""]
    if document.note:
        lines += [*textwrap.wrap(document.note, WIDTH), ""]
    lines += [*_table(["rule", "says", *map(short, shown)], rows), ""]
    lines += [line for rule in document.rules for line in _item(f"`{rule.name}`: {rule.says}.")]
    if document.differences:
        lines += ["", "Where it is not as promised:", ""]
        for each in document.differences:
            names = ", ".join(short(id) for id in document.variants if each.is_of(each.rule, id))
            lines += _item(f"`{each.rule}`, {names}: {each.why}")
    lines += ["", "Not tried:", "", *(line for each in document.left_out for line in _item(f"{each}."))]
    return "\n".join([*lines, "", *_versions(shown, seen)]) + "\n"


def _cell(rule: str, found: Mapping[str, Any]) -> str:
    return marks(found["outcomes"].get(rule, ["", ""]))


def short(id: str) -> str:
    """The heading of a variant's column."""
    return SHORT.get(id, id.partition("/")[2])


def _versions(shown: Sequence[str], seen: Mapping[str, Any]) -> list[str]:
    named = ", ".join(f"{short(id)} {seen[id]['version']}".rstrip() for id in shown)
    return textwrap.wrap(f"Seen with: {named}.", WIDTH)


def _buf(seen: Mapping[str, Any], judged: Mapping[str, Any]) -> str:
    shown = [id for id in (*PROTOBUF.variants, *PROTOBUF.besides) if id in seen]
    refused: Mapping[str, Mapping[str, Sequence[str]]] = judged["refused"]
    rows = [
        [
            f"`{rule.name}`",
            next((category for category in CATEGORIES if refused[rule.name][category]), ""),
            *(_cell(rule.name, seen[id]) for id in shown),
        ]
        for rule in PROTOBUF.rules
    ]
    lines = [BUF_HEAD, *_table(["change", "Buf", *map(short, shown)], rows), ""]
    by: dict[str, list[str]] = {}
    for name, categories in refused.items():
        for each in sorted({each for found in categories.values() for each in found}):
            by.setdefault(each, []).append(f"`{name}`")
    lines += [line for each in sorted(by) for line in _item(f"`{each}` refuses {', '.join(by[each])}.")]
    lines += ["", "Nothing is tried for:", ""]
    lines += [line for each, why in LEFT_OUT.items() for line in _item(f"`{each}`: {why}.")]
    return "\n".join([*lines, "", f"Judged by Buf {judged['version']}."]) + "\n"


def _surprise(each: Surprise) -> str:
    lines = [*textwrap.wrap(f"**{each.says}**", WIDTH), "", f"    {each.command}", ""]
    lines += [*textwrap.wrap(f"{each.told} Source: {each.source}.", WIDTH), ""]
    return "\n" + "\n".join(lines)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---' for _ in headings)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False)


def is_as_promised(rule: Rule, outcomes: Sequence[str]) -> bool:
    """Whether the outcomes of a rule are the promised ones; a warning alone promises none."""
    pairs = zip(rule.promised, outcomes, strict=True)
    return all(promise in ("unsafe", outcome) for promise, outcome in pairs)
