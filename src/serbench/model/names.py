"""Names of declarations: valid ones, and their forms in other styles and in Python.

Where a language or an IDL cannot have a valid name, its generator makes another of it
(``codegen/naming.py``).
"""

from __future__ import annotations

import keyword
import re

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
"""The form of a valid name: a letter, then ASCII letters, digits and single inner underscores."""


def in_python(name: str) -> str:
    """The name of an attribute or class in Python: a keyword gets a trailing underscore."""
    return f"{name}_" if keyword.iskeyword(name) else name


def camel(name: str) -> str:
    """The name in camel case: ``out_edges`` → ``outEdges``."""
    head, *rest = name.split("_")
    return head[:1].lower() + head[1:] + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name: str) -> str:
    """The name in upper camel case: ``out_edges`` → ``OutEdges``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def capitalised(name: str) -> str:
    """``outEdges`` → ``OutEdges``: the first letter in upper case, the rest as it is."""
    return name[:1].upper() + name[1:]


def bare(name: str) -> str:
    """``out_Edges`` → ``outedges``: two names that are the same in this form would collide where generated
    code changes case and underscores."""
    return name.replace("_", "").lower()


def snake(name: str) -> str:
    """The name in snake case: ``OutEdges`` → ``out_edges``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def upper_snake(name: str) -> str:
    """The name in upper snake case: ``OutEdges`` → ``OUT_EDGES``."""
    return snake(name).upper()


def as_identifier(workload: str) -> str:
    """The name of a workload in names of packages and generated files: with underscores for hyphens."""
    return workload.replace("-", "_")
