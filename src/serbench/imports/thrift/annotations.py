"""Blanks the words of Facebook's Thrift in the copies of schemas, where they change no value: structured
annotations such as ``@cpp.Ref{type = cpp.RefType.Unique}``, ``package``, and includes for annotations.

Apache's compiler knows none of these words, and stops at the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from serbench.imports.sources import SourceFiles, Syntax

_INCLUDES = re.compile(r"thrift/(annotation|lib/thrift)/[\w.-]+\.thrift")
"""Matches the paths of the schemas that declare annotations."""

_ADDS_FIELDS = "InjectMetadataFields"
"""The annotation that changes the fields of a struct, and so is left to the compiler, which refuses it."""

_Token = re.Match[str]


def taken_out(sources: SourceFiles, syntax: Syntax) -> list[str]:
    """Blanks annotations in the copies of all schemas, in which line numbers stay the same; returns the
    annotations' names."""
    found: dict[str, None] = {}
    for copy in sources.folders:
        for name in sources.names:
            place = sources.work / copy / name
            if place.is_file():
                text = place.read_bytes().decode("latin-1")
                spans = list(_spans(text, syntax, set(sources.names)))
                for begin, end, annotation in spans:
                    found |= {annotation: None} if annotation else {}
                    text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
                if spans:
                    place.write_bytes(text.encode("latin-1"))
    return list(found)


def _spans(text: str, syntax: Syntax, copied: set[str]) -> Iterator[tuple[int, int, str]]:
    """The start and end of each annotation, package and include of annotations; and the annotation's name."""
    tokens = [token for token in syntax.tokens.finditer(text) if token["comment"] is None]
    depth = 0
    for (at, token), (_, following) in pairwise(enumerate(tokens)):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        path = (following["text"] or "")[1:-1]
        is_include = token["word"] == "include" and _INCLUDES.fullmatch(path) and path not in copied
        is_package = token["word"] == "package" and not depth and (path or following[0] == ";")
        if is_include or is_package:
            yield token.start(), following.end(), ""
        elif token[0] == "@" and following["word"]:
            end, name = _annotation(tokens, at + 1)
            if not name.endswith(_ADDS_FIELDS):
                yield token.start(), end, f"@{name}"


def _annotation(tokens: list[_Token], at: int) -> tuple[int, str]:
    """The end and the name of the annotation whose first word is the token at the index ``at``."""
    name, end, depth = tokens[at][0], tokens[at].end(), 0
    at += 1
    while at + 1 < len(tokens) and tokens[at][0] == "." and tokens[at + 1]["word"]:
        name, end, at = f"{name}.{tokens[at + 1][0]}", tokens[at + 1].end(), at + 2
    if at < len(tokens) and tokens[at][0] == "{":
        for token in tokens[at:]:
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if not depth:
                return token.end(), name
    return end, name
