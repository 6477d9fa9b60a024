"""Errors that the measuring program itself raises."""

from __future__ import annotations


class Refused(Exception):
    """Raised for a command, a file or a result of a codec that is refused; its text is the whole message."""


class Suspected(Refused):
    """Raised for a cell that, by its times, seems to return remembered results."""

    def __init__(self, cell: str, text: str):
        super().__init__(text)
        self.cell = cell


def told(error: BaseException) -> str:
    """An error in one line: the text alone for our own errors, otherwise with the name of the class. For a
    group of errors, its first error that is not itself a group."""
    error = first(error)
    text = str(error)
    return text if isinstance(error, Refused) else f"{type(error).__name__}: {text}".removesuffix(": ")


def kind_of(error: BaseException) -> str:
    """The name of an error's class, which holds no value of the data; for a group of errors, that of its
    first error."""
    return type(first(error)).__name__


def first(error: BaseException) -> BaseException:
    """The error itself; for a group of errors, its first error that is not itself a group."""
    while inner := getattr(error, "exceptions", ()):
        error = inner[0]
    return error
