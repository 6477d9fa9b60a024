"""The options of Python's codecs in ``codec.toml``: the table ``[pip]``, and ``domain`` of a variant."""

from __future__ import annotations

from typing import Literal

import msgspec

from serbench.codecs.codec import Codec
from serbench.system.files import Text

Domain = Literal["dataclass", "keywords", "dict", "struct", "model"]
"""The kinds of messages: dataclasses; dataclasses that a library alone makes, whose fields with a default may
be given by keyword; plain dicts; ``msgspec.Struct``; or models of pydantic."""

DATACLASSES = ("dataclass", "keywords")
"""The kinds that are dataclasses."""


class PipOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The packages that pip brings for a codec.

    Attributes:
        requirements: as pip has them; the first is the library, whose version is the codec's.
        tools: further ones, which only generate code, so that a program does not carry them.
        programs: compilers of the codec's IDL that pip does not bring; found on the path.
    """

    requirements: tuple[Text, ...] = ()
    tools: tuple[Text, ...] = ()
    programs: tuple[Text, ...] = ()


VARIANT_KEYS = (("domain", Domain, "dataclass"),)


def options_of(codec: Codec) -> PipOptions:
    """Return the options of a codec of this language."""
    assert isinstance(codec.options, PipOptions)
    return codec.options
