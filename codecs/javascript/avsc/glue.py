"""Generates code between domain objects and the plain objects that avsc writes and reads. A union's value is
plain where its JavaScript type tells the branch, and else in an object under the branch's name."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.idl.avsc import SCALARS, branch_of, lowered, text
from serbench.languages.javascript import names
from serbench.languages.javascript.messages import MessageFunctions, no_tag
from serbench.languages.javascript.names import member, property_name, wrapped
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Scalar,
    Schema,
    Type,
    Union,
    string,
)
from serbench.model.parts import resolved

_LONGS = {"u32": "u32", "u64": "u64"}
"""Unsigned integer → the adapter's own type of long: a plain number for u32, an unsigned bigint for u64."""

_ENTRY = " => ({ "
"""The JavaScript text before the object that is a map's entry, where keys are no strings."""

_TESTS = {
    "null": "held === null",
    "boolean": 'typeof held === "boolean"',
    "number": 'typeof held === "number"',
    "bigint": 'typeof held === "bigint"',
    "string": 'typeof held === "string"',
    "buffer": "Buffer.isBuffer(held)",
    "array": "Array.isArray(held)",
    "object": "",
}
"""Kind of JavaScript values → the condition that a value is of it; none for objects, which come last."""


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can. The library keeps an enum's symbols as
    the properties of an object, so a symbol cannot have a name that every object inherits."""
    for enum in lowered(schema).enums:
        if inherited := [symbol for symbol, _ in enum.members if symbol in names.INHERITED]:
            return (
                f"takes the symbol {inherited[0]}, which every object inherits, for one that is there twice"
            )
    return None


def emit(schema: Schema) -> str:
    """Return the text of ``glue.js`` for a workload."""
    return _Glue(schema).text()


def writer_schema(schema: Schema) -> str:
    """Return the text of the schema by which programs of a workload write."""
    return text(lowered(schema), scalars=SCALARS | _LONGS)


def _bucket(low: Type | None) -> str:
    """The kind of a branch's values in JavaScript; a union whose branches differ in kind needs no names."""
    match resolved(low):
        case None:
            return "null"
        case Scalar("bool"):
            return "boolean"
        case Scalar("i64" | "u64"):
            return "bigint"
        case Scalar("bytes") | FixedBytes():
            return "buffer"
        case Scalar("string") | Enum():
            return "string"
        case Scalar():
            return "number"
        case List():
            return "array"
        case Map(key, _) if key != string:
            return "array"
        case _:
            return "object"


