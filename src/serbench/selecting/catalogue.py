"""Reads codecs from their folders ``codecs/<language>/<name>/``: the ``codec.toml``, to which the language
adds a table of its own, and ``glue.py``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from serbench.codecs.codec import (
    FEATURES,
    FORMER_FEATURES,
    Check,
    Codec,
    Harm,
    Idl,
    Inability,
    KnownFault,
    ReadWay,
    Review,
    Variant,
)
from serbench.codecs.glue import load_glue
from serbench.codecs.laid_out import Layout
from serbench.codecs.tolerance import Tolerance
from serbench.codecs.traits import Traits
from serbench.errors import FileError, SerbenchError
from serbench.idl import emitters
from serbench.languages import languages
from serbench.languages.language import Language
from serbench.model.grown import EDITION
from serbench.model.kinds import kinds_called
from serbench.model.patterns import parse_pattern
from serbench.paths import PROJECT, Paths
from serbench.system.files import Loaded, Name, Text, first_of, matching, read_toml


@cache
def load_codecs(*folders: Path) -> Loaded[Codec]:
    """Every codec below the folders, by id; the first folder that has a codec counts. A codec with a fault in
    its ``codec.toml`` is among the broken ones."""
    return first_of(folders, _codecs_below)


def _codecs_below(directory: Path) -> Loaded[Codec]:
    found: Loaded[Codec] = Loaded()
    for path in sorted(directory.glob("*/*/codec.toml")):
        try:
            codec = load_codec(path)
            found[codec.id] = codec
        except FileError as error:
            found.broken[f"{path.parent.parent.name}/{path.parent.name}"] = error
    return found


def load_variants(*folders: Path) -> Loaded[Variant]:
    """Every codec variant by id; the result's ``broken``, ``folders`` and ``passed_over`` are by codec."""
    codecs = load_codecs(*folders)
    found = Loaded({v.id: v for codec in codecs.values() for v in codec.variants.values()})
    found.broken, found.folders, found.passed_over = codecs.broken, codecs.folders, codecs.passed_over
    return found


if TYPE_CHECKING:
    _Features = dict[str, bool]
else:
    _Features = msgspec.defstruct(
        "_Features",
        [*((name, bool) for name in FEATURES), *((name, bool, False) for name in FORMER_FEATURES)],
        forbid_unknown_fields=True,
    )

_Words = tuple[Text, ...]


_VariantName = Annotated[str, matching(r"[A-Za-z0-9_][\w.-]*", "a name of letters and digits")]
_Symbol = Annotated[str, matching(r"[A-Za-z_][\w.]*", "the name of a class")]


