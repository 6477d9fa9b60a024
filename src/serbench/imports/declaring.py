"""The common part of imports: the names of types, and the mapping and losses of each part."""

from __future__ import annotations

from pathlib import Path

from serbench.errors import LONGEST_FAULT, InputError, SchemaError
from serbench.imports.base import Imported, Loss, Mapped, Request, refused
from serbench.imports.names import TypeNames
from serbench.model import Enum, Record, Ref
from serbench.model.types import Composite, Type
from serbench.text import shortened

MOST_TYPES = 5000
"""The most types that a root may reach."""


class Findings:
    """Collects the mapping and the losses of an import.

    Attributes:
        type_names: makes the names of its types.
        rows: the rows of the mapping, for every field, alternative and enum; None for a reserved one.
    """

    def __init__(self) -> None:
        self.type_names = TypeNames()
        self.rows: list[Mapped | None] = []
        self.losses: list[Loss] = []

    @property
    def mapping(self) -> list[Mapped]:
        """The rows that were told."""
        return [row for row in self.rows if row]

    def reserve(self) -> int:
        """Reserves a row of the mapping, and returns its index: a type comes before its parts there, but is
        known only after them."""
        self.rows.append(None)
        return len(self.rows) - 1

    def tell(self, path: str, theirs: str, type: Type, why: str = "", at: int | None = None) -> None:
        """Adds a row to the mapping; ``at`` is the index of a reserved one."""
        row = self.reserve() if at is None else at
        self.rows[row] = Mapped.to(path, theirs, type, why)

    def lose(self, path: str, *what: str) -> None:
        """Adds losses at a path."""
        self.losses += (Loss(path, each) for each in what)


class Declaring(Findings):
    """Collects the types that a root reaches, for imports whose schemas a compiler reads.

    Attributes:
        file: the file of the schema, which errors name.
        declared: the root's record first, then all other types in the order in which they are met.
        left: keys of the types in the order in which they are met; it grows while types are declared.
    """

    def __init__(self, file: Path):
        super().__init__()
        self.file = file
        self.declared: list[Composite | Enum] = []
        self._names: dict[str, str] = {}
        self.left: list[str] = []

    def ref(self, key: str, qualified: str = "", most: int = MOST_TYPES) -> Ref:
        """A reference to the type that the schema knows by ``key``; ``key`` is also its full name unless
        ``qualified`` is given. Raises InputError if there are more than ``most`` types."""
        if key not in self._names:
            if len(self.left) == most:
                raise self.cannot(
                    qualified or key, f"more than {MOST_TYPES} types", "fewer; --root selects a part"
                )
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
        """The schema of all declared types; raises InputError if they do not make one."""
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


def only_schema(request: Request, title: str, has_data: bool = False) -> Path:
    """The one schema file of a request. Raises InputError for further schemas, for settings, and for data
    unless ``has_data``: this format does not support them."""
    file = request.files[0]
    if len(request.files) > 1:
        raise refused(
            request.files[1],
            "",
            "a second schema",
            "one, which imports the others",
            "give their folder with -I",
        )
    if request.settings:
        raise refused(
            file,
            min(request.settings),
            "a setting with --set",
            f"none: schemas of {title} declare every type",
        )
    if request.data and not has_data:
        remedy = (
            "make up messages with --synthesize 1000, or provide them in another format that serbench imports"
        )
        raise refused(
            request.data[0], "", f"data of {title}", f"a schema only: data in {title} are not read", remedy
        )
    return file
