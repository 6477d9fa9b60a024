"""The common part of generators for libraries that write and read item by item: MessagePack, CBOR and their
like."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager

from serbench.languages.c.functions import FunctionPairs, joined
from serbench.languages.c.types import fields_of, is_named_integer, is_pointer, ref, steps_back
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
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    u8,
)
from serbench.model.parts import resolved
from serbench.model.types import Composite

Member = tuple[Field, Type, bool]
"""A field of the domain with its type, and whether it may be absent: one of ``fields_of``."""


class Items(FunctionPairs):
    """A pair of functions for each type, of which one writes it and one reads it, and ``<verb>_root`` and
    ``read_root``.

    Attributes and methods without a body are a library's words. Beside what is generated there are
    ``add_octets``, ``take_octets``, ``refuse``, ``out_of_memory``, and a function that reads each scalar,
    such as ``read_bytes``.

    Attributes:
        verb: the beginning of the names of writing functions.
        sink: the parameter of writing functions for what is written to, and ``given_sink`` the argument for
            it.
        source: the parameters of reading functions for what is read.
        result: the type of what writing functions return: ``succeeded`` or ``failed``.
        both: the operator between two calls that both have to succeed.
        null: the call that writes that there is no value.
        counts_steps: whether reading functions have to see to it that recursion ends.
    """

    verb: str
    sink: str
    given_sink: str
    source: str
    result: str
    succeeded: str
    failed: str
    both: str
    null: str
    counts_steps: bool

    def __init__(self, schema: Schema):
        super().__init__(schema)
        pairs = zip(schema.composites, self.types.schema.composites, strict=True)
        self._declared: dict[str, Composite] = {spelled.name: declared for declared, spelled in pairs}

    @abstractmethod
    def write_scalar(self, type: Scalar, value: str) -> str: ...

    def write_enum(self, type: Enum, value: str) -> str:
        return self.write_scalar(type.underlying, value)

    @abstractmethod
    def must(self, *calls: str) -> list[str]:
        """Statements that end a writing function where one of the calls fails."""

    @abstractmethod
    def head(self, kind: str, count: str) -> str:
        """Writes how many items follow in a ``record``, ``array`` or ``map``."""

    def write_name(self, field: Field) -> list[str]:
        """Writes the name of a field, where it is written; ``read_name`` likewise."""
        return []

    def read_name(self, field: Field) -> list[str]:
        return []

    @abstractmethod
    def given_source(self, item: str) -> str:
        """The arguments by which a reading function reads ``item``."""

    @abstractmethod
    def absent(self, item: str, has: str) -> str:
        """Whether no value is there, as an expression, which notes it where the pointer ``has`` leads."""

    @abstractmethod
    def begin_record(self, count: int) -> list[str]:
        """The terms that have to hold before the fields are read."""

    def field_item(self, n: int) -> str:
        """The source that the n-th field is read from, where that has a name of its own. ``list_item``
        and ``pair_items`` are those of items and of pairs."""
        return ""

    list_item = ""
    pair_items = ("", "")

    @abstractmethod
    def check_length(self, length: int) -> str:
        """Whether an array has so many items, as an expression."""

    @abstractmethod
    def read_count(self, kind: str) -> None:
        """Reads into ``to->count`` how many items an ``array`` or ``map`` has."""

    def begin_pair(self) -> None:
        """Writes what comes before the parts of a map's n-th pair are read."""

    # --- from here on it is the same for all ---

    def write(self, type: Type, value: str) -> str:
        match type:
            case FixedBytes(length):
                return f"add_octets({self.given_sink}, {value}, {length})"
            case Scalar():
                return self.write_scalar(type, value)
            case Enum():
                return self.write_enum(type, value)
        return (
            f"{self.verb}_{self.types.short(type)}({self.given_sink}, "
            f"{value if is_pointer(type) else ref(type, value)})"
        )

    def read(self, type: Type, value: str, item: str = "") -> str:
        source = self.given_source(item)
        match type:
            case FixedBytes(length):
                return f"take_octets({source}, {value}, {length})"
            case Ref():
                return f"read_{self.types.pointer(type)}({source}, &{value})"
        return f"read_{self.types.short(type)}({source}, {ref(type, value)})"

    def read_part(self, type: Type, value: str, item: str = "") -> list[str]:
        """The terms that read a part of a record or union, which have to hold one after the other; where
        recursion goes on in it, steps are counted."""
        read = self.read(type, value, item)
        return ["step_down(in)", read, "step_up(in)"] if self.counts_steps and steps_back(type) else [read]

    def write_head(self, type: Type) -> str:
        of = f"const {self.types.pointee(type)} from" if is_pointer(type) else self.of(type)
        return f"{self.result} {self.verb}_{self.types.short(type)}({self.sink}, {of})"

    def read_head(self, type: Type) -> str:
        return f"bool read_{self.types.short(type)}({self.source}, {self.to(type)})"

    def writing(self, type: Type) -> AbstractContextManager[None]:
        return self.function(self.write_head(type))

    def reading(self, type: Type) -> AbstractContextManager[None]:
        return self.function(self.read_head(type))

    def text(self) -> str:
        """All functions of the file, whose head was written."""
        for enum in self.types.schema.enums:
            self.enum(enum)
        self.declarations()
        self.functions()
        self.root(self.types.schema.root)
        return self.out.text()

    def enum(self, enum: Enum) -> None:
        name, underlying = self.types.c(enum), self.types.short(enum.underlying)
        with self.reading(enum):
            if enum.open:
                self.out(f"return read_{underlying}({self.given_source('from')}, to);")
                return
            number, read = (
                (self.types.c(enum.underlying), underlying) if is_named_integer(enum) else ("int64_t", "i64")
            )
            self.out(
                f"{number} number;", f"if (!read_{read}({self.given_source('from')}, &number)) return false;"
            )
            self.out(f'if (!{name}_has(number)) return refuse(in, "an enum has no such value");')
            self.out(f"*to = ({name})number;", "return true;")

    def declarations(self) -> None:
        """Declares the functions of types that are part of themselves, since the functions of their parts
        call them; and writes those that read a pointer to such a type."""
        if self.types.led_back_to:
            self.out("")
        for type in self.types.led_back_to:
            self.declare(self.write_head(type))
            self.declare(self.read_head(type))
        for type in self.types.pointed_to:
            with self.function(
                f"bool read_{self.types.pointer(type)}({self.source}, {self.types.c(type)}** to)"
            ):
                self.out(
                    "*to = serbench_allocate(in->arena, 1, sizeof **to);",
                    "if (*to == NULL) return out_of_memory(in);",
                )
                read = f"read_{self.types.short(type)}({self.given_source('from')}, *to)"
                self.out(
                    f"return {f'step_down(in) && {read} && step_up(in)' if self.counts_steps else read};"
                )

    def check_steps(self, type: Composite) -> None:
        if self.counts_steps and type in self.types.led_back_to:
            self.out("if (!may_be_read(in)) return false;")

    def record(self, type: Record) -> None:
        if type is self.types.schema.root and self.wraps and type not in self.types.led_back_to:
            return
        declared = self._declared[type.name]
        assert isinstance(declared, Record)
        members = list(zip(declared.fields, fields_of(type), strict=True))
        with self.writing(type):
            terms = [self.head("record", str(len(members)))]
            for field, member in members:
                terms += [*self.write_name(field), self.write_member(member, "from->")]
            self.out(*([] if members else ["(void)from;"]))
            self.all_of(terms, self.both)
        with self.reading(type):
            self.check_steps(type)
            terms = self.begin_record(len(members))
            for n, (field, member) in enumerate(members):
                terms += [*self.read_name(field), *self.read_member(member, "to->", self.field_item(n))]
            self.out(*([] if members else ["to->unused = 0;"]))
            self.all_of(terms)

    def write_member(self, of: Member, at: str) -> str:
        field, held, optional = of
        written = self.write(held, f"{at}{field.name}")
        return f"({at}has_{field.name} ? {written} : {self.null})" if optional else written

    def read_member(self, of: Member, at: str, item: str) -> list[str]:
        field, held, optional = of
        reads = self.read_part(held, f"{at}{field.name}", item)
        return [f"({self.absent(item, f'&{at}has_{field.name}')} || {joined(reads)})"] if optional else reads

    @abstractmethod
    def union(self, type: Union) -> None: ...

    def list(self, type: List) -> None:
        if type.item == u8:
            with self.writing(type):
                self.out(f"return add_octets({self.given_sink}, from->items, from->count);")
            with self.reading(type):
                self.out(
                    "serbench_bytes bytes;",
                    f"if (!read_bytes({self.given_source('from')}, &bytes)) return false;",
                )
                self.out("to->count = bytes.length;", "to->items = bytes.data;", "return true;")
            return
        item = resolved(type.item)
        with self.writing(type):
            self.out(*self.must(self.head("array", "from->count")))
            self.loop_of("from->count", *self.must(self.write(item, "from->items[n]")))
            self.out(f"return {self.succeeded};")
        with self.reading(type):
            self.read_count("array")
            self.allocate()
            self.loop_of(
                "to->count", f"if (!{self.read(item, 'to->items[n]', self.list_item)}) return false;"
            )
            self.out("return true;")

    def array(self, type: Array) -> None:
        length = str(type.length)
        if type.item == u8:
            with self.writing(type):
                self.out(f"return add_octets({self.given_sink}, from, {length});")
            with self.reading(type):
                self.out(f"return take_octets({self.given_source('from')}, to, {length});")
            return
        with self.writing(type):
            self.out(*self.must(self.head("array", length)))
            self.loop_of(length, *self.must(self.write(type.item, "from[n]")))
            self.out(f"return {self.succeeded};")
        with self.reading(type):
            self.out(f"if (!{self.check_length(type.length)}) return false;")
            self.loop_of(length, f"if (!{self.read(type.item, 'to[n]', self.list_item)}) return false;")
            self.out("return true;")

    def map(self, type: Map) -> None:
        parts = ((type.key, "key"), (resolved(type.value), "value"))
        with self.writing(type):
            self.out(*self.must(self.head("map", "from->count")))
            self.loop_of(
                "from->count",
                *self.must(*(self.write(part, f"from->items[n].{name}") for part, name in parts)),
            )
            self.out(f"return {self.succeeded};")
        with self.reading(type):
            self.read_count("map")
            self.allocate()
            with self.loop("to->count"):
                self.begin_pair()
                for (part, name), item in zip(parts, self.pair_items, strict=True):
                    self.out(f"if (!{self.read(part, f'to->items[n].{name}', item)}) return false;")
            self.out("return true;")

    def optional(self, type: Optional) -> None:
        with self.writing(type):
            self.out(f"return from->has_value ? {self.write(type.item, 'from->value')} : {self.null};")
        with self.reading(type):
            read = self.read(type.item, "to->value", "from")
            self.out(f"return {self.absent('from', '&to->has_value')} || {read};")

    def optional_pointer(self, type: Optional) -> None:
        assert isinstance(type.item, Ref)
        with self.writing(type):
            self.out(f"return from != NULL ? {self.write(type.item, 'from')} : {self.null};")
        with self.reading(type):
            self.out("bool has_value;", "*to = NULL;")
            read = f"read_{self.types.pointer(type.item)}({self.given_source('from')}, to)"
            self.out(f"return {self.absent('from', '&has_value')} || {read};")

    def root(self, root: Record) -> None:
        """Writes the functions of the root; a root with a single field is written as that field alone."""
        name, only = self.types.short(root), next(fields_of(root))
        with self.function(f"{self.result} {self.verb}_root({self.sink}, const serbench_root* root)"):
            written = (
                self.write_member(only, "root->")
                if self.wraps
                else f"{self.verb}_{name}({self.given_sink}, root)"
            )
            self.out(f"return {written};")
        with self.function(f"bool read_root({self.source}, serbench_root* root)"):
            read = f"read_{name}({self.given_source('from')}, root)"
            self.out(
                f"return {' && '.join(self.read_member(only, 'root->', 'from')) if self.wraps else read};"
            )

    def allocate(self) -> None:
        self.out("to->items = serbench_allocate(in->arena, to->count, sizeof *to->items);")
        self.out("if (to->items == NULL) return out_of_memory(in);")

    def loop_of(self, count: str, *statements: str) -> None:
        with self.loop(count):
            self.out(*statements)

    def declared_names(self, type: Union) -> dict[str, Alternative]:
        """The alternatives as they were declared, by the names that they have in C."""
        declared = self._declared[type.name]
        assert isinstance(declared, Union)
        return {
            spelled.name: each for spelled, each in zip(type.alternatives, declared.alternatives, strict=True)
        }
