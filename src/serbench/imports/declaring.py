"""Collects the results of reading a schema: the types with their names, the mapping and the losses."""

from __future__ import annotations

from pathlib import Path

from serbench.errors import LONGEST_FAULT, InputError, SchemaError
from serbench.imports.base import Imported, Loss, Mapped, Request, refused
from serbench.imports.names import TypeNames, listed
from serbench.imports.sources import Syntax, not_imported
from serbench.model import Enum, Record, Ref
from serbench.model.types import Composite, Type
from serbench.text import shortened

_MOST_NAMED = 6


class Findings:
    """Collects the mapping and the losses of an import.

    Attributes:
        type_names: makes the names of types.
        rows: the rows of the mapping, for every field, alternative and enum; None for a reserved one.
    """

    def __init__(self) -> None:
        self.type_names = TypeNames()
        self.rows: list[Mapped | None] = []
        self.losses: list[Loss] = []

    @property
    def mapping(self) -> list[Mapped]:
        """The rows of the mapping, without those that are only reserved."""
        return [row for row in self.rows if row]

    def reserve(self) -> int:
        """Reserves a row of the mapping for a type that is known only after its parts; returns the index."""
        self.rows.append(None)
        return len(self.rows) - 1

    def tell(self, path: str, theirs: str, type: Type, why: str = "", at: int | None = None) -> None:
        """Adds a row (``Mapped``) to the mapping, or fills the reserved one with the index ``at``."""
        row = self.reserve() if at is None else at
        self.rows[row] = Mapped.to(path, theirs, type, why)

    def lose(self, path: str, *what: str) -> None:
        """Adds the losses ``what`` of the part at ``path``."""
        self.losses += (Loss(path, each) for each in what)


class Declaring(Findings):
    """Collects the declarations of the types that a root reaches.

    Attributes:
        most_types: the most types that a root may reach.
        file: the file of the schema, which errors name.
        declared: the root's record first, then all other types in the order in which they are met.
        left: the keys of all types to declare, in the order in which they are met; grows meanwhile.
    """

    most_types = 5000

    def __init__(self, file: Path):
        super().__init__()
        self.file = file
        self.declared: list[Composite | Enum] = []
        self._names: dict[str, str] = {}
        self.left: list[str] = []

    def ref(self, key: str, qualified: str = "") -> Ref:
        """A reference to the type that the schema knows by ``key``; ``key`` is also its full name unless
        ``qualified`` is given. Raises InputError if there are more than ``most_types`` types."""
        if key not in self._names:
            if len(self.left) == self.most_types:
                found = f"more than {self.most_types} types"
                raise self.cannot(qualified or key, found, "fewer; --root selects a part")
            self._names[key] = self.type_names.of_qualified(qualified or key)
            self.left.append(key)
        return Ref(self._names[key])

    def add_enum(self, path: str, enum: Enum, theirs: str) -> None:
        """Declares an enum, and adds its row to the mapping."""
        self.declared.append(enum)
        kind = "open" if enum.open else "closed"
        self.rows.append(Mapped(path, theirs, f"{kind} enum {enum.name} over {enum.underlying.name}"))

    def cannot(
        self, path: str, found: str, expected: str = "types of the type model", remedy: str = ""
    ) -> InputError:
        """The error for a part that the type model cannot express."""
        return refused(self.file, path, found, expected, remedy)

    def imported(self, root: str) -> Imported:
        """The schema of all declared types; raises InputError if these do not make one."""
        record = self.declared[0]
        assert isinstance(record, Record)
        imported = Imported(record, self.declared[1:], self.mapping, list(dict.fromkeys(self.losses)))
        try:
            imported.schema("imported")
        except SchemaError as error:
            what = shortened("; ".join(error.problems[:3]), LONGEST_FAULT)
            raise self.cannot(root, f"a construct that is not supported ({what})") from None
        except RecursionError:
            raise self.cannot(root, "too deeply nested types", "at most some hundred levels") from None
        return imported


def only_schema(request: Request, title: str, syntax: Syntax, has_data: bool = False) -> Path:
    """The one schema of a request that imports the others, for a format that supports no settings, and data
    only if ``has_data``; raises InputError if the request has any of these, or several such schemas."""
    roots = not_imported(request.files, request.folders, syntax)
    if len(roots) != 1:
        how = "that no other imports" if roots else "that import each other in a circle"
        names = listed([each.name for each in roots or request.files], _MOST_NAMED)
        remedy = "give that one alone, and the folder of those that it imports with -I"
        found = f"{len(roots or request.files)} schemas {how}: {names}"
        raise refused(request.files[0].parent, "", found, "one that imports the others", remedy)
    (file,) = roots
    if request.settings:
        expected = f"none: schemas of {title} declare every type"
        raise refused(file, min(request.settings), "a setting with --set", expected)
    if request.data and not has_data:
        expected = f"a schema only: data in {title} are not read"
        remedy = (
            "make up messages with --synthesize 1000, or provide them in another format that serbench imports"
        )
        raise refused(request.data[0], "", f"data of {title}", expected, remedy)
    return file
