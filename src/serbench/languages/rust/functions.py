"""Generates the implementation of the runner's trait ``serbench::Value`` for every domain type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from serbench.dataset.recursion import soonest
from serbench.languages.rust.domain import SCALARS
from serbench.languages.rust.glue import RustGlue
from serbench.model import Enum, Record, Ref, Type, Union
from serbench.model.parts import back_references, parts


@dataclass(frozen=True)
class Pass:
    """Writes calls of a Rust trait's method that reads or writes a value, for the parts of a larger value.

    Attributes:
        method: the method's name in the trait.
        to: the name of its argument, which is the reader or writer.
        owner: the reader's or writer's type, which has methods for references back.
        mutable: whether the method changes the value.
    """

    method: str
    to: str
    owner: str
    mutable: bool

    def call(self, type: Type, place: str) -> str:
        """The Rust call that reads or writes the value at ``place``, which is ``self.x`` or a reference. A
        value with references back goes to a method of the reader or writer, with a closure for items."""
        to = self.to
        if not any(True for _ in back_references(type)):
            return f"{place}.{self.method}({to})"
        ref = place if not place.startswith("self.") else f"&{'mut ' if self.mutable else ''}{place}"
        if isinstance(type, Ref):
            return f"{to}.step({ref})"
        kind, item = type.__class__.__name__.lower(), parts(type)[-1]
        if isinstance(item, Ref):
            return f"{to}.{kind}({ref}, {self.owner}::step)"
        return f"{to}.{kind}({ref}, |{to}, item| {self.call(item, 'item')})"


READ = Pass("read", "from", "serbench::Reader", mutable=True)
WRITE = Pass("write", "to", "serbench::Writer", mutable=False)


class ValueFunctions(RustGlue):
    """Writes ``impl serbench::Value`` for each type of a schema."""

    def enum(self, enum: Enum) -> None:
        number = SCALARS[enum.underlying.name]
        first = f"{enum.name}(0)" if enum.open else f"{enum.name}::{enum.members[0][0]}"
        value = "self.0" if enum.open else f"(*self as {number})"
        with self._impl(enum.name, first):
            with self._read():
                if enum.open:
                    self.out("self.0.read(from)")
                else:
                    self.out(f"*self = {enum.name}::try_from(from.number::<{number}>()?)")
                    self.out('    .map_err(|number| format!("an enum has the value {number}"))?;', "Ok(())")
            with self._write():
                self.out(f"{value}.write(to);")
            with self._sum():
                self.out(f"{value}.sum()")

    def record(self, record: Record) -> None:
        fields = record.fields
        held = ", ".join(f"{field.name}: serbench::Value::empty()" for field in fields)
        with self._impl(record.name, f"{record.name} {{ {held} }}" if held else f"{record.name} {{}}"):
            with self._read("from" if fields else "_from"):
                self.out(*(f"{READ.call(f.type, f'self.{f.name}')}?;" for f in fields), "Ok(())")
            with self._write("to" if fields else "_to"):
                self.out(*(f"{WRITE.call(f.type, f'self.{f.name}')};" for f in fields))
            with self._sum():
                self.sum_fields(record)

    def union(self, union: Union) -> None:
        alternatives = union.alternatives
        first = alternatives[soonest(union)[0]]
        held = "" if first.type is None else "(serbench::Value::empty())"
        name = union.name
        with self._impl(name, f"{name}::{first.name}{held}"):
            with self._read():
                other = 'other => return Err(format!("a union has no alternative {other}").into()),'
                self.fill_alternatives(union, READ.call, other)
                self.out("Ok(())")
            with self._write():
                self.put_alternatives(union, "count", WRITE.call)
            with self._sum():
                self.sum_alternatives(union, name)

    def updates(self) -> None:
        """Writes ``impl serbench::Update`` for each type in which a program changes values."""
        for composite in self.schema.composites:
            if not (parts := sorted(self.schema.updates.get(composite.name, ()))):
                continue
            self.out("")
            with (
                self.out.block(f"impl serbench::Update for {composite.name} {{"),
                self.out.block("fn update(&mut self) {"),
            ):
                if isinstance(composite, Record):
                    self.out(*(f"serbench::Update::update(&mut self.{part});" for part in parts))
                    continue
                with self.out.block("match self {"):
                    for part in parts:
                        self.out(f"{composite.name}::{part}(value) => serbench::Update::update(value),")
                    if len(parts) < len(composite.alternatives):
                        self.out("_ => (),")

    @contextmanager
    def _impl(self, name: str, empty: str) -> Iterator[None]:
        self.out("")
        with self.out.block(f"impl serbench::Value for {name} {{"):
            with self.out.block("fn empty() -> Self {"):
                self.out(empty)
            yield

    def _read(self, argument: str = "from") -> AbstractContextManager[None]:
        return self.out.block(f"fn read(&mut self, {argument}: &mut serbench::Reader) -> Result<()> {{")

    def _write(self, argument: str = "to") -> AbstractContextManager[None]:
        return self.out.block(f"fn write(&self, {argument}: &mut serbench::Writer) {{")

    def _sum(self) -> AbstractContextManager[None]:
        return self.out.block("fn sum(&self) -> u64 {")
