"""The page of each codec: what its ``codec.toml`` declares and what was verified of it, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from serbench.codecs.codec import ALL_FEATURES, CHECKS, HARMS, WAYS, Codec, Inability, Variant
from serbench.languages import languages
from serbench.model import Schema, i64
from serbench.model.kinds import KINDS, WRITTEN_NAME, schema_of
from serbench.paths import PROJECT
from serbench.site.markdown import code, listed, plain, table
from serbench.selecting.suite import Suite
from serbench.selecting.conforming import CONFORMS, NONE, OPEN, load_conformance
from serbench.selecting.evolved import DIRECTIONS, features_of, load_evolution

VERIFIED = PROJECT / "docs" / "types-by-codec.json"

_STATUSES = ("by the library's own means", "expressed by other types", "not possible", "not verified")

T = TypeVar("T")


def uri(codec: Codec) -> str:
    """The path of a codec's page, below ``docs``."""
    return f"codecs/{codec.id}.md"


def page(codec: Codec, codecs: Mapping[str, Codec], suites: Mapping[str, Suite]) -> str:
    """Write the page of a codec, as Markdown.

    Args:
        codecs: all codecs by id, of which those of the same format are linked.
        suites: all published tables, of which the rows that this codec stands for are named.
    """
    return "\n".join(
        [
            f"---\ntitle: {codec.id}\n---\n\n# {codec.id}\n",
            f"{plain(codec.summary)}.\n",
            *_facts(codec, codecs),
            *_variants(codec),
            *_reading(codec),
            *_mapping(codec),
            *_types(codec),
            *_cannot(codec),
            *_features(codec),
            *_conformance(codec),
            *_changes(codec),
            *_layouts(codec),
            *_faults(codec),
            *_published(codec, suites),
            *_try(codec),
        ]
    )


def _facts(codec: Codec, codecs: Mapping[str, Codec]) -> Iterator[str]:
    variants = codec.variants.values()
    versions = sorted({each for v in variants if (each := _verified(v.id).get("version"))})
    rows = [
        ["Library", f"<{codec.homepage}>"],
        ["Licence", plain(codec.licence)],
        ["Version verified", listed(versions) or "none: it was not installed when types were last verified"],
        ["Format", ", ".join(code(each) for each in dict.fromkeys(v.format for v in variants))],
    ]
    others = [each for each in codecs.values() if each.id != codec.id and _formats(each) & _formats(codec)]
    if others:
        rows.append(["Same format", ", ".join(f"[{each.id}](../{each.id}.md)" for each in others)])
    for manager, packages in codec.install.items():
        rows.append([f"Packages ({plain(manager)})", ", ".join(map(code, packages))])
    if found := list(_found_by(codec)):
        rows.append(["How it is found", "; ".join(found)])
    rows += _peculiarities(codec)
    rows.append(["Source", f"`codecs/{codec.id}/` in the repository"])
    yield table(["", ""], rows)


def _peculiarities(codec: Codec) -> Iterator[list[str]]:
    asked = "where it is asked for, by `-c`, a suite or `--need`"
    less = "so `encode` and `native_roundtrip` of the same objects are less work"
    reference, remembers = plain(codec.reference), plain(codec.remembers)
    told = {
        "Measured": "by a plain `./serbench run`" if codec.default else asked,
        "Maintenance": plain(codec.maintenance),
        "Reviewed": plain(str(codec.reviewed or "")),
        "Floor": "a lower bound, not a contender: it has no rank" if codec.floor else "",
        "Reference": f"{reference}: measured beside libraries, without a rank" if reference else "",
        "Linking": "dynamic: its library exists only as a shared one" if codec.dynamic else "",
        "Threads may share": plain(codec.shared),
        "A native object remembers": f"{remembers}, {less}" if remembers else "",
    }
    yield from ([label, words] for label, words in told.items() if words)


def _formats(codec: Codec) -> set[str]:
    return {variant.format for variant in codec.variants.values()}


def _found_by(codec: Codec) -> Iterator[str]:
    """The entries of ``codec.toml`` by which a toolchain finds the library, in words, without empty ones."""
    options = msgspec.to_builtins(codec.options)
    for key, value in options.items() if isinstance(options, dict) else ():
        if value and isinstance(value, (str, list, tuple)):
            words = [value] if isinstance(value, str) else value
            yield f"{plain(key)} {', '.join(code(str(each)) for each in words)}"