class _Glue(MessageFunctions):
    absent = "null"

    def __init__(self, schema: Schema):
        super().__init__(schema, lowered(schema))
        self.used: set[str] = set()
        self.same = self._taken_as_they_are()

    def _taken_as_they_are(self) -> set[str]:
        """Return the names in Avro of the records whose domain objects the library takes as they are."""
        pairs = [(each, self.types.record(self.natives[each.name].name)) for each in self.schema.records]
        self.same = {low.name for _, low in pairs}
        while True:
            left = {
                low.name
                for record, low in pairs
                if all(
                    own.name == lower.name and self._is_same(own.type, lower.type)
                    for own, lower in zip(record.fields, low.fields, strict=True)
                )
            }
            if left & self.same == self.same:
                return self.same
            self.same &= left

    def _is_same(self, type: Type, low: Type) -> bool:
        low = resolved(low)
        match type, low:
            case _, (Record() | Union()):
                return low.name in self.same
            case Optional(item), Optional(lower):
                return self._is_same(item, lower)
            case ((List(item) | Array(item, _)), List(lower)):
                return self._is_same(item, lower)
            case _, Scalar(name):
                return name != "bytes"
            case _:
                return False

    # --- the file ---

    def imports(self) -> list[str]:
        found = sorted(self.used & {"bufferOf", "octetsOf"})
        return [f'import {{ {", ".join(found)} }} from "serbench";'] if found else []

    def exports(self, root: Record) -> list[str]:
        written = text(self.types, scalars=SCALARS | _LONGS).strip()
        for special in ("\\", "`", "${"):
            written = written.replace(special, f"\\{special}")
        out = Source()
        out(f"export const schema = `{written}`;")
        for enum in self.schema.enums:
            low = self.natives[enum.name]
            suffix = "n" if enum.underlying.width == 8 else ""
            pairs = zip(enum.members, low.members, strict=True)
            told = [(f"{number}{suffix}", names.text(symbol)) for (_, number), (symbol, _) in pairs]
            for table, items in (
                (f"SYMBOLS_OF_{enum.name}", told),
                (f"NUMBERS_OF_{enum.name}", [(symbol, number) for number, symbol in told]),
            ):
                if table in self.used:
                    with names.section(out, f"const {table} = new Map([", "]);"):
                        out(*(f"[{key}, {value}]," for key, value in items))
        return out.text().splitlines()

    def ends(self, root: Record, low: Record) -> list[str]:
        extract = self.call("extract", root, low)
        if low.name in self.same:
            return [
                "// The library takes domain objects as they are.",
                "export const build = undefined;",
                f"export {{ {extract} as extract }};",
            ]
        return [f"export {{ {self.call('build', root, low)} as build, {extract} as extract }};"]

    def use(self, name: str) -> str:
        """Return ``name``, and note that the generated file uses it and so has to import or declare it."""
        self.used.add(name)
        return name

    # --- values ---

    def to(self, type: Type, low: Type, value: str) -> str:
        low = resolved(low)
        if self._is_same(type, low):
            return value
        match type, low:
            case ((List() | Array()), Scalar()):
                return f"Buffer.from({value})"
            case _, (Scalar() | FixedBytes()):
                return f"{self.use('bufferOf')}({value})"
            case Enum(name), Enum():
                return f"{self.use(f'SYMBOLS_OF_{name}')}.get({value})"
            case Map(), Map() if low.key != string:
                key, item = self.to(type.key, low.key, "key"), self.to(type.value, low.value, "item")
                held = f"{names.entry('key', key)}, value: {item}"
                return f"Array.from({value}, ([key, item]){_ENTRY}{held} }}))"
        return super().to(type, low, value)

    def broken(self, head: str, value: str, end: str) -> None:
        """Write the text of a value between ``head`` and ``end``: on one line or, for a map's entry that does
        not fit, with a line for the key and one for the value."""
        line = f"{head}{value}{end}"
        call, arrow, entry = value.partition(_ENTRY)
        is_map = arrow and " => " not in call and _ENTRY not in entry
        if self.out.margin + len(line) <= names.WIDTH or not is_map:
            super().broken(head, value, end)
            return
        key, _, item = entry.removesuffix(" }))").partition(", value: ")
        with self.out.block(f"{head}{call}{_ENTRY.rstrip()}", f"}})){end}"):
            self.out(f"{key},", f"value: {item},")

    def from_field(self, type: Type, lower: Field, held: str) -> str:
        return self.from_(type, lower.type, held)

    def from_(self, type: Type, low: Type, held: str) -> str:
        low = resolved(low)
        match type, low:
            case ((Scalar("bytes") | FixedBytes()), (Scalar() | FixedBytes())):
                return f"{self.use('octetsOf')}({held})"
            case Scalar("u32"), Scalar():
                return f"u32({held})"
            case Enum(name), Enum():
                return f"{self.use(f'NUMBERS_OF_{name}')}.get({held})"
            case Map(), Map() if low.key != string:
                key, item = self.from_(type.key, low.key, "key"), self.from_(type.value, low.value, "item")
                return f"new Map({held}.map(({{ key, value: item }}) => [{key}, {item}]))"
        return super().from_(type, low, held)

    def empty(self, low: Record | Union) -> str:
        return "{}"

    # --- unions ---

    def build_union(self, type: Union, low: Union) -> None:
        with self.out.block("switch (value.tag) {"):
            for own, lower in zip(type.alternatives, low.alternatives, strict=True):
                self.out(f"case {names.text(own.name)}:")
                made = "null" if lower.type is None else "{}"
                if own.type and lower.type:
                    made = self.to(own.type, lower.type, "value.value")
                with self.out.indented():
                    if _is_wrapped(low) and lower.type is not None:
                        self._return_wrapped(f"{property_name(_branch(lower.type))}: {made}")
                    else:
                        self.returned([f"value: {made}"])
            self.out("default:", f"  {no_tag(type)}")

    def _return_wrapped(self, held: str) -> None:
        line = f"return {{ value: {{ {held} }} }};"
        if self.out.margin + len(line) <= names.WIDTH:
            self.out(line)
        else:
            with self.out.block("return {", "};"), self.out.block("value: {", "},"):
                self.broken("", held, ",")

    def extract_union(self, type: Union, low: Union) -> None:
        pairs = list(zip(type.alternatives, low.alternatives, strict=True))
        self.out("const held = message.value;")
        if not _is_wrapped(low):
            pairs.sort(key=lambda pair: _bucket(pair[1].type) == "object")
            for own, lower in pairs[:-1]:
                with self.out.block(f"if ({_TESTS[_bucket(lower.type)]}) {{"):
                    self._return_union(type, own, lower, "held")
            self._return_union(type, *pairs[-1], "held")
            return
        for own, lower in pairs:
            if lower.type is None:
                self.out(f"if (held === null) return new {type.name}({names.text(own.name)}, null);")
        self.out("const [name] = Object.keys(held);")
        with self.out.block("switch (name) {"):
            for own, lower in pairs:
                if lower.type is not None:
                    self.out(f"case {names.text(_branch(lower.type))}:")
                    with self.out.indented():
                        self._return_union(type, own, lower, member("held", _branch(lower.type)))
            self.out("default:")
            self.out(f"  throw new Error(`found ${{name}}, which is no alternative of {type.name}`);")

    def _return_union(self, type: Union, own: Alternative, lower: Alternative, held: str) -> None:
        made = "null"
        if own.type is not None and lower.type is not None:
            made = self.from_(own.type, lower.type, held)
        items = [names.text(own.name), made]
        self.out(*wrapped(f"return new {type.name}(", items, ");", self.out.margin))


def _is_wrapped(low: Union) -> bool:
    """Whether the library puts values of a union into an object with the branch's name, as it does where two
    branches would be of one kind in JavaScript."""
    kinds = [_bucket(each.type) for each in low.alternatives]
    return len(set(kinds)) < len(kinds)


def _branch(low: Type) -> str:
    """Return the library's name for a branch of a union."""
    low = resolved(low)
    return SCALARS[low.name] if isinstance(low, Scalar) else branch_of(low)
