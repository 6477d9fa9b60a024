"""Schemas as people write them: the schemas inside others, their places in files, and where references lead.

References are resolved by ``referencing`` among the given files. Nothing else is read, from this machine or
another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from referencing import Registry, Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT3, DRAFT4, DRAFT6, DRAFT7, DRAFT202012, specification_with

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.json.files import JsonFile
from serbench.imports.json.parsing import NoJson, may_repeat, no_json, parse, repeated_keys
from serbench.imports.json_schema.form import fault_of, inner_schemas
from serbench.imports.names import listed
from serbench.text import safe, shortened

MOST_BYTES = 8 << 20
"""The most bytes of a schema's text; the largest published ones have two MiB."""

MOST_SCHEMAS = 200_000
"""The most schemas in all files, with those inside others; so many take some hundred MB."""

DEFINITIONS = ("$defs", "definitions")

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

_ALONE = (DRAFT4, DRAFT6, DRAFT7)
"""Drafts in which everything beside a ``$ref`` is ignored."""

_MOST_LISTED = 12


@dataclass(frozen=True, eq=False)
class Document:
    """A file with a schema.

    Attributes:
        schema: the outermost schema.
        draft: the draft of JSON Schema by which it is read.
        repeated: for each key that an object has twice, the keys that lead to it, and itself.
    """

    file: Path
    schema: Any
    draft: Specification[Any]
    repeated: Sequence[tuple[str, ...]]

    @property
    def uri(self) -> str:
        """The URI by which files refer to this one if it has no ``$id``."""
        return self.file.resolve().as_uri()


@dataclass(eq=False, slots=True)
class SubSchema:
    """A schema that is a part of a document, or the whole of it.

    Attributes:
        number: the index of this schema among all schemas of all files.
        holder: the schema that directly holds this one; None for a whole document.
        step: the way that leads here from the holder: ``properties/id``.
        resolver: resolves the references in this schema; None until it is needed.
    """

    number: int
    document: Document
    schema: Any
    holder: SubSchema | None
    step: str
    resolver: Any

    @property
    def place(self) -> str:
        """Its place in the document, such as ``#/properties/id``."""
        steps, part = [], self
        while part.holder:
            steps.append(part.step)
            part = part.holder
        return shortened("/".join([part.step or "#", *reversed(steps)]), 1000)

    @property
    def keywords(self) -> dict[str, Any]:
        """Its keywords with their values: none if the schema is true or false, and only ``$ref`` in drafts
        where that hides all others."""
        if not isinstance(self.schema, dict):
            return {}
        if "$ref" in self.schema and self.document.draft in _ALONE:
            return {"$ref": self.schema["$ref"]}
        return self.schema

    @property
    def definition(self) -> str:
        """The name under which it is defined; empty if it is not a definition."""
        section, slash, name = self.step.partition("/")
        return _unescaped(name) if slash and section in DEFINITIONS else ""

    def refused(self, found: str, expected: str, remedy: str = "", inside: str = "") -> InputError:
        """Returns the error for a fault in this schema, or in the value of its keyword ``inside``."""
        place = f"{self.place}/{inside}" if inside else self.place
        return refused(self.document.file, safe(place, lines=False), found, expected, remedy)


def load(file: Path) -> Document:
    """Reads the schema in a file; raises InputError if it has none."""
    texts = [text for _, text in JsonFile(file, "one").messages()]
    if not texts:
        raise refused(file, "", "no schema: the file is empty", "a JSON Schema")
    text = texts[0]
    if len(text) > MOST_BYTES:
        raise refused(file, "", f"a schema of {len(text)} bytes", f"at most {MOST_BYTES >> 20} MiB")
    try:
        schema = parse(text)
    except NoJson as fault:
        raise no_json(file, fault, expected="a JSON Schema") from None
    if not isinstance(schema, dict | bool):
        raise refused(file, "", "JSON that is not an object", "a JSON Schema")
    repeated = list(dict.fromkeys(repeated_keys(text))) if may_repeat(text, schema) else []
    return Document(file, schema, _draft(file, schema), repeated)


def _draft(file: Path, schema: Any) -> Specification[Any]:
    """Returns the draft that ``$schema`` names; the newest if it names none, or one that is not known."""
    said = schema.get("$schema") if isinstance(schema, dict) else None
    draft: Specification[Any] = (
        specification_with(said, default=DRAFT202012) if isinstance(said, str) else DRAFT202012
    )
    if draft is DRAFT3:
        remedy = "convert it with a tool such as alterschema"
        raise refused(file, "#/$schema", "draft 3 of JSON Schema", "draft 4 or later", remedy)
    return draft