def _variants(codec: Codec) -> Iterator[str]:
    yield "## Variants\n"
    yield "One row of a table each.\n"
    rows = []
    for variant in codec.variants.values():
        lossy = variant.tolerance.describe()
        summary = plain(variant.summary) + (f"; lossy by design: {plain(lossy)}" if lossy else "")
        rows.append([code(variant.id), summary])
    yield table(["variant", "what it is"], rows)


def _reading(codec: Codec) -> Iterator[str]:
    """Sections on the checks of decoding, the harm that hostile messages do, and reading a few fields."""
    yield "## What decoding checks\n"
    yield "A codec that checks less has less to do. This was found by feeding it malformed messages.\n"
    rows = []
    for variant in codec.variants.values():
        checked = variant.checks
        said = ["unknown" if checked is None else "✓" if each in checked else "no" for each in CHECKS]
        rows.append([code(variant.id), *said])
    yield table(["variant", *CHECKS], rows)
    yield "".join(f"- **{name}**: {meaning}\n" for name, meaning in CHECKS.items())
    yield "## Hostile messages\n"
    how = "[how](../../laboratory/hostile-messages.md)"
    yield f"What some of 1,000 broken messages make it do besides giving a value or an error ({how}).\n"
    for harms, variants in _alike((v, v.hostile) for v in codec.variants.values()):
        told = "unknown: not tried with hostile messages yet"
        if harms is not None:
            told = "; ".join(f"**{harm}**: {HARMS[harm]}" for harm in harms) or "no harm was found"
        yield f"- {variants}: {told}"
    yield ""
    yield "## How it reads a few fields\n"
    yield "By a program that has these fields alone ([more](../../decisions/073-partial-reads.md)).\n"
    for way, variants in _alike((v, v.reads) for v in codec.variants.values()):
        yield f"- {variants}: **{way}**: {WAYS[way]}"
    yield ""


def _mapping(codec: Codec) -> Iterator[str]:
    if codec.mapping:
        yield "## How types are mapped\n"
        yield table(["type", "becomes"], [[plain(key), plain(value)] for key, value in codec.mapping.items()])


def _types(codec: Codec) -> Iterator[str]:
    yield "## Types\n"
    yield "As verified with values of each type; [all codecs beside each other](../../types-by-codec.md).\n"
    for found, variants in _alike((v, _kinds(v)) for v in codec.variants.values()):
        yield f"{variants}:\n"
        yield "\n".join(f"- **{status}**: {', '.join(kinds)}" for status, kinds in found) + "\n"


def _kinds(variant: Variant) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The kinds of types, in groups that say how the variant has them; groups without a kind are left out."""
    named = _verified(variant.id).get("names")
    found = {kind: _status(variant, kind) for kind in KINDS if kind != WRITTEN_NAME or named}
    groups = ((status, tuple(kind for kind in found if found[kind] == status)) for status in _STATUSES)
    return tuple((status, kinds) for status, kinds in groups if kinds)


def _status(variant: Variant, kind: str) -> str:
    native, lowered, impossible, unknown = _STATUSES
    if variant.why_not(_schema_alone(kind)):
        return impossible
    is_lowered = variant.is_lowered(kind)
    if is_lowered is None or kind not in _verified(variant.id).get("kinds", ()):
        return unknown
    return lowered if is_lowered else native


@cache
def _schema_alone(kind: str) -> Schema:
    return schema_of([kind])


def _verified(variant: str) -> dict[str, Any]:
    """A variant's ``version``, ``kinds`` and ``names``, as far as verification found them."""
    return _all_verified(VERIFIED).get(variant, {})


@cache
def _all_verified(path: Path) -> dict[str, dict[str, Any]]:
    found = json.loads(path.read_text())
    for each in found["variants"].values():
        each["kinds"] = found["kinds"][each["kinds"]] if "kinds" in each else []
    return dict(found["variants"])


