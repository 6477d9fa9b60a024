"""Writes the text of ``docs/types-by-codec.md``: whether each codec has each kind of types natively, lowered
or not at all, as its ``codec.toml`` declares and as verification found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.verified_kinds import COMMAND, Kinds, Verified, schema_alone

from serbench.codecs.codec import Variant
from serbench.languages import languages
from serbench.model.grown import EDITION, beyond_first_edition
from serbench.model.kinds import KINDS, LOGICAL, WRITTEN_NAME

NATIVE, LOWERED, NOT, NO_NAMES, UNKNOWN = "✓", "~", "✗", "–", "?"

WITHOUT_LIBRARY = ("handwritten", "iostream", "memcpy")
"""Codecs that use no library and are measured beside those that do; the page leaves them out."""

WIDEST = 9
"""The most columns of codecs that fit beside each other in a table."""

NUMBERS = frozenset({"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"})

HEAD = f"""# Types by codec

Which types of the [type model](type-model.md) each library has itself, which it has to express by others, and
which it cannot do. All of it was verified, value by value, and is not taken from documentation. This page is
written by `tests/codec_page.py`.

- `{NATIVE}` **native**: done by the library's own means, as its users do it: a type of its IDL; a type of its
  format, by its function for that; or the language's own type, such as `std::variant` or `Option`, which the
  library knows.
- `{LOWERED}` **lowered**: expressed by another type, as users of the library do it by hand: what its IDL has
  in its place, code of ours around the library, or the base of a logical type.
- `{NOT}` **not possible**; the reason with this number is below the table.
- `{UNKNOWN}` **not verified**: the library was missing, or our adapter does not know the type; it says which
  below the table.
- `{NO_NAMES}` for written names: the bytes hold no names, or other names.

To verify a type, edge values of it were encoded and decoded by processes of their own, and compared.

A format whose integers have no width counts as having all of them, and a format that has null as having
optionals, where values are written one by one. In formats of values, a record is an object or an array of its
fields; unions, enums and arrays of a fixed length are lowered there.

Lowered is no fault. It means that programs in other languages have to know how it is done, which is said in
the codec's `codec.toml` (`[mapping]`). What is lowered is [declared there](add-a-codec.md) (`lowered`), or
follows from the IDL (`src/serbench/idl/lower.py`).

Where variants of a codec differ, each has its own column. Codecs without a library
({", ".join(f"`{each}`" for each in WITHOUT_LIBRARY)}) and variants that can only do graphs are left out. What
was verified, with which version, is in [types-by-codec.json](types-by-codec.json), which is made anew by

    {COMMAND}
"""

GROUPS = {
    "code_generation": "Code from an IDL",
    "self_describing": "Self-describing formats",
    "": "Other formats",
}
"""Feature → the title of the table with the codecs that have the feature; a codec goes into the first table
that fits."""


@dataclass
class Reasons:
    """Collects the reasons why codecs cannot do a kind of types, each with the number by which cells refer to
    it."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, reason: str) -> int:
        return self.numbers.setdefault(reason, len(self.numbers) + 1)


@dataclass(frozen=True)
class Column:
    """A column of the table: the variants of a codec that have the same cells."""

    variants: tuple[Variant, ...]
    cells: tuple[str, ...]

    @property
    def title(self) -> str:
        codec = self.variants[0].codec
        if len(self.variants) == len(shown(list(codec.variants.values()))):
            return codec.name
        return f"{codec.name}: {', '.join(v.name for v in self.variants)}"


def page(variants: Sequence[Variant], found: Mapping[str, Verified]) -> str:
    """The whole text of the page on types by codec, from the declarations of variants and the kinds of types
    that they were ``found`` to have by verification."""
    parts = [HEAD]
    for name, language in languages().items():
        own = shown([v for v in variants if v.codec.language == name])
        parts += [f"## {language.traits.title.removeprefix('the ')}\n", *_language(own, found)]
    return "\n".join(parts)


def shown(variants: Sequence[Variant]) -> list[Variant]:
    """The variants that the page on types by codec shows: those of codecs with a library that can do at least
    one kind of types."""
    libraries = [v for v in variants if v.codec.name not in WITHOUT_LIBRARY]
    return [v for v in libraries if any(_why_not(v, kind) is None for kind in KINDS)]


def _why_not(variant: Variant, kind: str) -> str | None:
    """The reason why a library cannot do a kind of types; None if it can, or if only our adapter lacks the
    kind."""
    return None if _unknown_to_us(variant, kind) else variant.why_not(schema_alone(kind))


