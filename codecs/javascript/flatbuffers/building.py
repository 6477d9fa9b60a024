"""What writes domain objects: a function for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.fbs import OFFSET
from serbench.idl.fbs_parts import is_bytes, is_number
from serbench.languages.javascript.messages import no_tag
from serbench.languages.javascript.names import text
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Scalar, Type, Union, string
from serbench.model.parts import resolved

from .parts import Conversion, Part


@dataclass
class Builds(Conversion):
    """Functions whose result is where in the buffer something lies."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Union):
            assert isinstance(type, Union)
            self.union(name, type, low)
            return
        assert isinstance(low, Record)
        given = ["key", "value"] if self.made(low) == "entry" else ["value"] if low.fields else []
        with self.out.block(f"function {name}({', '.join(['to', *given])}) {{"):
            if self.is_struct(low):
                self.line(f"return fbs.{low.name}.create{low.name}(", ["to", *self.flat(type, low)], ");")
            else:
                self.table(type, low)

    def union(self, name: str, type: Union, low: Union) -> None:
        """Two functions: which alternative it is, and where that lies."""
        pairs = list(zip(type.alternatives, low.alternatives, strict=True))
        with (
            self.out.block(f"function {self.kind_of(low)}(value) {{"),
            self.out.block("switch (value.tag) {"),
        ):
            for own, lower in pairs:
                self.out(f"case {text(own.name)}:", f"  return fbs.{low.name}.{lower.name};")
            self.out("default:", f"  {no_tag(type)}")
        self.out("")
        with self.out.block(f"function {name}(to, value) {{"), self.out.block("switch (value.tag) {"):
            for own, lower in pairs:
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                given = "to, value.value" if table.fields else "to"
                self.out(f"case {text(own.name)}:", f"  return {call}({given});")
            self.out("default:", f"  {no_tag(type)}")

    def kind_of(self, low: Union) -> str:
        """The name of the function that gives the number of an alternative."""
        return f"kindOf{low.name}"

    def flat(self, type: Type, low: Record, inside: str = "") -> list[str]:
        """The numbers of a struct, with those of structs in it, in their order."""
        found = []
        for each, lower, place, accessors in self.members(type, low):
            if inside:
                place = f"{inside}{place.removeprefix('value')}"
            if isinstance(each, FixedBytes) and self.made(low) == "fixed":
                found.append(f"...{place}")
            elif isinstance(each, Array):
                assert isinstance(lower, List)
                if is_number(lower.item):
                    found.append(f"...{place}")
                    continue
                for n in range(len(accessors)):
                    found += self.flat(each.item, lower.item, f"{place}[{n}]")  # type: ignore[arg-type]
            elif is_number(lower):
                found.append(place)
            else:
                assert isinstance(lower, Record)
                found += self.flat(each, lower, place)
        return found

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        offsets = {part.slot: self.referred(low.name, part) for part in parts}
        self.out(f"fbs.{low.name}.start{low.name}(to);")
        for size in (8, 4, 2, 1):  # without padding between them, as flatc's code for C++ has it
            for part in reversed(parts):
                self.add(low.name, part, offsets[part.slot], size)
        self.out(f"return fbs.{low.name}.end{low.name}(to);")

    # What lies elsewhere is written first.

    def referred(self, table: str, part: Part) -> str:
        """Writes what a field refers to; the variable that says where it lies. Nothing for what lies in the
        table."""
        type, low = part.held
        if is_number(low) or self.is_struct(low):
            return ""
        place, begin = part.place, f"fbs.{table}.NAME{part.title}Vector"
        if part.is_optional:
            condition = f"{place} !== null"
        elif part.is_key or isinstance(type, Array) or isinstance(low, Record | Union):
            condition = ""
        else:
            condition = f"{place}.{'size' if isinstance(type, Map) else 'length'} !== 0"
        name = self.local("offset")
        if not condition:
            self.offset(f"const {name} = ", type, low, place, begin)
            return name
        self.out(f"let {name} = 0;")
        with self.out.block(f"if ({condition}) {{"):
            self.offset(f"{name} = ", type, low, place, begin)
        return name

    def offset(self, head: str, type: Type, low: Type, place: str, begin: str) -> None:
        """Writes what makes a value, and assigns where it lies."""
        match type, low:
            case _, Scalar("string"):
                self.line(f"{head}to.createString(", [place], ");")
            case _ if is_bytes(low):
                self.line(f"{head}to.createByteVector(", [place], ");")
            case _, (Record() | Union()):
                given = ["to"] if isinstance(low, Record) and not low.fields else ["to", place]
                self.line(f"{head}{self.glue.call('build', type, low)}(", given, ");")
            case Map(), List(item):
                self.entries(head, type, resolved(item), place, begin)
            case ((List() | Array()), List(item)):
                self.vector(head, type, resolved(item), place, begin)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def vector(self, head: str, type: List | Array, low: Type, place: str, begin: str) -> None:
        """That of a list or an array."""
        create = f"{head}{begin.replace('NAME', 'create')}("
        if is_number(low):
            self.line(create, ["to", place], ");")
            return
        if self.is_struct(low):
            n = self.local("n")
            self.line(f"{begin.replace('NAME', 'start')}(", ["to", f"{place}.length"], ");")
            with self.out.block(f"for (let {n} = {place}.length - 1; {n} >= 0; --{n}) {{"):
                call = self.glue.call("build", resolved(type.item), low)
                self.line(f"{call}(", ["to", f"{place}[{n}]"], ");")
            self.out(f"{head}to.endVector();")
            return
        offsets, item = self.local("offsets"), self.local("item")
        self.out(f"const {offsets} = [];")
        with self.out.block(f"for (const {item} of {place}) {{"):
            self.line(f"{offsets}.push(", [self.item(type.item, low, item)], ");")
        self.line(create, ["to", offsets], ");")

    def item(self, type: Type, low: Type, place: str) -> str:
        """What makes an item that lies elsewhere."""
        if low == string:
            return f"to.createString({place})"
        given = "to" if isinstance(low, Record) and not low.fields else f"to, {place}"
        return f"{self.glue.call('build', resolved(type), low)}({given})"

    def entries(self, head: str, type: Map, low: Record, place: str, begin: str) -> None:
        """The vector of a map, whose entries are in the order of their keys."""
        call = self.glue.call("build", type, low)
        entries, key, item = self.local("entries"), self.local("key"), self.local("item")
        self.out(f"const {entries} = [...{place}].sort({self.order(type.key)});")
        if not self.is_struct(low):
            offsets = self.local("offsets")
            self.out(f"const {offsets} = [];")
            with self.out.block(f"for (const [{key}, {item}] of {entries}) {{"):
                self.line(f"{offsets}.push(", [f"{call}(to, {key}, {item})"], ");")
            self.line(f"{head}{begin.replace('NAME', 'create')}(", ["to", offsets], ");")
            return
        n = self.local("n")
        self.line(f"{begin.replace('NAME', 'start')}(", ["to", f"{entries}.length"], ");")
        with self.out.block(f"for (let {n} = {entries}.length - 1; {n} >= 0; --{n}) {{"):
            self.out(f"const [{key}, {item}] = {entries}[{n}];", f"{call}(to, {key}, {item});")
        self.out(f"{head}to.endVector();")

    def order(self, key: Type) -> str:
        """The function that compares entries."""
        number = key.underlying if isinstance(key, Enum) else key
        assert isinstance(number, Scalar)
        match number.name:
            case "string":
                return "byText"
            case "bool" | "i64" | "u64":
                return "byValue"
            case _:
                return "byNumber"

    # What lies in the table.

    def add(self, table: str, part: Part, offset: str, size: int) -> None:
        """Adds the parts of a field that have this size."""
        type, low = part.held
        head = f"fbs.{table}.add{part.title}"
        if isinstance(low, Union) and size == 1:
            if not part.is_optional:
                self.line(f"{head}Type(", ["to", f"{self.kind_of(low)}({part.place})"], ");")
            else:
                with self.out.block(f"if ({part.place} !== null) {{"):
                    self.line(f"{head}Type(", ["to", f"{self.kind_of(low)}({part.place})"], ");")
        if (self.glue.tables.size(low) if is_number(low) else OFFSET) != size:
            return
        if offset:
            self.line(f"{head}(", ["to", offset], ");")
        elif not is_number(low):
            made = f"{self.glue.call('build', type, low)}(to, {part.place})"
            if part.is_optional:
                with self.out.block(f"if ({part.place} !== null) {{"):
                    self.line(f"{head}(", ["to", made], ");")
            else:
                self.line(f"{head}(", ["to", made], ");")
        else:
            self.add_number(head, part, low)

    def add_number(self, head: str, part: Part, low: Type) -> None:
        """Adds a number: its field's own function leaves out what equals the default, which is 0 for optional
        ones too, in the code of some versions of flatc."""
        number = low.underlying if isinstance(low, Enum) else low
        assert isinstance(number, Scalar)
        kind = f"{'Float' if number.is_float else 'Int'}{8 * number.width}"
        if isinstance(part.low, Optional):
            value = f"Number({part.place})" if number.name == "bool" else part.place
            with self.out.block(f"if ({part.place} !== null) {{"):
                self.line(f"to.addField{kind}(", [str(part.slot), value, "null"], ");")
        elif number.is_float:
            with self.out.block(f"if (Object.is({part.place}, -0)) {{", "} else {"):
                self.out(f"to.addField{kind}({part.slot}, -0, null);")
            with self.out.indented():
                self.line(f"{head}(", ["to", part.place], ");")
            self.out("}")
        else:
            self.line(f"{head}(", ["to", part.place], ");")
