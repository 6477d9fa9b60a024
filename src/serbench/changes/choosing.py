"""The choice of changes that alter a schema: one of each kind, or those that a pattern matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase

from serbench.changes.catalogue import KINDS, parse, texts_of, word_of
from serbench.changes.change import Change, refused
from serbench.changes.paths import places
from serbench.errors import SelectionError, unknown
from serbench.model import Optional, Schema

Fits = Callable[[Change], bool]
"""A function that tells whether all messages can be changed."""


def one_of_each(schema: Schema, fits: Fits) -> list[Change]:
    """One change of each kind that the schema and its messages can have; optional fields are dropped
    first."""
    first = [f"drop={each.path}" for each in places(schema) if isinstance(each.type, Optional)]
    found: dict[str, Change] = {}
    for text in (*first, *texts_of(schema)):
        word = word_of(text)
        if word not in found and (change := next(_altering(schema, [text], fits), None)):
            found[word] = change
    return [found[word] for word in KINDS if word in found]


def matching(schema: Schema, pattern: str, fits: Fits) -> list[Change]:
    """The changes that a pattern means: the one of this text, or those whose text or word it matches.

    Raises:
        SelectionError: it means none that alters the schema, with the nearest ones or the reason.
    """
    try:
        change = parse(pattern, schema) if "=" in pattern else None
        reason = None
    except SelectionError as error:
        change, reason = None, error
    if change is not None:
        if not _alters(change):
            raise refused(pattern, "the schema stays the same, so there is nothing to read in another way")
        return [change]
    texts = list(texts_of(schema))
    meant = [text for text in texts if fnmatchcase(text, pattern) or word_of(text) == pattern]
    if found := list(_altering(schema, meant, fits)):
        return found
    if meant:
        raise refused(pattern, "neither the schema nor its messages can have such a change")
    if reason is not None and not re.search(r"[*?]", pattern):
        raise reason
    raise unknown("change", pattern, texts if "=" in pattern else KINDS)


def _altering(schema: Schema, texts: Iterable[str], fits: Fits) -> Iterator[Change]:
    """The changes of these texts that the schema and its messages can have, and that alter the schema."""
    for text in texts:
        try:
            change = parse(text, schema)
        except SelectionError:
            continue
        if _alters(change) and fits(change):
            yield change


def _alters(change: Change) -> bool:
    return change.new.digest() != change.old.digest()
