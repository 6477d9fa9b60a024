"""The table ``[npm]`` of ``codec.toml``."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from serbench.codecs.codec import Codec
from serbench.system.files import Text


class NpmOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The packages that npm installs for a codec.

    Attributes:
        dependencies: as in ``package.json``; the first is the library, whose version is the codec's.
        programs: compilers of the codec's IDL that npm does not bring; found on the path.
        moves: names of the dependencies that have the library's version, and change with it.
    """

    dependencies: Mapping[str, Text] = msgspec.field(default_factory=dict)
    programs: tuple[Text, ...] = ()
    moves: tuple[Text, ...] = ()


def options_of(codec: Codec) -> NpmOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, NpmOptions)
    return codec.options
