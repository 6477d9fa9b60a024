"""Needs of users, and the codecs that meet them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from serbench.codecs.codec import FEATURES, Variant
from serbench.errors import SelectionError, unknown
from serbench.system.command import COMMAND


@dataclass(frozen=True)
class Need:
    """The features and languages that the user needs.

    Attributes:
        languages: the folders of languages that all have to read and write the same bytes.
        text: the need as the user wrote it.
    """

    features: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    text: str = ""

    def met_by(self, features: Mapping[str, bool], language: str, readers: Collection[str]) -> bool:
        """Whether a codec has all needed features, and is of a needed language and can be read in all of
        them; ``readers`` are the languages that have a codec for the same bytes."""
        if not all(features.get(feature) for feature in self.features):
            return False
        return not self.languages or (
            language in self.languages and set(self.languages) <= {language, *readers}
        )


def parse_need(text: str, languages: Collection[str]) -> Need:
    """The need in a text such as ``evolution,languages=one+other``; ``languages`` are those that exist.

    Raises:
        SelectionError: a word is neither a feature nor ``languages=``, a language does not exist, or the text
            names nothing.
    """
    features: list[str] = []
    needed: list[str] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, values = word.partition("=")
        if equals and name.strip() == "languages":
            needed += [each.strip() for each in values.split("+")]
        elif name in FEATURES and not equals:
            features.append(name)
        else:
            raise SelectionError(
                f"--need: found '{word}', expected one of {', '.join(FEATURES)}, or languages= with "
                f"some of {'+'.join(languages)}"
            )
    for language in needed:
        if language not in languages:
            raise unknown("language", language, languages)
    if not features and not needed:
        raise SelectionError(
            f"--need: found '{text}', which names nothing; expected some of {', '.join(FEATURES)}, "
            f"languages={'+'.join(languages)}"
        )
    return Need(tuple(dict.fromkeys(features)), tuple(dict.fromkeys(needed)), text)


def serving(
    codecs: Collection[str],
    need: Need,
    known: Mapping[str, Variant],
    features: Mapping[str, Mapping[str, bool]],
) -> list[str]:
    """The codec variants that meet the need, judged by what ``known`` has of them or, if a variant no longer
    exists, by the ``features`` stored in a run.

    Raises:
        SelectionError: none of them meets it.
    """
    readers: dict[tuple[str, str], set[str]] = {}
    for variant in known.values():
        readers.setdefault((variant.format, variant.layout), set()).add(variant.codec.language)
    left = []
    for codec in codecs:
        found = known.get(codec)
        has = found.codec.features if found else features.get(codec, {})
        same_bytes = readers[found.format, found.layout] if found else ()
        if need.met_by(has, codec.partition("/")[0], same_bytes):
            left.append(codec)
    if not left:
        raise SelectionError(
            f"none of the {len(codecs)} codecs chosen meets --need {need.text}; for their features: "
            f"{COMMAND} list codecs"
        )
    return left
