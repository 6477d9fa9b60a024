"""What the imports of schemas that a compiler has read have in common: names of types, and what is told of
each part."""

from __future__ import annotations

from pathlib import Path

from serbench.errors import LONGEST_FAULT, InputError, SchemaError
from serbench.imports.base import Imported, Loss, Mapped, Request, refused
from serbench.imports.names import TypeNames
from serbench.model import Enum, Record, Ref
from serbench.model.types import Composite, Type
from serbench.text import shortened

MOST_TYPES = 5000
"""That a root reaches."""


class Declaring:
    """The types that a root reaches.

    Attributes:
        file: of the schema, which errors name.
        declared: the root's record first, then all others in the order in which they are met.
        rows: of every field, alternative and enum.
        left: keys of the types in the order in which they are met, which grows while they are told.
    """

    def __init__(self, file: Path):
        self.file = file
        self.declared: list[Composite | Enum] = []
        self.rows: list[Mapped] = []
        self._losses: dict[Loss, None] = {}
        self.type_names = TypeNames()
        self._names: dict[str, str] = {}
        self.left: list[str] = []

    def ref(self, key: str, qualified: str = "") -> Ref:
        """A reference to the type that the schema knows by ``key``, whose full name it is if no other is
        given; raises InputError where there are too many."""
        if key not in self._names:
            if len(self.left) == MOST_TYPES:
                raise self.cannot(
                    qualified or key, f"more than {MOST_TYPES} types", "fewer; --root selects a part"
                )
            self._names[key] = self.type_names.of_qualified(qualified or key)
            self.left.append(key)
        return Ref(self._names[key])

    def tell(self, path: str, theirs: str, type: Type, why: str = "") -> None:
        """A row of the mapping."""
        self.rows.append(Mapped.to(path, theirs, type, why))

    def lose(self, path: str, what: str) -> None:
        """A loss, told once."""
        self._losses[Loss(path, what)] = None

    def cannot(
        self, path: str, found: str, expected: str = "types of the type model", remedy: str = ""
    ) -> InputError:
        """The error for what the type model has not."""
        return refused(self.file, path, found, expected, remedy)

    def imported(self, root: str) -> Imported:
        """What was declared; raises InputError where there are no values of it."""
        record = self.declared[0]
        assert isinstance(record, Record)
        imported = Imported(record, self.declared[1:], self.rows, list(self._losses))
        try:
            imported.schema("imported")
        except SchemaError as error:
            what = shortened("; ".join(error.problems[:3]), LONGEST_FAULT)
            raise self.cannot(root, f"a construct that is not supported ({what})") from None
        except RecursionError:
            raise self.cannot(root, "too deeply nested types", "at most some hundred levels") from None
        return imported


def only_schema(request: Request, title: str, has_data: bool = False) -> Path:
    """The one file of a request, which has no settings; raises InputError where it asks for more than the
    format has."""
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
