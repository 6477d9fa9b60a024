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


class MavenOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The libraries and options with which Maven builds a codec.

    Attributes:
        dependencies: ``group:artifact:version``; the first is the library, whose version is the codec's.
        scalac: further options of the Scala compiler.
        sources: names of codecs whose adapter this one uses too, compiled into its own module.
        programs: those that ``plugins.xml`` runs and no Maven repository has; found on the path.
    """

    dependencies: tuple[_Artifact, ...] = ()
    scalac: tuple[Text, ...] = ()
    sources: tuple[FileName, ...] = ()
    programs: tuple[Text, ...] = ()


VARIANT_KEYS = (("derive", Text, ""),)
"""``derive`` is the Scala expression of what a program makes once, the adapter's argument; in it, ``Root`` is
the root type, ``{workload}`` stands for the workload's package, ``{field_names}`` for a function from the
names of the case classes' fields to those that formats with names carry, and ``{glue}`` for the object that
``glue.py`` writes; where that writes nothing for a workload, the line is left out."""


def options_of(codec: Codec) -> MavenOptions:
    """Return the options of a codec of this language."""
    assert isinstance(codec.options, MavenOptions)
    return codec.options


def source_folders(codec: Codec) -> list[Path]:
    """Return the folders with the sources of a codec's adapter: the codec's own, and those of codecs whose
    adapter is used too."""
    return [codec.directory, *(codec.directory.parent / name for name in options_of(codec).sources)]
