"""The names that flatc's TypeScript has for the fields of tables and structs, and code that functions share.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from serbench.codegen.source import Source
from serbench.idl import fbs_parts
from serbench.idl.fbs_parts import Parts
from serbench.idl.fbs_ts import camel
from serbench.languages.javascript.names import member, wrapped
from serbench.model import Record, Type, Union
from serbench.model.names import capitalised


@dataclass(frozen=True)
class Part(fbs_parts.TablePart):
    @property
    def title(self) -> str:
        """The field's name inside of another name, such as ``addName``."""
        return capitalised(self.name)


@dataclass
class Conversion(Parts[Part]):
    """Base of generators; each writes functions of one kind, such as ``build``. The methods ``record``
    and ``union`` of a subclass write the function for a type.

    Attributes:
        glue: the generator of the whole file.
    """

    out: Source
    glue: Any
    part_class = Part
    spread = "..."
    _taken: Counter[str] = field(default_factory=Counter)

    def function(self, name: str, type: Type, low: Type) -> None:
        """Write the function ``name`` for a record or union."""
        self._taken.clear()
        self.out("")
        getattr(self, "union" if isinstance(low, Union) else "record")(name, type, low)

    def local(self, name: str) -> str:
        """Return a variable that the function does not have yet, and whose name no function and no class has:
        no other name has the sign ``$``."""
        self._taken[name] += 1
        return f"${name}" if self._taken[name] == 1 else f"${name}${self._taken[name]}"

    def line(self, head: str, items: Sequence[str], end: str) -> None:
        """Write a line of code; if it is too long, each of ``items`` gets its own line."""
        self.out(*wrapped(head, list(items), end, self.out.margin))

    def accessor(self, name: str) -> str:
        return camel(name)

    def place(self, name: str) -> str:
        return member("value", name)

    @contextmanager
    def each(self, part: Part, low: Type, n: str, count: str) -> Iterator[str]:
        """Write a loop with index ``n`` over a vector of ``count`` items, around what the body writes; yield
        the expression that reads an item."""
        view = ""
        if isinstance(low, Record) and low.fields:
            view = self.local("item")
            self.out(f"const {view} = new fbs.{low.name}();")
        with self.out.block(f"for (let {n} = 0; {n} < {count}; ++{n}) {{"):
            yield f"from.{part.name}({n}{', ' if isinstance(low, Record) else ''}{view})"
