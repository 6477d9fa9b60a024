"""Codecs as the folders ``codecs/<language>/<name>/`` declare them; ``selecting/catalogue.py`` reads
these."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from serbench.codecs.glue import Glue
from serbench.codecs.laid_out import Layout, any_fits
from serbench.codecs.tolerance import Tolerance
from serbench.codecs.traits import Traits
from serbench.errors import FileError
from serbench.idl import emit, lowers
from serbench.model import Enum, Schema
from serbench.model.grown import EDITION, beyond_first_edition
from serbench.model.kinds import LOGICAL
from serbench.model.parts import types_in
from serbench.system.files import Count, FileName, Name, Text, matching

FEATURES = {
    "schema": "reading needs a schema or type declarations",
    "code_generation": "code is generated from an IDL",
    "self_describing": "bytes can be read without a schema",
    "zero_copy": "fields are read from the bytes in place",
    "human_readable": "text",
    "cross_language": "other languages can read and write it",
    "cycles": "objects can point at each other",
}
"""Feature → its meaning: everything that a ``codec.toml`` declares under ``[features]``."""

FORMER_FEATURES = ("evolution", "random_access")
"""Features that earlier codecs declared. They are read and mean nothing, so that ``--revision`` can measure
these codecs."""

EVOLUTION, UNKNOWN_FIELDS, CONFORMANT = "evolution", "unknown_fields", "conformant"
SEEN_FEATURES = {
    EVOLUTION: "an optional field can be added and dropped, and programs of both schemas read each other",
    UNKNOWN_FIELDS: "a program of an old schema that writes again what it has read keeps fields of a new one",
    CONFORMANT: "it reads and writes all tried cases of its format as the specification says",
}
"""Feature → its meaning: those that are not declared, but seen (``selecting/evolved.py``,
``selecting/conforming.py``)."""

ALL_FEATURES = FEATURES | SEEN_FEATURES

CHECKS = {
    "bounds": "never reads beyond the end of its input, and rejects values that are cut off there",
    "enums": "rejects numbers or names that are not in the enum",
    "utf8": "rejects strings that are not valid UTF-8",
    "trailing": "rejects extra bytes after the message",
}
"""Check → its meaning: everything that ``deserialize`` may check in its input."""

Check = Literal["bounds", "enums", "utf8", "trailing"]


class Review(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The review of an adapter by somebody who maintains the library, by the name that is known there; with
    the version of the library that was in use then."""

    by: Text
    date: datetime.date
    version: Text

    def __str__(self) -> str:
        return f"adapter reviewed by {self.by}, {self.date}, with version {self.version}"


Harm = Literal["crash", "hang", "memory"]

HARMS: dict[Harm, str] = {
    "crash": "ends the process, or raises an error that no program expects",
    "hang": "takes more than 10 s",
    "memory": "requests more than 1 GiB",
}
"""Harm → its meaning: what ``deserialize`` may do with a hostile message instead of returning a value or an
error."""

ReadWay = Literal["skip", "view", "scan", "whole"]

WHOLE: ReadWay = "whole"

WAYS: dict[ReadWay, str] = {
    "skip": "decodes the fields that the reader has, and passes over the others",
    "view": "reads through accessors of a view, and decodes nothing that is not asked for",
    "scan": "parses by events or on demand, and makes no values of what is not asked for",
    WHOLE: "makes values of everything, whatever is asked for",
}
"""Way → its meaning: how a program that has a few fields of a message, the reader, gets at these."""

IN_PLACE, REWRITTEN = "in place", "rewritten"

UPDATE_WAYS = {
    IN_PLACE: "changes values where they lie in the bytes",
    REWRITTEN: "decodes the message to domain objects, changes these, and encodes them",
}
"""Way → its meaning: how a program changes values in the bytes of a message."""