def _cannot(codec: Codec) -> Iterator[str]:
    told = [
        (variant, (_condition(inability), inability.reason))
        for variant in codec.variants.values()
        for inability in variant.cannot
    ]
    if told:
        yield "## What it cannot do\n"
        for (condition, reason), variants in _alike(told):
            yield f"- {variants}, {condition}: {plain(reason)}"
        yield ""


_OVER = {
    "message_bytes_over": "messages of more than {:,} canonical bytes",
    "steps_over": "values with more than {:,} nested steps of recursion",
    "nested_over": "more than {:,} values inside each other",
    "characters_over": "strings with a character beyond U+{:04X}",
}


def _condition(inability: Inability) -> str:
    for limit, words in _OVER.items():
        if (most := getattr(inability, limit)) is not None:
            return words.format(most)
    if inability.integers_over is not None:
        greatest = inability.integers_over
        below = f" or less than {-greatest - 1:,}" if greatest < i64.bounds[1] else ""
        return f"integers greater than {greatest:,}{below}"
    if inability.floats_outside:
        return "floats less than {:g} or greater than {:g}, and NaN".format(*inability.floats_outside)
    if inability.infinite_floats:
        return "infinities and NaN"
    if inability.nul_in_keys:
        return "maps with a NUL in a key"
    patterns = inability.having or inability.lacking
    types = ", ".join(code(str(each)) for each in patterns)
    return f"schemas {'with' if inability.having else 'without'} {types}"


def _features(codec: Codec) -> Iterator[str]:
    yield "## Features\n"
    seen, held = load_evolution(PROJECT / "codecs").codecs, load_conformance(PROJECT / "codecs").codecs
    found = [features_of(variant, seen, held) for variant in codec.variants.values()]
    marks = {name: _mark({own[name] for own in found}) for name in ALL_FEATURES}
    yield table(["feature", "", "meaning"], [[n, marks[n], meaning] for n, meaning in ALL_FEATURES.items()])


def _mark(found: set[bool | None]) -> str:
    """Whether the variants of a codec have a feature, in a word or a sign."""
    if len(found) > 1:
        return "some variants" if True in found else "not known of all"
    return {True: "✓", False: "no", None: "not known"}[found.pop()]


def _conformance(codec: Codec) -> Iterator[str]:
    """A section on how it keeps to the specification of its format."""
    seen = load_conformance(PROJECT / "codecs")
    if not _formats(codec) & {*seen.formats}:
        return
    yield "## Conformance\n"
    yield (
        "Cases of the format's specification that the adapter reads and writes "
        "([how](../../conformance.md), [all codecs](../../conformance/by-codec.md)).\n"
    )
    for said, variants in _alike(
        (v, _held(v.id)) for v in codec.variants.values() if v.format in seen.formats
    ):
        yield f"- {variants}: {said}"
    yield ""


def _held(variant: str) -> str:
    """The outcomes of a variant's cases, in words."""
    seen = load_conformance(PROJECT / "codecs")
    held = seen.codecs.get(variant)
    if held is None:
        return "not known: not run yet"
    faults = {word: ", ".join(own) for word, own in held.failed.items()}
    numbers = {word: sum(own.values()) for word, own in held.failed.items()}
    decided = held.number(CONFORMS) + sum(numbers.values())
    failed = [f"**{word}** {numbers[word]} (section {plain(faults[word])})" for word in faults]
    said = [f"{held.number(CONFORMS)} of {decided} as the specification says", *failed]
    said += [f"{held.number(OPEN)} left open"] if held.number(OPEN) else []
    said += [f"{held.number(NONE)} that it does not have"] if held.number(NONE) else []
    for name, title in seen.profiles[held.format].items():
        if by := held.decided_by(name):
            said.append(f"by {plain(title)} {by[0]} of {by[1]}")
    return f"{'; '.join(said)} (version {plain(held.version or 'not told')})"


def _changes(codec: Codec) -> Iterator[str]:
    """A section on what becomes of messages when schemas change."""
    yield "## Changes of schemas\n"
    yield (
        "What was seen when programs of two schemas read each other's messages: first a new program that "
        "reads old messages, then an old one that reads new ones "
        "([all codecs beside each other, and what the changes are](../../evolution-by-codec.md)).\n"
    )
    for said, variants in _alike((v, _changed(v.id)) for v in codec.variants.values()):
        if not said:
            yield f"- {variants}: not known: not tried yet"
        for outcome, names in said:
            yield f"- {variants}: **{outcome}**: {names}"
    yield ""


