"""The table ``[cmake]`` of a ``codec.toml``."""

from __future__ import annotations

from typing import Literal

import msgspec

from serbench.codecs.codec import Codec
from serbench.system.files import Text

_Words = tuple[Text, ...]


class CMakeOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """How a codec's library is found (docs/add-a-codec.md); the arguments of ``serbench_codec`` in
    runners/cpp/cmake."""

    package: Text = ""
    components: _Words = ()
    targets: _Words = ()
    version: Text = ""
    header: Text = ""
    libraries: _Words = ()
    version_header: Text = ""
    version_regex: Text = ""
    programs: _Words = ()
    linking: Literal["", "dynamic"] = ""


def options_of(codec: Codec) -> CMakeOptions:
    """The options of a codec of this language."""
    assert isinstance(codec.options, CMakeOptions)
    return codec.options