class Inability(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"having": "with", "lacking": "without"}
):
    """A condition under which a codec cannot do a schema or data: exactly one of the attributes below besides
    ``reason``, which tables print.

    Attributes:
        having: schemas with a type that fits one of these patterns (``model/patterns.py``). The types are
            those that the codec sees: one that does not ask for logical types sees their bases.
        lacking: schemas without any type that fits one of these patterns.
        message_bytes_over: data with a message of more canonical bytes than this; None if the condition is
            another one.
        steps_over: data with more steps of recursion inside each other than this; None if the condition is
            another one. Edge values do not have more.
        nested_over: data whose steps of recursion put more values than this inside each other, as
            ``Glue.nested`` counts them, and schemas that have more even without recursion; None if the
            condition is another one. Edge values stay within it too.
        integers_over: data with an integer greater than this number N or less than -N - 1, and schemas with
            an enum that has such a number; None if the condition is another one. Edge values have none.
        floats_outside: data with a float that is less than the first of these or greater than the second, or
            that is NaN; None if the condition is another one. Edge values have none.
        infinite_floats: data with an infinity or NaN. Edge values have none.
        nul_in_keys: data with a map that has a NUL in a key. Edge values have none.
        characters_over: data with a string that has a code point greater than this; None if the condition is
            another one. Edge values have none.
    """

    reason: Text
    having: tuple[Text, ...] = ()
    lacking: tuple[Text, ...] = ()
    message_bytes_over: Count | None = None
    steps_over: Count | None = None
    nested_over: Count | None = None
    integers_over: int | None = None
    floats_outside: tuple[float, float] | None = None
    infinite_floats: bool = False
    nul_in_keys: bool = False
    characters_over: Count | None = None

    def concerns(self, schema: Schema) -> bool:
        """Whether the condition is about schemas, and this schema meets it."""
        if self.integers_over is not None:
            enums = (type for type in types_in(schema.root) if isinstance(type, Enum))
            return any(max(n, -n - 1) > self.integers_over for enum in enums for _, n in enum.members)
        types = types_in(schema.root)
        return any_fits(self.having, types) or bool(self.lacking and not any_fits(self.lacking, types))


@dataclass(frozen=True)
class StepsLimit:
    """The most steps of recursion that a codec can do of a schema, and the reason. -1 if even messages
    without recursion have too many values inside each other."""

    steps: int
    reason: str


class KnownFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault of a library itself, as a sanitizer reported it (``verify --sanitize``).

    Attributes:
        kind: the sanitizer's name for it.
        place: the end of the path of the library's source file; if that is not known, the shared library
            without its version, such as ``libmpi.so``, or the name of the function.
        seen: the version of the library that has it.
        reason: the library's mistake, and why it is not the adapter's.
    """

    kind: Name
    place: Name
    seen: Name
    reason: Text

    def is_of(self, kind: str, file: str, function: str) -> bool:
        """Whether a report is of this fault: ``file`` is where it was found, or, if that is empty,
        ``function``."""
        is_file = f"/{file}".endswith(f"/{self.place}") or file.startswith(f"{self.place}.")
        return kind == self.kind and (is_file if file else re.split(r"[(<]", function)[0] == self.place)


class Idl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a codec's code is generated from an IDL.

    Attributes:
        language: the IDL, whose emitter is ``idl/<language>.py``.
        file: the name of the IDL file; here and below, ``{workload}`` stands for the workload's name.
        command: starts the library's compiler in the folder of generated files; ``{directory}`` stands for
            that folder and ``{file}`` for the IDL file.
        outputs: the files that the compiler writes.

    If the language's own build tool runs the compiler, there is neither command nor outputs.
    """

    language: Annotated[str, matching(r"[a-z][a-z0-9_]*", "the name of an IDL")]
    file: FileName
    command: tuple[Text, ...] = ()
    outputs: tuple[FileName, ...] = ()


@dataclass(frozen=True)
class Codec:
    """One serialization library in one language.

    Attributes:
        language: the name of its folder in ``languages/``; ``traits`` are those of that language.
        options: the language's own table of ``codec.toml``, in the language's type for it.
        dynamic: whether the library exists only as a shared one, so that executables do not contain it.
        glue: the functions that the ``glue.py`` of its folder defines.
        default: whether a command that names no codec uses this one.
        reference: a description of code that is no library, and does not compete; empty for a library.
        maintenance: a statement of its authors that they no longer develop it, with the source, and another
            reader of its bytes; empty if they do.
        reviewed: the review of its adapter by the library's maintainers; None where they have not seen it.
        remembers: the thing that a native object keeps from its first encoding, such as its size, so that
            further encodings are less work; empty if nothing.
        writer_schema: the IDL of the writer's schema, which its library takes beside that of the reader in
            order to read what a program of another schema wrote; empty if it takes none.
        shared: the objects of its library that threads may use at once, with the source; empty if none.
        type_model: the edition of the type model that its adapter knows.
    """

    language: str
    traits: Traits
    name: str
    directory: Path
    summary: str
    homepage: str
    licence: str
    format: str
    features: Mapping[str, bool]
    install: Mapping[str, tuple[str, ...]]
    options: Any
    dynamic: bool
    idl: Idl | None
    glue: Glue
    mapping: Mapping[str, str]
    floor: bool
    default: bool
    reference: str = ""
    maintenance: str = ""
    reviewed: Review | None = None
    remembers: str = ""
    writer_schema: str = ""
    shared: str = ""
    type_model: int = 1
    variants: Mapping[str, Variant] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.language}/{self.name}"

    def written_schema(self, schema: Schema) -> str:
        """Return the text of the schema by which programs of ``schema`` write, for a codec that has a
        ``writer_schema``."""
        seen = self.glue.seen(schema)
        if self.glue.writer_schema:
            return self.glue.writer_schema(seen)
        return emit(self.writer_schema, seen)

    @property
    def competes(self) -> bool:
        """Whether the codec is a library, and neither a floor nor a reference."""
        return not self.floor and not self.reference


