"""Names of declarations, how they are written elsewhere, and Python's own.

Every name that has this form is accepted; what a language or an IDL makes of one that it cannot take is its
generator's affair (``codegen/naming.py``).
"""

from __future__ import annotations

import keyword
import re

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
"""What is a name: ASCII letters and digits, begins with a letter, single inner underscores."""


def in_python(name: str) -> str:
    """The name as an attribute or a class has it: a keyword gets a trailing underscore."""
    return f"{name}_" if keyword.iskeyword(name) else name


def camel(name: str) -> str:
    """``out_edges`` → ``outEdges``."""
    head, *rest = name.split("_")
    return head[:1].lower() + head[1:] + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name: str) -> str:
    """``out_edges`` → ``OutEdges``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def capitalised(name: str) -> str:
    """``outEdges`` → ``OutEdges``: the first letter in upper case, the rest as it is."""
    return name[:1].upper() + name[1:]


def bare(name: str) -> str:
    """``out_Edges`` → ``outedges``: what no two names may share where generated code changes case and
    underscores."""
    return name.replace("_", "").lower()


def snake(name: str) -> str:
    """``OutEdges`` → ``out_edges``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def upper_snake(name: str) -> str:
    """``OutEdges`` → ``OUT_EDGES``."""
    return snake(name).upper()


def as_identifier(workload: str) -> str:
    """The name of a workload, which is that of a file, in packages and in the names of generated files."""
    return workload.replace("-", "_")