@dataclass
class Documents:
    """All schema files of an import; the first has the schema of a message.

    Attributes:
        parts: all schemas of all files, the outer ones first.
        wholes: the outermost schema of each file.
    """

    documents: Sequence[Document]
    parts: list[SubSchema] = field(default_factory=list)
    wholes: list[SubSchema] = field(default_factory=list)
    _of: dict[int, SubSchema] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[Path]) -> Documents:
        """Reads the schemas of files; raises InputError if one cannot be read or is not a valid schema."""
        made = cls([load(file) for file in files])
        for document in made.documents:
            made.wholes.append(made._enter(document, document.schema, None, "", None))
        resources = [(each.uri, each.draft.create_resource(each.schema)) for each in made.documents]
        try:
            registry: Registry[Any] = Registry().with_resources(resources).crawl()
        except Exception as error:  # any kind, since `$id` may be anything
            file = made.documents[0].file
            raise refused(file, "", "identifiers that no reference can contain", "URIs in $id") from error
        for whole, (uri, resource) in zip(made.wholes, resources, strict=True):
            whole.resolver = registry.resolver(uri).in_subresource(resource)
        return made

    def _enter(
        self, document: Document, schema: Any, holder: SubSchema | None, step: str, resolver: Any
    ) -> SubSchema:
        """Adds a schema and all schemas inside it to ``parts``, the outer ones first; returns it as a
        part."""
        first = len(self.parts)
        left = [(schema, holder, step)]
        while left:
            each, holder, step = left.pop()
            part = SubSchema(len(self.parts), document, each, holder, step, resolver)
            self.parts.append(part)
            self._of.setdefault(id(each), part)
            if len(self.parts) > MOST_SCHEMAS:
                raise refused(document.file, "", f"more than {MOST_SCHEMAS} nested schemas", "fewer")
            if fault := fault_of(each):
                raise part.refused(*fault)
            left += [(inner, part, path) for path, inner in reversed([*inner_schemas(each)])]
        return self.parts[first]

    def part(self, schema: Any) -> SubSchema:
        """Returns the ``SubSchema`` of a nested schema. All that are ``true`` share one, and all ``false``
        another."""
        return self._of[id(schema)]

    def target(self, part: SubSchema, keyword: str) -> SubSchema:
        """Returns the part to which a reference leads; raises InputError if it leads out of the files."""
        reference = part.schema[keyword]
        told = shortened(safe(reference, lines=False), 200)
        try:
            found = self._resolver(part).lookup(reference)
        except Unresolvable:
            expected = "a reference into the given files"
            remedy = "no other files are read: also give the file that it refers to"
            raise part.refused(f"a reference to {told}", expected, remedy, keyword) from None
        except RecursionError:
            raise
        except Exception as error:  # any kind, since a pointer may lead through anything
            raise part.refused(f"a reference to {told}", "one that leads to a schema", "", keyword) from error
        schema = found.contents
        if not isinstance(schema, dict | bool):
            what = "a reference to something that is not a schema"
            raise part.refused(what, "one that leads to a schema", "", keyword)
        if id(schema) in self._of:
            return self.part(schema)
        return self._enter(part.document, schema, None, shortened(str(reference), 200), found.resolver)

    def _resolver(self, part: SubSchema) -> Any:
        """Returns what resolves the references in a part: its holder's resolver, unless it has an ``$id``."""
        chain = [part]
        while chain[-1].resolver is None and chain[-1].holder:
            chain.append(chain[-1].holder)
        resolver = chain[-1].resolver
        for each in reversed(chain[:-1]):
            if isinstance(each.schema, dict):
                resolver = resolver.in_subresource(each.document.draft.create_resource(each.schema))
            each.resolver = resolver
        return resolver

    def message(self, root: str) -> SubSchema:
        """Returns the schema of a message: the whole first file, or the schema that ``root`` names; raises
        InputError if there is none of that name."""
        whole = self.wholes[0]
        if not root:
            return whole
        names = dict(self.definitions())
        if root in names:
            return names[root]
        if root.startswith("#"):
            asked = SubSchema(-1, whole.document, {"$ref": root}, None, "--root", whole.resolver)
            return self.target(asked, "$ref")
        near = get_close_matches(root, names, cutoff=0.4) or list(names)
        raise refused(self.documents[0].file, "", f"no definition called {root}", _listed(near))

    def definitions(self) -> Iterator[tuple[str, SubSchema]]:
        """Returns the definitions at the top of all files, by name; of several with one name, the first."""
        met: set[str] = set()
        for part in self.parts:
            if part.holder and not part.holder.holder and (name := part.definition) and name not in met:
                met.add(name)
                yield name, part

    def expected_root(self) -> str:
        return _listed([name for name, _ in self.definitions()])


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no --root, since nothing is defined by name"
    return f"one of {listed([shortened(safe(name, lines=False), 100) for name in names], _MOST_LISTED)}"


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")