def _changed(variant: str) -> tuple[tuple[str, str], ...]:
    """The outcomes of changes in both directions, each with the changes that came out so."""
    evolution = load_evolution(PROJECT / "codecs")
    seen = evolution.codecs.get(variant)
    if seen is None:
        return ()
    groups: dict[str, list[str]] = {}
    for change in evolution.changes:
        words = [seen.of(change, direction) or "not tried" for direction in DIRECTIONS]
        groups.setdefault(", ".join(dict.fromkeys(words)), []).append(change)
    return tuple((outcome, ", ".join(map(code, names))) for outcome, names in groups.items())


def _layouts(codec: Codec) -> Iterator[str]:
    said = []
    for variant in codec.variants.values():
        layouts = [variant.layout, *(each.words for each in variant.layouts)]
        refused = [words for each in variant.layouts for words in each.refuses]
        said += [f"- {code(variant.id)} writes {plain(words)}" for words in filter(None, layouts)]
        said += [f"- {code(variant.id)} refuses {plain(words)}" for words in refused]
    if said:
        yield "## Where the format leaves a choice\n"
        yield "Codecs of one format that made the same choice can read each other's bytes.\n"
        yield "\n".join(said) + "\n"


def _faults(codec: Codec) -> Iterator[str]:
    faults = {fault for variant in codec.variants.values() for fault in variant.faults}
    if faults:
        yield "## Known faults of the library\n"
        how = "[how](../../laboratory/sanitizers.md)"
        yield f"Found by sanitizers, and not caused by the adapter ({how}).\n"
        ordered = sorted(faults, key=lambda fault: fault.place)
        rows = [[plain(f.kind), code(f.place), plain(f.seen), plain(f.reason)] for f in ordered]
        yield table(["kind", "where", "seen in version", "what it does"], rows)


def _published(codec: Codec, suites: Mapping[str, Suite]) -> Iterator[str]:
    ids = {variant.id for variant in codec.variants.values()}
    rows = [
        [f"[{suite.name}](../../published/{suite.name}.md)", plain(row.name), code(row.codec)]
        for suite in suites.values()
        for row in suite.rows
        if row.codec in ids
    ]
    if rows:
        yield "## In published tables\n"
        yield table(["benchmark", "its row", "is our"], rows)


def _try(codec: Codec) -> Iterator[str]:
    yield "## Try it\n"
    commands = {
        f"./serbench setup -c {codec.id}": "get and build what it needs",
        f"./serbench verify -c {codec.id}": "check that it round-trips the data",
        f"./serbench run -c {codec.id}": "measure it",
    }
    width = max(map(len, commands))
    yield "".join(f"    {command:<{width}}   # {why}\n" for command, why in commands.items())


def _alike(said: Iterable[tuple[Variant, T]]) -> Iterator[tuple[T, str]]:
    """Each distinct statement, with the ids of the variants of which it is made, as Markdown."""
    groups: dict[T, list[Variant]] = {}
    for variant, what in said:
        groups.setdefault(what, []).append(variant)
    for what, variants in groups.items():
        yield what, ", ".join(code(variant.id) for variant in variants)


def index(codecs: Sequence[Codec]) -> str:
    """A table of all codecs for each language, with links to their pages."""
    parts = []
    for name, own in by_language(codecs).items():
        rows = [[f"[{each.name}]({each.id}.md)", plain(each.summary), plain(each.licence)] for each in own]
        parts += [f"## {title(name)}\n", table(["codec", "what it is", "licence"], rows)]
    return "\n".join(parts)


def by_language(codecs: Iterable[Codec]) -> dict[str, list[Codec]]:
    """The codecs of each language that has any."""
    every = list(codecs)
    found = {name: [codec for codec in every if codec.language == name] for name in languages()}
    return {name: own for name, own in found.items() if own}


def title(language: str) -> str:
    """The name of a language as a heading has it."""
    return languages()[language].traits.title.removeprefix("the ")
