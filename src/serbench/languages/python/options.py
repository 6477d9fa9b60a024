"""What ``codec.toml`` says of a codec in Python: the table ``[pip]``, and the domain types of a variant."""

from __future__ import annotations

from typing import Literal

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.system.files import Text

Domain = Literal["dataclass", "dict", "struct", "model"]
"""What a message is: dataclasses, plain dicts, ``msgspec.Struct``, or models of pydantic."""


class PipOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What pip brings for a codec.

    Attributes:
        requirements: as pip has them; the first is the library, whose version is the codec's.
        programs: what compiles the codec's IDL that pip does not bring; found on the path.
    """

    requirements: tuple[Text, ...] = ()
    programs: tuple[Text, ...] = ()


VARIANT_KEYS = (("domain", Domain, "dataclass"),)


def options_of(codec: Codec) -> PipOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, PipOptions)
    return codec.options


def domain_of(variant: Variant) -> Domain:
    """What the messages of a variant are."""
    domain: Domain = variant.options["domain"]
    return domain
