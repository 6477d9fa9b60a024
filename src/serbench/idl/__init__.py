"""Interface description languages. The module of each has ``SCALARS``, its words for scalars; ``NAMING`` and
``ABILITIES``, the names and types that it can have; ``lowered``, which returns the schema in the IDL's terms;
and ``emit``, which returns the text of a file for a schema. Those that write numbers in several forms have
``FORMS``, and ``form_bytes`` for the bytes of a number in each; dialects of
another IDL name it in ``DIALECT_OF``. ``avsc`` is a short one to begin from."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from serbench.idl.kinds import lowered_kinds
from serbench.model import Schema

# The modules that are no IDL; a new one of them gets its name here.
_SHARED = {
    "abilities",
    "fbs_gone",
    "fbs_names",
    "fbs_parts",
    "kinds",
    "lower",
    "nesting",
    "oneofs",
    "proto_forms",
    "reserved",
}


@cache
def emitters() -> tuple[str, ...]:
    """The names that ``[idl] language`` of a ``codec.toml`` may have."""
    return tuple(
        sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _SHARED)
    )


def emit(language: str, schema: Schema) -> str:
    """The text of an IDL file for a schema; ``language`` is one of ``emitters``."""
    return str(importlib.import_module(f"{__name__}.{language}").emit(schema))


@cache
def requires_records(language: str) -> bool:
    """Whether an IDL's text declares fields that hold records or unions as required, unless they are
    optional: libraries refuse bytes without such a field."""
    return getattr(importlib.import_module(f"{__name__}.{language}"), "REQUIRES_RECORDS", False)


@cache
def told_apart(language: str) -> Mapping[str, str]:
    """Return the words for scalars of an IDL whose messages name the type of each number, so that readers
    pass over a field of another one; empty where messages do not name it."""
    module = importlib.import_module(f"{__name__}.{language}")
    return module.SCALARS if getattr(module, "TELLS_NUMBERS_APART", False) else {}


@cache
def forms() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return for each IDL that writes a number in several forms: the name of a scalar → the IDL's words for
    its forms, of which a part's hint chooses one; the first is written without a hint."""
    modules = {language: importlib.import_module(f"{__name__}.{language}") for language in emitters()}
    return {language: module.FORMS for language, module in modules.items() if hasattr(module, "FORMS")}


def dialect_of(language: str) -> str:
    """Return the IDL whose hints and forms of numbers an IDL has: its own, unless it is a dialect."""
    return str(getattr(importlib.import_module(f"{__name__}.{language}"), "DIALECT_OF", language))


def form_bytes(language: str, word: str, value: int) -> int:
    """Return the bytes of a number in one of an IDL's forms."""
    made: int = importlib.import_module(f"{__name__}.{language}").form_bytes(word, value)
    return made


@cache
def lowers(language: str) -> frozenset[str]:
    """The kinds of types that an IDL expresses by other types."""
    module = importlib.import_module(f"{__name__}.{language}")
    return lowered_kinds(module.lowered, module.SCALARS)