class _Declared(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The keys that a ``codec.toml`` can have for all variants, and again for each variant."""

    layout: Name = ""
    layouts: tuple[Layout, ...] = ()
    cannot: tuple[Inability, ...] = ()
    lowered: _Words | None = None
    checks: tuple[Check, ...] | None = None
    hostile: tuple[Harm, ...] | None = None
    reads: ReadWay | None = None
    faults: tuple[KnownFault, ...] = ()


class _Tolerance(Tolerance, frozen=True, forbid_unknown_fields=True):
    """A tolerance with a key that earlier codecs have for what is a condition in ``cannot`` now. It is read,
    so that ``--revision`` can measure these codecs."""

    float_range: tuple[float, float] | None = None

    @property
    def cannot(self) -> Iterator[Inability]:
        if self.float_range:
            low, high = self.float_range
            yield Inability(f"it takes floats from {low:g} to {high:g}", floats_outside=self.float_range)


class _VariantTable(_Declared, forbid_unknown_fields=True, kw_only=True):
    adapter: _Symbol
    summary: Text
    format: Name = ""
    tolerance: _Tolerance = _Tolerance()
    popular: bool = False


class _CodecTable(_Declared, forbid_unknown_fields=True, kw_only=True):
    """A ``codec.toml``; the classes of ``codec.py``, such as ``Codec``, say what its keys mean."""

    summary: Text
    homepage: Text
    licence: Text
    format: Name
    features: _Features
    variants: dict[_VariantName, _VariantTable]
    floor: bool = False
    default: bool = True
    reference: Text = ""
    maintenance: Text = ""
    reviewed: Review | None = None
    remembers: str = ""
    writer_schema: Name = ""
    shared: Text = ""
    type_model: Annotated[int, msgspec.Meta(ge=1, le=EDITION)] = 1
    install: dict[Name, _Words] = {}
    idl: Idl | None = None
    mapping: dict[Name, Text] = {}


@cache
def _table_of(name: str) -> Any:
    """The class that reads a language's ``codec.toml``, with its own table and its own keys of a variant."""
    language = languages()[name]
    strict: Any = {"forbid_unknown_fields": True, "kw_only": True}
    keys = list(language.variant_keys)
    variant = msgspec.defstruct("_VariantTable", keys, bases=(_VariantTable,), **strict)
    own = (language.table, language.options, msgspec.field(default_factory=language.options))
    variants = ("variants", dict[_VariantName, variant])  # type: ignore[valid-type]  # made a line above
    return msgspec.defstruct("_CodecTable", [variants, own], bases=(_CodecTable,), **strict)


def load_codec(path: Path) -> Codec:
    """Read the codec that a ``codec.toml`` declares.

    Raises:
        FileError: the ``codec.toml`` or ``glue.py`` has faults; names the file and the faults.
    """
    folder = path.parent
    language = languages().get(folder.parent.name)
    if language is None:
        known = ", ".join(languages())
        raise FileError(
            f"{path}: the folder above is '{folder.parent.name}'; expected the name of a language: {known}"
        )
    table = read_toml(
        path,
        _table_of(folder.parent.name),
        "codec",
        lambda table: [
            *_problems(table, folder),
            *_of_traits(table, language.traits),
            *language.problems(table, folder),
        ],
    )
    options = getattr(table, language.table)
    codec = Codec(
        language=folder.parent.name,
        traits=language.traits,
        name=folder.name,
        directory=folder,
        features={name: getattr(table.features, name) for name in FEATURES},
        options=options,
        dynamic=language.links_dynamically(options),
        glue=load_glue(folder),
        **{name: getattr(table, name) for name in _SAME_OF_CODEC},
    )
    variants = {name: _variant(codec, name, table, language) for name in table.variants}
    codec.variants.update(variants)  # type: ignore[attr-defined]  # a dict until the codec is whole
    return codec


_SAME_OF_CODEC = {*Codec.__dataclass_fields__} & {*_CodecTable.__struct_fields__} - {"features", "variants"}
"""The attributes of a codec that have the same name and the same value in its ``codec.toml``."""


def _variant(codec: Codec, name: str, table: Any, language: Language) -> Variant:
    """A variant of a codec, from its own table and from what the codec's table says about all variants."""
    v = table.variants[name]
    return Variant(
        codec=codec,
        name=name,
        adapter=v.adapter,
        summary=v.summary,
        tolerance=Tolerance(v.tolerance.negative_zero, v.tolerance.float_absolute),
        format=v.format or codec.format,
        layout=v.layout or table.layout,
        layouts=(*table.layouts, *v.layouts),
        cannot=(*table.cannot, *v.cannot, *v.tolerance.cannot),
        lowered=_lowered(table.lowered, v.lowered),
        options={key: getattr(v, key) for key, _, _ in language.variant_keys},
        checks=table.checks if v.checks is None else v.checks,
        hostile=table.hostile if v.hostile is None else v.hostile,
        reads=v.reads or table.reads or "skip",
        faults=(*table.faults, *v.faults),
        popular=v.popular,
    )


def _lowered(*declared: _Words | None) -> frozenset[str] | None:
    """The kinds of types that a codec and its variant declare to be lowered; None if neither declares any."""
    said = [words for words in declared if words is not None]
    kinds = frozenset(kind for words in said for word in words for kind in kinds_called(word))
    return kinds if said else None


def _problems(table: _CodecTable, folder: Path) -> Iterator[str]:
    """The faults of a ``codec.toml`` that reading it into its class did not find, in whatever language."""
    if table.idl:
        if table.idl.language not in emitters():
            yield f"idl.language: found '{table.idl.language}', expected one of {', '.join(emitters())}"
        for word in (table.idl.file, *table.idl.command, *table.idl.outputs):
            if re.search(r"[{}]", re.sub(r"\{(workload|directory|file)\}", "", word)):
                yield (
                    f"idl: found '{word}', expected no braces but those of {{workload}}, "
                    f"{{directory}} and {{file}}"
                )
    if table.writer_schema and table.writer_schema not in emitters():
        yield f"writer_schema: found '{table.writer_schema}', expected one of {', '.join(emitters())}"
    if not table.variants:
        yield "variants: none; expected at least [variants.default]"
    yield from _declared_problems("", table)
    for name, variant in table.variants.items():
        yield from _declared_problems(f"variants.{name}.", variant)
    ours = PROJECT / "codecs", Paths.default().revisions
    if table.floor and not any(folder.is_relative_to(each) for each in ours):
        yield (
            "floor: found true; only codecs that come with serbench can be floors, which have no "
            "rank and leave out build and extract"
        )


def _of_traits(table: _CodecTable, traits: Traits) -> Iterator[str]:
    """The faults of a ``codec.toml`` that come of the traits of its language."""
    if table.shared and not traits.shares:
        yield f"shared: unknown; the runner of {traits.title} has no row in which threads share an adapter"


def _declared_problems(where: str, declared: _Declared) -> Iterator[str]:
    for n, inability in enumerate(declared.cannot):
        yield from _inability_problems(f"{where}cannot[{n}]", inability)
    for n, layout in enumerate(declared.layouts):
        yield from _layout_problems(f"{where}layouts[{n}]", layout)
    yield from _unreadable(f"{where}lowered", declared.lowered or (), kinds_called)
    for n, fault in enumerate(declared.faults):
        for key, expected in _FAULT_WORDS.items():
            if not getattr(fault, key).strip():
                yield f"{where}faults[{n}].{key}: found nothing, expected {expected}"


_FAULT_WORDS = {
    "kind": "the sanitizer's word for it",
    "place": "the end of the path of a source file of the library, or the name of one of its functions",
    "seen": "the version of the library in which it was seen",
    "reason": "what the library does, which tables print",
}
_CONDITIONS = [field for field in msgspec.structs.fields(Inability) if field.name != "reason"]


def _inability_problems(where: str, each: Inability) -> Iterator[str]:
    given = [field for field in _CONDITIONS if getattr(each, field.name) != field.default]
    if len(given) != 1:
        expected = (
            "one of with = [types], without = [types], message_bytes_over = N, steps_over = N, "
            "nested_over = N, integers_over = N, floats_outside = [N, N], infinite_floats = true, "
            "nul_in_keys = true and characters_over = N"
        )
        yield f"{where}: expected {expected}, and a reason"
    if each.integers_over is not None and (each.integers_over < 1 or each.integers_over % 2 == 0):
        # While a codec is measured, 2k may become 2k + 1.
        yield f"{where}.integers_over: found {each.integers_over}, expected an odd number above zero"
    low, high = each.floats_outside or (0.0, 1.0)
    if not low < high:
        yield f"{where}.floats_outside: found [{low}, {high}], expected the lesser first"
    if not each.reason.strip():
        yield f"{where}.reason: expected the reason, which tables print"
    yield from _unreadable(f"{where}.with", each.having, parse_pattern)
    yield from _unreadable(f"{where}.without", each.lacking, parse_pattern)


def _layout_problems(where: str, each: Layout) -> Iterator[str]:
    if bool(each.having) == bool(each.defaults):
        yield f"{where}: expected one of with = [types] and defaults = [types], and a layout"
    said = [each.words] if each.words or not each.refuses else []
    if not all(words.strip() for words in (*said, *each.reads, *each.refuses)):
        yield (
            f"{where}: found an empty layout, expected a description of how it lays out what, which tables "
            "print"
        )
    yield from _unreadable(f"{where}.with", each.having, parse_pattern)
    yield from _unreadable(f"{where}.defaults", each.defaults, parse_pattern)


def _unreadable(where: str, words: _Words, read: Callable[[str], object]) -> Iterator[str]:
    """The faults of those of ``words`` that ``read`` refuses, each with the key ``where`` and the reason."""
    for word in words:
        try:
            read(word)
        except SerbenchError as error:
            yield f"{where}: {error}"
