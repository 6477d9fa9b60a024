"""The comments of a source file as Markdown: the comment at its head, and each declaration with its comment.

Comments are lines of ``///``, with ``//`` at the head of a file, or blocks that begin with ``/**``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from serbench.site.markdown import plain


@dataclass(frozen=True)
class Declaration:
    """A declaration with its comment; ``text`` has its body only where that consists of members."""

    comment: str
    text: str


def page_part(text: str, fence: str) -> str:
    """The Markdown of a source file, whose declarations are code of the language ``fence``."""
    parts = [_prose(_head(text), fence)]
    for each in declared(text):
        parts += [f"```{fence}\n{each.text}\n```\n", _prose(each.comment, fence)]
    return "\n".join(part for part in parts if part)


def _head(text: str) -> str:
    """The comment with which a file begins, without its slashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").removeprefix(" "))
    return "\n".join(lines)


def declared(text: str) -> Iterator[Declaration]:
    """Find every declaration that has a comment and is not private, in the order of the file."""
    lines = text.splitlines()
    private = False
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if label := re.fullmatch(r"(public|private|protected):", line):
            private = label[1] != "public"
        elif lines[at].startswith("}"):
            private = False
        elif line.startswith(("///", "/**")) and not line.startswith("///<"):
            comment, begin = _comment(lines, at)
            end = _end(lines, begin)
            if not private:
                yield Declaration(comment, _shown(lines[begin:end]))
                at = end if _is_whole(lines[begin]) else begin
                continue
            at = begin
            continue
        at += 1


def _comment(lines: list[str], at: int) -> tuple[str, int]:
    """The text of the comment that begins in line ``at``, and the number of the line behind it."""
    if lines[at].strip().startswith("///"):
        end = at
        while end < len(lines) and lines[end].strip().startswith("///"):
            end += 1
        return "\n".join(line.strip().removeprefix("///").strip() for line in lines[at:end]), end
    end = at
    while "*/" not in lines[end]:
        end += 1
    block = "\n".join(lines[at : end + 1])
    block = block[block.index("/**") + 3 : block.rindex("*/")]
    return "\n".join(line.strip().removeprefix("*").strip() for line in block.splitlines()).strip(), end + 1


def _is_whole(line: str) -> bool:
    """Whether a declaration is shown with its members, which have comments of their own behind them."""
    return line.strip().startswith("typedef struct")


def _end(lines: list[str], begin: int) -> int:
    """The number of the line behind the declaration, without its body, that begins in line ``begin``."""
    if _is_whole(lines[begin]):
        return next(n for n in range(begin, len(lines)) if lines[n].startswith("}")) + 1
    for end in range(begin, len(lines)):
        if lines[end].rstrip().endswith((";", "{", "}")):
            return end + 1
    return len(lines)


def _shown(lines: list[str]) -> str:
    """A declaration without its indentation, its body and what follows it."""
    deep = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join(line[deep:] if line[:deep].isspace() or not deep else line for line in lines).rstrip()
    if _is_whole(lines[0]):
        return text
    text = re.sub(r"(\)(?:\s*(?:const|noexcept|override))*)\s*\{[^{}]*\}$", r"\1", text)
    return text.removesuffix("{").rstrip()


def _prose(comment: str, fence: str) -> str:
    """A comment as Markdown: indented lines become code, and tags of documentation tools a list."""
    out: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n?<p>", comment):
        lines = paragraph.splitlines()
        indented = [line for line in lines if line.startswith("  ")]
        if indented and len(indented) >= len(lines) - 1:
            out.append("\n".join([f"```{fence}", *(line.removeprefix("  ") for line in lines), "```"]))
        elif paragraph.strip():
            out.append(_sentence(paragraph))
    text = "".join(f"{part}\n\n" for part in out)
    # Pieces of code that follow each other become one.
    return re.sub(r"^```\n\n```[^\n]*\n", "\n", text, flags=re.MULTILINE)


def _sentence(paragraph: str) -> str:
    text = re.sub(r"\{@(?:code|link)\s+([^}]+)\}", lambda found: f"`{found[1].replace('#', '.')}`", paragraph)
    said, *tags = re.split(r"(?:^|\n)\s*@", text)
    items = []
    for tag in tags:
        word, _, rest = " ".join(tag.split()).partition(" ")
        name, _, meaning = rest.partition(" ")
        items.append(f"- `{name}`: {plain(meaning)}" if word == "param" else f"- {word}: {plain(rest)}")
    return "\n\n".join(part for part in (plain(said.strip()), "\n".join(items)) if part)
