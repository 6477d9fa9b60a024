"""The table ``[cargo]`` of ``codec.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.system.files import Text


class CargoOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The crates with which Cargo builds a codec, and the derives and attributes of its domain types.

    Attributes:
        dependencies: as in ``Cargo.toml``; the first is the library, whose version is the codec's.
        derive: traits that records, enums and unions derive.
        derive_enum: traits that enums derive instead, unless they are open; None for the same.
        attributes: the text before a part of the domain types, by the part (``domain.ATTRIBUTES``).
        modules: files of ``runners/rust/shared``, without their ending, that are modules of each program.
        whole: whether programs that read a part of a message look at the whole of it, whose types they have
            as the module ``whole`` therefore.
        programs: names of the programs that its generator runs, found on the path.
        moves: names of the dependencies that have the library's version, and change with it.
    """

    dependencies: Mapping[str, Text | Mapping[str, Any]] = msgspec.field(default_factory=dict)
    derive: tuple[Text, ...] = ()
    derive_enum: tuple[Text, ...] | None = None
    attributes: Mapping[str, Text] = msgspec.field(default_factory=dict)
    modules: tuple[Text, ...] = ()
    whole: bool = False
    programs: tuple[Text, ...] = ()
    moves: tuple[Text, ...] = ()


VARIANT_KEYS: tuple[tuple[str, Any, Any], ...] = (
    ("borrowed", tuple[Text, ...], ()),
    ("derive_enum", tuple[Text, ...] | None, None),
    ("attributes", dict[str, Text], {}),
)
"""The keys that a variant may set for itself, each with its type and default: ``borrowed``, the traits that
types derive whose texts and bytes are those of the message, where its adapter reads such; and others of
``CargoOptions``."""


def options_of(codec: Codec) -> CargoOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, CargoOptions)
    return codec.options


def types_of(variant: Variant) -> CargoOptions:
    """The options of a variant's codec, with the variant's own derives and attributes of domain types."""
    codec, own = options_of(variant.codec), variant.options
    return msgspec.structs.replace(
        codec,
        derive_enum=codec.derive_enum if own["derive_enum"] is None else own["derive_enum"],
        attributes={**codec.attributes, **own["attributes"]},
    )