def _unknown_to_us(variant: Variant, kind: str) -> bool:
    return variant.codec.type_model < EDITION and beyond_first_edition(schema_alone(kind)) is not None


def _language(variants: Sequence[Variant], found: Mapping[str, Verified]) -> Iterator[str]:
    groups: dict[str, list[Column]] = {title: [] for title in GROUPS.values()}
    reasons = Reasons()
    for codec in {v.codec.id: v.codec for v in variants}.values():
        title = next(title for feature, title in GROUPS.items() if not feature or codec.features[feature])
        own = [variant for variant in variants if variant.codec.id == codec.id]
        groups[title] += _columns(own, found, reasons)
    every = [column for columns in groups.values() for column in columns]
    for title, columns in ({"": every} if len(every) <= WIDEST else groups).items():
        yield from [f"### {title}\n"] if title and columns else []
        yield from map(_table, evenly(columns))
    yield from _below(variants, found, reasons)


def _columns(variants: Sequence[Variant], found: Mapping[str, Verified], reasons: Reasons) -> list[Column]:
    alike: dict[tuple[str, ...], list[Variant]] = {}
    for variant in variants:
        verified = found.get(variant.id, Verified())
        alike.setdefault(tuple(_cell(variant, kind, verified, reasons) for kind in KINDS), []).append(variant)
    return [Column(tuple(own), cells) for cells, own in alike.items()]


def _cell(variant: Variant, kind: str, verified: Verified, reasons: Reasons) -> str:
    if reason := _why_not(variant, kind):
        return f"{NOT}{reasons.number(reason)}"
    lowered = variant.is_lowered(kind)
    if kind not in verified.kinds or lowered is None:
        return UNKNOWN
    if kind == WRITTEN_NAME and not verified.names:
        return NO_NAMES
    return LOWERED if lowered else NATIVE


def evenly(columns: list[Column]) -> Iterator[list[Column]]:
    """Splits the columns into as few tables as they fit into, of about the same width."""
    tables = -(-len(columns) // WIDEST)
    for n in range(tables):
        yield columns[len(columns) * n // tables : len(columns) * (n + 1) // tables]


def _table(columns: Sequence[Column]) -> str:
    rows = [["Type", *(column.title for column in columns)], ["---"] * (1 + len(columns))]
    rows += [[", ".join(kinds), *cells] for kinds, cells in _rows(columns)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _rows(columns: Sequence[Column]) -> Iterator[tuple[Kinds, tuple[str, ...]]]:
    """The rows of a table: each kind of types with its cells. Types of numbers whose cells are equal share
    one row, and so do logical types."""
    merged: dict[tuple[str | int, tuple[str, ...]], list[str]] = {}
    for n, kind in enumerate(KINDS):
        cells = tuple(column.cells[n] for column in columns)
        group: str | int = next((n for n, kinds in enumerate((NUMBERS, LOGICAL)) if kind in kinds), kind)
        merged.setdefault((group, cells), []).append(kind)
    for (_, cells), kinds in merged.items():
        yield tuple(kinds), cells


def _below(variants: Sequence[Variant], found: Mapping[str, Verified], reasons: Reasons) -> Iterator[str]:
    """The text below the tables: the reasons, the versions of libraries, and what could not be verified."""
    if reasons.numbers:
        told = "".join(f"- {NOT}{n}: {reason}\n" for reason, n in reasons.numbers.items())
        yield (
            f"Not possible (types have the names of the examples in `src/serbench/model/kinds.py`):\n\n{told}"
        )
    versions = {
        v.codec.name: found[v.id].version for v in variants if v.id in found and not found[v.id].missing
    }
    if versions:
        named = ", ".join(f"{name} {version}".rstrip() for name, version in versions.items())
        yield f"Verified with: {named}.\n"
    left: dict[str, list[str]] = {}
    for variant in variants:
        for reason in _not_verified(variant, found.get(variant.id)):
            left.setdefault(reason, []).append(variant.id.partition("/")[2])
    if left:
        yield "Not verified:\n\n" + "".join(
            f"- {', '.join(names)}: {reason}\n" for reason, names in left.items()
        )


def _not_verified(variant: Variant, verified: Verified | None) -> Iterator[str]:
    if verified is None:
        yield "not yet"
    elif verified.missing:
        yield "its library was not there"
    else:
        if any(_unknown_to_us(variant, kind) for kind in KINDS):
            yield "our adapter does not know what is new in the second edition of the type model"
        if verified.failed:
            yield f"{', '.join(verified.failed)} failed"
