"""What ``codec.toml`` says to Cargo: the table ``[cargo]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from serbench.codec import Codec
from serbench.files import Text


class CargoOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What Cargo builds a codec with, and what its library wants to stand at the domain types.

    Attributes:
        dependencies: as in ``Cargo.toml``; the first is the library, whose version is the codec's.
        derive: traits that records, enums and unions derive.
        derive_enum: those that enums derive instead, where they are others.
        attributes: what stands before a part of the domain types, by the part (``domain.ATTRIBUTES``).
    """

    dependencies: Mapping[str, Text | Mapping[str, Any]] = msgspec.field(default_factory=dict)
    derive: tuple[Text, ...] = ()
    derive_enum: tuple[Text, ...] | None = None
    attributes: Mapping[str, Text] = msgspec.field(default_factory=dict)


def options_of(codec: Codec) -> CargoOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, CargoOptions)
    return codec.options
