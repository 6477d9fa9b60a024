"""Unions in glue between domain objects and messages, whose libraries each have them in their own way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from serbench.codegen.source import Source
from serbench.languages.jvm.functions import pattern
from serbench.model import Alternative, Field, Record, Type, Union, bool_
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Choice:
    """One alternative of a union.

    Attributes:
        domain: the alternative in the domain; it has no type where it has no value.
        low: its type in the IDL; None where the IDL has none either.
        name: the library's name for it.
        number: its number in the IDL.
        index: its index in the schema.
    """

    domain: Alternative
    low: Type | None
    name: str
    number: int
    index: int

    @property
    def types(self) -> tuple[Type, Type] | None:
        """The types of its value in the domain and in the IDL; None where it has no value."""
        return (self.domain.type, self.low) if self.domain.type and self.low else None


class UnionMessages(ABC):
    """The part of ``JvmGlue`` that is about unions."""

    out: Source

    @abstractmethod
    def names_of(self, fields: Sequence[Field]) -> list[str]:
        """How accessors call the fields of a message, and the alternatives of a union."""

    @abstractmethod
    def build(self, type: Type, low: Type, value: str) -> str: ...

    @abstractmethod
    def extract(self, type: Type, low: Type, native: str) -> str: ...

    @abstractmethod
    def sum(self, type: Type, low: Type, native: str) -> str: ...

    def choices(self, type: Union, low: Union) -> list[Choice]:
        """The alternatives of a union."""
        names = self.names_of([Field(each.name, bool_) for each in low.alternatives])
        alternatives = zip(type.alternatives, low.alternatives, names, strict=True)
        return [
            Choice(replace(each, type=resolved(each.type)), resolved(other.type), name, other.number, n)
            for n, (each, other, name) in enumerate(alternatives)
        ]

    @abstractmethod
    def choice_to_native(self, low: Union, choice: Choice, built: str) -> str:
        """The expression that makes a message's union of an alternative, whose value is ``built``."""

    @abstractmethod
    def chosen(self, low: Union, choices: Sequence[Choice]) -> tuple[str, list[tuple[str, str]]]:
        """The expression to match for a union ``message``, and for each alternative its pattern and its value
        as the message has it."""

    @abstractmethod
    def empty(self, low: Record) -> str:
        """The expression that makes a message without fields."""

    def build_union(self, type: Union, low: Union) -> None:
        with self.out.block("value match {"):
            for choice in self.choices(type, low):
                if choice.types:
                    built = self.build(*choice.types, "value")
                else:
                    built = self.empty(choice.low) if isinstance(choice.low, Record) else ""
                self.out(
                    f"case {pattern(type, choice.domain)} => {self.choice_to_native(low, choice, built)}"
                )

    def extract_union(self, type: Union, low: Union) -> None:
        other = f'throw new DecodeException("a union {type.name} has no alternative that is known")'
        with self._match(type, low, other) as cases:
            for choice, found, native in cases:
                value = self.extract(*choice.types, native) if choice.types else ""
                self.out(f"case {found} => {pattern(type, choice.domain, value)}")

    def sum_union(self, type: Union, low: Union) -> None:
        with self._match(type, low, "-1L") as cases:
            for choice, found, native in cases:
                value = f" + {self.sum(*choice.types, native)}" if choice.types else ""
                self.out(f"case {found} => {choice.index}L{value}")

    @contextmanager
    def _match(self, type: Union, low: Union, other: str) -> Iterator[list[tuple[Choice, str, str]]]:
        """A ``match`` of a union ``message``; gives each alternative with its pattern and its value."""
        choices = self.choices(type, low)
        head, cases = self.chosen(low, choices)
        with self.out.block(f"{head} match {{"):
            yield [(choice, *case) for choice, case in zip(choices, cases, strict=True)]
            self.out(f"case _ => {other}")
