"""Imports of IDL files that tests write, for the languages whose compilers read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request


class Importer:
    """Imports schemas of one IDL in a folder, which may hold other files that they import.

    Attributes:
        head: the lines with which every schema has to begin.
    """

    def __init__(self, language: str, head: str = ""):
        self.language, self.head = language, head

    def read(self, folder: Path, text: str = "", **asked: Any) -> Imported:
        """Imports the schema ``text``, or the example schema of a shop if no text is given; ``asked`` are
        further fields of the request to import."""
        file = folder / f"{'given' if text else 'shop'}.{self.language}"
        if text:
            file.write_text(self.head + text)
        return formats()[self.language].read(Request((file,), **asked))

    def fault(self, folder: Path, text: str = "", **asked: Any) -> str:
        """The error message that a user gets for a schema that is refused."""
        with pytest.raises(InputError) as caught:
            self.read(folder, text, **asked)
        return str(caught.value)
