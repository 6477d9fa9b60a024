"""The errors that the measuring program itself raises."""

from __future__ import annotations


class Refused(Exception):
    """A command, a file, or what a codec did; its text says all there is to say."""


class Suspected(Refused):
    """A cell returns remembered results, as far as times tell."""

    def __init__(self, cell: str, text: str):
        super().__init__(text)
        self.cell = cell


def told(error: BaseException) -> str:
    """An error in one line: the text alone if it is ours, else with the name of its class; for a group, the
    first error that is no group itself, which says what is wrong."""
    error = _first(error)
    text = str(error)
    return text if isinstance(error, Refused) else f"{type(error).__name__}: {text}".removesuffix(": ")


def kind_of(error: BaseException) -> str:
    """The class of an error, which holds no value of the data; for a group, that of its first error."""
    return type(_first(error)).__name__


def _first(error: BaseException) -> BaseException:
    while inner := getattr(error, "exceptions", ()):
        error = inner[0]
    return error
