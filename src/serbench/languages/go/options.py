"""The table ``[go]`` of a ``codec.toml``; the file ``go.mod`` beside it has the modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.system.files import Text


class GoOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The options with which Go builds a codec besides ``go.mod``, and the tags of the domain types.

    Attributes:
        module: the library, whose version in ``go.mod`` is the codec's; empty where it is Go's own.
        experiment: the value of ``GOEXPERIMENT`` with which all of the program is built.
        programs: programs that ``go generate`` runs and ``go.mod`` does not name as tools; found on the path.
        tags: part of the domain types (``domain.TAGS``) → its text.
    """

    module: Text = ""
    experiment: Text = ""
    programs: tuple[Text, ...] = ()
    tags: Mapping[str, Text] = msgspec.field(default_factory=dict)


VARIANT_KEYS: tuple[tuple[str, Any, Any], ...] = (("tags", dict[str, Text], {}),)
"""The key ``tags`` of a variant, whose texts replace those of its codec; with its type and default."""


def options_of(codec: Codec) -> GoOptions:
    """Return the options of a codec of this language."""
    assert isinstance(codec.options, GoOptions)
    return codec.options


def tags_of(variant: Variant) -> Mapping[str, str]:
    """Return the tags that fields of the domain types have for a variant: part of these types → text."""
    return {**options_of(variant.codec).tags, **variant.options["tags"]}
