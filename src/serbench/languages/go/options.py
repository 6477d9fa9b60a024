"""What ``codec.toml`` says to Go: the table ``[go]``. ``go.mod`` beside it has the modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.system.files import Text


class GoOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What Go builds a codec with besides ``go.mod``, and what its library wants in the domain types.

    Attributes:
        module: the library, whose version in ``go.mod`` is the codec's; empty where it is Go's own.
        experiment: of ``GOEXPERIMENT``, with which all of the program is built.
        programs: what ``go generate`` runs that ``go.mod`` does not name as tools; found on the path.
        tags: what stands in parts of the domain types, by the part (``domain.TAGS``).
    """

    module: Text = ""
    experiment: Text = ""
    programs: tuple[Text, ...] = ()
    tags: Mapping[str, Text] = msgspec.field(default_factory=dict)


VARIANT_KEYS: tuple[tuple[str, Any, Any], ...] = (("tags", dict[str, Text], {}),)
"""What stands in the domain types of a variant that is not as its codec says."""


def options_of(codec: Codec) -> GoOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, GoOptions)
    return codec.options


def tags_of(variant: Variant) -> Mapping[str, str]:
    """What a variant wants in the domain types."""
    return {**options_of(variant.codec).tags, **variant.options["tags"]}
