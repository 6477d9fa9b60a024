"""Compares how codecs of one format lay types out where the format leaves that open, and so whether one can
read what another wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from serbench.model import Record, Schema, Type
from serbench.model.parts import types_in
from serbench.model.patterns import parse_pattern
from serbench.model.types import NOTHING
from serbench.system.files import Text


class Layout(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"words": "layout", "having": "with"}
):
    """One way to lay types out.

    Attributes:
        words: the things that are laid out and how, as the end of "writes …" and "reads …"; codecs that lay
            them out in the same way use the same words. Empty for an entry that only lists what is refused.
        having: patterns of the types that it is about; in a schema without any of them it does not matter.
        defaults: the types of fields with a default other than zero that it is about; in a schema without any
            of them it does not matter. With neither ``having`` nor ``defaults``, it is about any schema.
        reads: the words of other layouts that it can read too.
        freely: whether any reader of the format is expected to read it, even one that does not write so, such
            as a number in fewer bytes. A reader that does not names it in ``refuses``.
        refuses: the words of such layouts that it does not read.
    """

    words: Text = ""
    having: tuple[Text, ...] = ()
    defaults: tuple[Text, ...] = ()
    reads: tuple[Text, ...] = ()
    freely: bool = False
    refuses: tuple[Text, ...] = ()

    def counts_in(self, schema: Schema) -> bool:
        """Whether the layout matters for a schema: whether the schema has the types that it is about."""
        if not (self.having or self.defaults):
            return True
        types = types_in(schema.root)
        return any_fits(self.having, types) or any_fits(self.defaults, _with_defaults(types))


def why_unread(written: Sequence[Layout], read: Sequence[Layout]) -> str | None:
    """Return why a codec with the layouts ``read`` cannot read what one with the layouts ``written`` wrote;
    None if it can."""
    given = {each.words for each in written}
    refused = {words for each in read for words in each.refuses}
    taken = {words for each in read for words in (each.words, *each.reads)} | {
        each.words for each in written if each.freely or not each.words
    }
    strange = [each.words for each in written if each.words not in taken - refused]
    needed = [each for each in read if each.words and not each.freely]
    lacking = [each.words for each in needed if not given & {each.words, *each.reads}]
    if strange and lacking:
        return f"writes {_and(strange)}, reads {_and(lacking)}"
    if strange:
        return f"writes {_and(strange)}, which the reader does not read"
    return f"reads {_and(lacking)}, which the writer does not write" if lacking else None


def any_fits(patterns: Iterable[str], types: Iterable[Type]) -> bool:
    """Whether one of the types fits one of the patterns."""
    return any(parse_pattern(each).fits(type) for each in patterns for type in types)


def _with_defaults(types: Iterable[Type]) -> list[Type]:
    """Return the types of fields with a default other than zero."""
    fields = [field for type in types if isinstance(type, Record) for field in type.fields]
    return [field.type for field in fields if field.default is not NOTHING and field.default]


def _and(words: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(words))
