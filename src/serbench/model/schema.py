"""A schema: a checked, closed set of types with a root, from which generators and encoders work."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from serbench.errors import SchemaError
from serbench.model.as_json import from_json, to_json
from serbench.model.check import check_declarations
from serbench.model.parts import bind, parts, reaches_back, with_parts
from serbench.model.types import Composite, Enum, List, Logical, Record, Ref, Scalar, Type, Union

Updates = Mapping[str, frozenset[str]]
"""Name of a record or union → the fields or alternatives of it in which programs change values."""


@dataclass(frozen=True)
class Walk:
    """The names of the fields by which the data of a schema are a graph.

    Attributes:
        nodes: the root's field that lists the nodes.
        edges: a node's field that lists the edges that lead from it.
        target: an edge's field that holds the index of the node that it leads to.
        source: an edge's field that holds the index of the node that it leads from; empty where there is
            none.
    """

    nodes: str
    edges: str
    target: str
    source: str = ""


class Schema:
    """The types of one workload.

    Types hold each other directly. Only where a type leads back to itself, one step on the way is a ``Ref``,
    which knows its target.

    Attributes:
        name: names the generated files and namespaces.
        root: the record that every message of a dataset is a value of.
        composites: every record and union that the root reaches, each after those inside it.
        enums: every enum that the root reaches.
        walk: the fields by which the data are a graph, if they are one; no part of the layout.
        whole: the schema of the messages that programs of this schema read a part of, for codecs whose bytes
            are laid out by it; None where they read messages of their own.
        updates: the parts of its types in which programs of this schema change values; empty for others.
    """

    def __init__(
        self,
        name: str,
        root: Record,
        also: Iterable[Composite | Enum] = (),
        walk: Walk | None = None,
        whole: Schema | None = None,
        updates: Updates | None = None,
    ):
        """``also`` holds records, unions and enums that fields refer to by name.

        Raises:
            SchemaError: names every fault of the declarations, not only the first.
        """
        declared = _collect([root, *also])
        problems = check_declarations(declared)
        if isinstance(root, Record) and not root.fields:
            problems.append(f"record {root.name}: the root has no fields; expected at least one")
        if problems:
            raise SchemaError(name, problems)
        resolved = _Resolution({t.name: t for t in declared}).of(root)
        self._set(name, resolved[root.name], resolved.values(), walk, whole=whole, updates=updates)
        if walk:
            self._check_walk(walk)

    def _set(
        self,
        name: str,
        root: Any,
        types: Iterable[Composite | Enum],
        walk: Walk | None,
        digest: str = "",
        whole: Schema | None = None,
        updates: Updates | None = None,
    ) -> None:
        made = list(types)
        bind(made)
        self.name, self.root, self.walk, self.whole = name, root, walk, whole
        self.updates: Updates = updates or {}
        self.composites = [t for t in made if isinstance(t, Record | Union)]
        self.enums = [t for t in made if isinstance(t, Enum)]
        self._digest = digest
        self._plain: Schema | None = None

    @property
    def records(self) -> list[Record]:
        """Every record, each after the records inside it."""
        return [t for t in self.composites if isinstance(t, Record)]

    @property
    def unions(self) -> list[Union]:
        """Every union, each after the unions inside it."""
        return [t for t in self.composites if isinstance(t, Union)]

    @property
    def named(self) -> list[Composite | Enum]:
        """Every enum, then every record and union."""
        return [*self.enums, *self.composites]

    @property
    def is_recursive(self) -> bool:
        """Whether some type leads back to itself."""
        return reaches_back(self.root)

    @classmethod
    def made(
        cls,
        name: str,
        root: Any,
        composites: Iterable[Any],
        enums: Iterable[Any],
        walk: Walk | None = None,
        digest: str = "",
        whole: Schema | None = None,
        updates: Updates | None = None,
    ) -> Schema:
        """A schema of types that were checked and then rewritten, each after the types inside it.

        Args:
            digest: the digest of the schema that was declared; by default the new schema's own.
        """
        schema = cls.__new__(cls)
        schema._set(name, root, [*enums, *composites], walk, digest, whole, updates)
        return schema

    def rewritten(self, change: Callable[[Type], Type]) -> Schema:
        """The same schema, and digest, with ``change`` made to each nameless type, the innermost first."""
        made: dict[str, Any] = {enum.name: enum for enum in self.enums}

        def rewrite(type: Type) -> Type:
            match type:
                case Ref(name):
                    return Ref(name)
                case Enum(name) | Record(name) | Union(name):
                    return made[name]  # type: ignore[no-any-return]
                case _:
                    return change(with_parts(type, rewrite))

        for composite in self.composites:
            made[composite.name] = _with_types(composite, rewrite)
        composites = [made[composite.name] for composite in self.composites]
        whole = self.whole and self.whole.rewritten(change)
        root = made[self.root.name]
        return Schema.made(
            self.name, root, composites, self.enums, self.walk, self.digest(), whole, self.updates
        )

    def plain(self) -> Schema:
        """The schema with each logical type replaced by its base, as domain types have it; its digest is the
        same.

        It is kept, since every codec asks for it for every workload.
        """
        if self._plain is None:
            self._plain = self.rewritten(lambda type: type.base if isinstance(type, Logical) else type)
        return self._plain

    def _check_walk(self, walk: Walk) -> None:
        record = self.root
        for name in (walk.nodes, walk.edges):
            type = next((f.type for f in record.fields if f.name == name), None)
            if not (isinstance(type, List) and isinstance(type.item, Record)):
                raise SchemaError(
                    self.name, [f"walk: record {record.name} has no field {name} that is a list of records"]
                )
            record = type.item
        target, source = (
            next((f.type for f in record.fields if f.name == name), None)
            for name in (walk.target, walk.source)
        )
        if not (isinstance(target, Scalar) and target.is_integer):
            raise SchemaError(self.name, [f"walk: record {record.name} has no integer field {walk.target}"])
        if walk.source and (source != target or walk.source == walk.target):
            raise SchemaError(
                self.name, [f"walk: record {record.name} has no other {target.name} field {walk.source}"]
            )

    def to_json(self) -> dict[str, Any]:
        """The schema as plain JSON values; ``from_json`` reads it back."""
        return to_json(self.name, self.root, self.named)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Schema:
        """The schema that ``data`` declares; raises SchemaError if there is a fault."""
        try:
            name, root, types = from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SchemaError("from JSON", [f"{type(error).__name__}: {error}"]) from error
        if root is None:
            raise SchemaError(name, [f"root record {data['root']} is not declared"])
        try:
            return cls(name, root, types)
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SchemaError("from JSON", [f"{type(error).__name__}: {error}"]) from error

    def digest(self) -> str:
        """SHA-256 of the schema's JSON, in hexadecimal: two schemas with one digest have one layout."""
        if not self._digest:
            text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
            self._digest = hashlib.sha256(text.encode()).hexdigest()
        return self._digest


