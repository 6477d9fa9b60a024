"""Needs of users, and the codecs that meet them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from serbench.codecs.codec import ALL_FEATURES, CONFORMANT, EVOLUTION, UNKNOWN_FIELDS, Variant
from serbench.errors import SelectionError, unknown
from serbench.selecting.conforming import HeldCodec
from serbench.selecting.evolved import OPTIONAL_FIELD, SeenCodec, SeenEvolution, features_of
from serbench.selecting.profiles import BETWEEN, pairs_of
from serbench.system.command import COMMAND


@dataclass(frozen=True)
class Need:
    """The features and languages that the user needs.

    Attributes:
        features: those that codecs declare, or that were seen of them.
        languages: the folders of languages that all have to read and write the same bytes.
        text: the need as the user wrote it.
        changes: the changes of schemas that have to be kept in both directions.
        profiles: format → its profiles to which codecs of it have to conform, of which the specification
            itself is without a name; codecs of other formats are left out. Empty if all are taken.
    """

    features: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    text: str = ""
    changes: tuple[str, ...] = ()
    profiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_held(self, format: str, held: HeldCodec | None) -> bool | None:
        """Whether a codec of a format was seen to conform as needed; None where that is not known."""
        if format not in self.profiles:
            return False
        words = {held.conforms_to(each) if held else None for each in self.profiles[format]}
        return False if False in words else None if None in words else True

    def met_by(
        self, features: Mapping[str, bool | None], keeps: bool | None, language: str, readers: Collection[str]
    ) -> bool:
        """Whether a codec has all needed features, keeps the needed changes, and is of a needed language and
        can be read in all of them.

        Args:
            keeps: whether it keeps the changes; None if that is not known.
            readers: the languages that have a codec for the same bytes.
        """
        if not all(features.get(feature) for feature in self.features) or (self.changes and not keeps):
            return False
        return not self.languages or (
            language in self.languages and set(self.languages) <= {language, *readers}
        )


def parse_need(
    text: str, languages: Collection[str], evolution: SeenEvolution, held_to: Mapping[str, Collection[str]]
) -> Need:
    """The need in a text such as ``evolution=add+rename,languages=one+other``.

    Args:
        languages: those that exist.
        evolution: has the changes that exist.
        held_to: the formats that have a catalogue of cases, each with its profiles, its own specification
            first.

    Raises:
        SelectionError: a word is neither a feature nor ``languages=``, a language, a change or a format does
            not exist, or the text names nothing.
    """
    features: list[str] = []
    needed: list[str] = []
    changes: list[str] = []
    formats: list[tuple[str, str]] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, values = (each.strip() for each in word.partition("="))
        if equals and name == "languages":
            needed += [each.strip() for each in values.split("+")]
        elif name == EVOLUTION:
            changes += [each.strip() for each in values.split("+")] if equals else OPTIONAL_FIELD
        elif name == CONFORMANT:
            said = [each.strip() for each in values.split("+")] if equals else held_to
            formats += [pair for each in said for pair in _profiles_of(each, held_to)]
        elif name in ALL_FEATURES and not equals:
            features.append(name)
        else:
            raise SelectionError(
                f"--need: found '{word}', expected one of {', '.join(ALL_FEATURES)}, or languages= with "
                f"some of {'+'.join(languages)}"
            )
    for language in needed:
        if language not in languages:
            raise unknown("language", language, languages)
    for change in changes:
        if change not in (*evolution.changes, *OPTIONAL_FIELD):
            raise unknown("change", change, evolution.changes)
    if not features and not needed and not changes and not formats:
        raise SelectionError(
            f"--need: found '{text}', which names nothing; expected some of {', '.join(ALL_FEATURES)}, "
            f"languages={'+'.join(languages)}"
        )
    found, needed_in, kept = (tuple(dict.fromkeys(each)) for each in (features, needed, changes))
    profiles = {name: tuple(dict.fromkeys(p for of, p in formats if of == name)) for name, _ in formats}
    return Need(found, needed_in, text, kept, profiles)


def _profiles_of(text: str, held_to: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """The formats and profiles that a text names, such as ``one`` or ``one:strict``."""
    if text in held_to:
        yield text, ""
    elif BETWEEN not in text:
        raise unknown(f"format of --need {CONFORMANT}", text, held_to)
    else:
        for format, profile in pairs_of(f"--need {CONFORMANT}", text, held_to):
            yield format, "" if profile == next(iter(held_to[format])) else profile


def serving(
    codecs: Collection[str],
    need: Need,
    known: Mapping[str, Variant],
    features: Mapping[str, Mapping[str, bool]],
    seen: Mapping[str, SeenCodec],
    held: Mapping[str, HeldCodec],
) -> list[str]:
    """The codec variants that meet the need, judged by what ``known`` has of them or, if a variant no longer
    exists, by the ``features`` stored in a run, and by what was ``seen`` of evolution and how they were
    ``held`` to their formats.

    Raises:
        SelectionError: none of them meets it.
    """
    readers: dict[tuple[str, str], set[str]] = {}
    for variant in known.values():
        readers.setdefault((variant.format, variant.layout), set()).add(variant.codec.language)
    left = []
    for codec in codecs:
        found = known.get(codec)
        has: Mapping[str, bool | None] = features_of(found, seen, held) if found else features.get(codec, {})
        keeps = seen.get(codec, SeenCodec()).keeps(need.changes)
        same_bytes = readers[found.format, found.layout] if found else ()
        is_held = not need.profiles or (found is not None and need.is_held(found.format, held.get(codec)))
        if is_held and need.met_by(has, keeps, codec.partition("/")[0], same_bytes):
            left.append(codec)
    if not left:
        not_known = "".join(f"; {each}" for each in unknown_of(need, codecs, known, seen, held))
        raise SelectionError(
            f"none of the {len(codecs)} codecs chosen meets --need {need.text}; for their features: "
            f"{COMMAND} list codecs{not_known}"
        )
    return left


def unknown_of(
    need: Need,
    codecs: Collection[str],
    known: Mapping[str, Variant],
    seen: Mapping[str, SeenCodec],
    held: Mapping[str, HeldCodec],
) -> list[str]:
    """Sentences on the codecs of which it is not known whether they keep what is needed: changes, fields
    that they do not know, or their format's specification."""
    found = {codec: seen.get(codec, SeenCodec()) for codec in codecs}
    lacking = {"+".join(need.changes): [c for c, own in found.items() if own.keeps(need.changes) is None]}
    if UNKNOWN_FIELDS in need.features:
        lacking[UNKNOWN_FIELDS] = [codec for codec, own in found.items() if own.keeps_unknown is None]
    lacking[CONFORMANT] = [
        c for c in codecs if c in known and need.is_held(known[c].format, held.get(c)) is None
    ]
    return [
        f"not known of {', '.join(own)}; see {COMMAND} verify "
        f"{'--conformance' if needed == CONFORMANT else '--evolution'}: {needed}"
        for needed, own in lacking.items()
        if own
    ]
