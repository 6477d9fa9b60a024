"""Needs of users, and the codecs that meet them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from serbench.codecs.codec import ALL_FEATURES, CONFORMANT, EVOLUTION, UNKNOWN_FIELDS, Variant
from serbench.errors import SelectionError, unknown
from serbench.selecting.conforming import HeldCodec
from serbench.selecting.evolved import OPTIONAL_FIELD, SeenCodec, SeenEvolution, features_of
from serbench.system.command import COMMAND


@dataclass(frozen=True)
class Need:
    """The features and languages that the user needs.

    Attributes:
        features: those that codecs declare, or that were seen of them.
        languages: the folders of languages that all have to read and write the same bytes.
        text: the need as the user wrote it.
        changes: the changes of schemas that have to be kept in both directions.
        formats: the formats of which codecs have to be; empty if all are taken.
    """

    features: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    text: str = ""
    changes: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

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
    text: str, languages: Collection[str], evolution: SeenEvolution, held_to: Collection[str]
) -> Need:
    """The need in a text such as ``evolution=add+rename,languages=one+other``.

    Args:
        languages: those that exist.
        evolution: has the changes that exist.
        held_to: the formats that have a catalogue of cases.

    Raises:
        SelectionError: a word is neither a feature nor ``languages=``, a language, a change or a format does
            not exist, or the text names nothing.
    """
    features: list[str] = []
    needed: list[str] = []
    changes: list[str] = []
    formats: list[str] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, values = (each.strip() for each in word.partition("="))
        if equals and name == "languages":
            needed += [each.strip() for each in values.split("+")]
        elif name == EVOLUTION:
            changes += [each.strip() for each in values.split("+")] if equals else OPTIONAL_FIELD
        elif name == CONFORMANT:
            features.append(name)
            formats += [each.strip() for each in values.split("+")] if equals else held_to
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
    for format in formats:
        if format not in held_to:
            raise unknown("format of --need conformant", format, held_to)
    if not features and not needed and not changes:
        raise SelectionError(
            f"--need: found '{text}', which names nothing; expected some of {', '.join(ALL_FEATURES)}, "
            f"languages={'+'.join(languages)}"
        )
    words = (tuple(dict.fromkeys(each)) for each in (features, needed, changes, formats))
    found, needed_in, kept, of = words
    return Need(found, needed_in, text, kept, of)


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
        is_format = not need.formats or (found is not None and found.format in need.formats)
        if is_format and need.met_by(has, keeps, codec.partition("/")[0], same_bytes):
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
    if CONFORMANT in need.features:
        of_format = [c for c in codecs if c in known and known[c].format in need.formats]
        lacking[CONFORMANT] = [c for c in of_format if c not in held or held[c].conforms is None]
    return [
        f"not known of {', '.join(own)}; see {COMMAND} verify "
        f"{'--conformance' if needed == CONFORMANT else '--evolution'}: {needed}"
        for needed, own in lacking.items()
        if own
    ]