@dataclass(frozen=True)
class Variant:
    """One way of using a codec; a row of a table.

    Attributes:
        format: the format of its bytes; codecs with the same format and layout read each other's bytes.
        layout: how it lays types out if the format leaves that open, for example records as maps or arrays.
        layouts: how it lays certain types out; schemas without these types are not affected.
        cannot: the conditions under which it cannot do a schema or data, as ``codec.toml`` declares;
            ``glue.py`` may know more.
        lowered: the kinds of types that it expresses by others, besides those that its IDL expresses so; None
            if that is not declared.
        checks: the checks of ``deserialize``, from ``CHECKS``; None if they are not declared.
        hostile: the harm that some hostile message does, from ``HARMS``, as a property of its library; None
            if that is not declared.
        reads: the way by which it reads a few fields of messages that a program of the whole schema wrote.
        faults: the known faults of its library.
        popular: whether it is how most people of its language use its format: ``-c popular`` selects it.
        options: the language's own keys of the variant, in the language's type for them.
    """

    codec: Codec
    name: str
    adapter: str
    summary: str
    tolerance: Tolerance
    format: str
    layout: str = ""
    layouts: tuple[Layout, ...] = ()
    cannot: tuple[Inability, ...] = ()
    lowered: frozenset[str] | None = None
    options: Any = None
    checks: tuple[Check, ...] | None = None
    hostile: tuple[Harm, ...] | None = None
    reads: ReadWay = "skip"
    faults: tuple[KnownFault, ...] = ()
    popular: bool = False

    def why_not(self, schema: Schema) -> str | None:
        """Return why the variant cannot do a schema, whatever the data; None if it can. (``why_unsupported``
        also looks at the data.)"""
        if self.codec.type_model < EDITION and (new := beyond_first_edition(schema)):
            return f"its adapter supports only the first edition of the type model, which has no {new}"
        seen = self.codec.glue.seen(schema)
        reasons = (each.reason for each in self.cannot if each.concerns(seen))
        if reason := next(reasons, None) or self.codec.glue.fits(seen, self.name):
            return reason
        limit = self.steps_limit(schema)
        return limit.reason if limit and limit.steps < 0 else None

    def laid_out(self, schema: Schema) -> list[Layout]:
        """Return the layouts that matter for this schema."""
        always = [Layout(self.layout)] if self.layout else []
        seen = self.codec.glue.seen(schema)
        return [*always, *(each for each in self.layouts if each.counts_in(seen))]

    def is_lowered(self, kind: str) -> bool | None:
        """Whether the variant expresses a kind of types by others instead of natively; None if that is not
        known."""
        if self.lowered is None:
            return None
        if kind in LOGICAL and not self.codec.glue.logical:
            return True
        return kind in self.lowered or (
            self.codec.idl is not None and kind in lowers(self.codec.idl.language)
        )

    def steps_limit(self, schema: Schema) -> StepsLimit | None:
        """Return the most steps of recursion that the variant can do of a schema; None if it declares no
        limit, or none that a message of this schema can reach."""
        limits = [
            StepsLimit(each.steps_over, each.reason)
            for each in self.cannot
            if each.steps_over is not None and schema.is_recursive
        ]
        seen = self.codec.glue.seen(schema)
        for each in self.cannot:
            if each.nested_over is not None:
                try:
                    limits += _steps_within(each.nested_over, self.codec.glue.nested(seen), each.reason)
                except FileError as error:
                    limits.append(StepsLimit(-1, str(error)))
        return min(limits, key=lambda limit: limit.steps, default=None)

    @property
    def tells_floats(self) -> bool:
        """Whether the variant preserves the difference between a float and its neighbours, by its declared
        tolerance."""
        return self.tolerance.float_absolute == 0

    @property
    def id(self) -> str:
        """The id ``language/codec:variant``; for a codec with only one variant, ``language/codec``."""
        return self.codec.id if len(self.codec.variants) == 1 else f"{self.codec.id}:{self.name}"


def _steps_within(most: int, nested: Iterable[int], reason: str) -> Iterator[StepsLimit]:
    """Yield the limit on steps of a library that takes ``most`` values inside each other, if messages can
    have more; ``nested`` gives how many they have with 0, 1, … steps."""
    for steps, values in enumerate(nested):
        if values > most:
            yield StepsLimit(steps - 1, reason if steps else f"{reason}; there can be {values:,}")
            return