class _Resolution:
    """Replaces references by the declared types, except for those that lead back."""

    def __init__(self, declared: dict[str, Composite | Enum]):
        self._declared = declared
        self._resolved: dict[str, Composite | Enum] = {}
        self._begun: set[str] = set()

    def of(self, root: Record) -> dict[str, Composite | Enum]:
        """Every named type that ``root`` reaches, each after the types inside it."""
        self._resolve(root)
        return self._resolved

    def _resolve(self, type: Type) -> Type:
        match type:
            case Ref(name) if name not in self._begun:
                return self._resolve(self._declared[name])
            case Ref(name) | Record(name) | Union(name) if name in self._begun:
                return self._resolved.get(name) or Ref(name)
            case Record(name) | Union(name):
                self._begun.add(name)
                self._resolved[name] = _with_types(type, self._resolve)
                return self._resolved[name]
            case Enum(name):
                return self._resolved.setdefault(name, type)
            case _:
                return with_parts(type, self._resolve)


def _with_types(composite: Composite, change: Callable[[Type], Type]) -> Composite:
    """The record or union with ``change`` made to the type of each field or alternative."""
    held: tuple[Any, ...] = composite.parts
    made = [replace(part, type=None if part.type is None else change(part.type)) for part in held]
    return composite.__class__(composite.name, made, composite.wire, composite.gone)


def _collect(types: Iterable[Any]) -> list[Composite | Enum]:
    """The distinct records, unions and enums in ``types`` and their parts, in the order of first use."""
    found: list[Composite | Enum] = []
    met: dict[str, list[Any]] = {}

    def meet(type: Any) -> None:
        if isinstance(type, Record | Union | Enum):
            known = met.setdefault(type.name, [])
            if any(type is each or type == each for each in known):
                return
            known.append(type)
            found.append(type)
        for part in parts(type):
            meet(part)

    for type in types:
        meet(type)
    return found
