"""The options of codecs on the JVM in ``codec.toml``: the table ``[maven]``, and ``derive`` of a variant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from serbench.codecs.codec import Codec
from serbench.system.files import FileName, Text

_Artifact = Annotated[
    str,
    msgspec.Meta(
        max_length=100, pattern=r"^[^:\s]+:[^:\s]+:[^:\s]+\Z", extra={"expected": "group:artifact:version"}
    ),
]
_Name = Annotated[
    str,
    msgspec.Meta(max_length=100, pattern=r"^[^:\s]+:[^:\s]+\Z", extra={"expected": "group:artifact"}),
]


class MavenOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The libraries and options with which Maven builds a codec.

    Attributes:
        dependencies: ``group:artifact:version``; the first is the library, whose version is the codec's.
        moves: ``group:artifact`` of the dependencies that have the library's version, and change with it.
        scalac: further options of the Scala compiler.
        sources: names of other codecs whose adapters are compiled into this codec's module too.
        programs: programs that ``plugins.xml`` runs and no Maven repository has; found on the path.
    """

    dependencies: tuple[_Artifact, ...] = ()
    moves: tuple[_Name, ...] = ()
    scalac: tuple[Text, ...] = ()
    sources: tuple[FileName, ...] = ()
    programs: tuple[Text, ...] = ()


VARIANT_KEYS = (("derive", Text, ""),)
"""The key ``derive`` of a variant: a Scala expression, which a program evaluates once for the adapter. In it,
``Root`` is the root type, ``{workload}`` the workload's package, ``{field_names}`` a function from the names
of the case classes' fields to their written names, and ``{glue}`` the object that ``glue.py`` writes; a line
with ``{glue}`` is left out for a workload for which ``glue.py`` writes nothing."""


def options_of(codec: Codec) -> MavenOptions:
    """Return the options of a codec of this language."""
    assert isinstance(codec.options, MavenOptions)
    return codec.options


def source_folders(codec: Codec) -> list[Path]:
    """Return the folders with the sources of a codec's adapter: the codec's own, and those of codecs whose
    adapter is used too."""
    return [codec.directory, *(codec.directory.parent / name for name in options_of(codec).sources)]
