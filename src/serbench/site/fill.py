"""Fills pages with what is made of sources: ``<!-- serbench:codecs -->`` and the like in a page's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from serbench.selecting.catalogue import load_codecs
from serbench.codecs.codec import ALL_FEATURES, CHECKS, HARMS, WAYS
from serbench.errors import FileError
from serbench.paths import PROJECT
from serbench.selecting.selection import METRICS, OPERATIONS
from serbench.site import codec_page, published
from serbench.site.declarations import page_part
from serbench.site.markdown import code, plain, table
from serbench.selecting.suite import Suite, load_suites

MARK = re.compile(r"^<!-- serbench:(\w+)((?: [^ \n]+)*) -->$", re.MULTILINE)


def filled(text: str, page: str) -> str:
    """Replace each mark of a page, such as ``<!-- serbench:codecs -->``, by what it stands for.

    Args:
        page: its name, for errors.

    Raises:
        FileError: a mark asks for something that does not exist.
    """

    def made(mark: re.Match[str]) -> str:
        make = MAKERS.get(mark[1])
        if make is None:
            raise FileError(f"{page}: found '{mark[0]}', expected one of: {', '.join(MAKERS)}")
        try:
            return make(*mark[2].split())
        except (KeyError, TypeError, OSError) as error:
            raise FileError(f"{page}: '{mark[0]}' cannot be filled: {error}") from None

    return MARK.sub(made, _at_top(text))


def _at_top(text: str) -> str:
    """Change links to files of the repository's top, such as ``CHANGELOG.md``, into links to their pages."""
    return re.sub(r"\]\(\.\./(CONTRIBUTING|CHANGELOG)\.md", lambda link: f"]({link[1].lower()}.md", text)


def generated() -> dict[str, str]:
    """The pages that are made of sources or of other files, by their paths below ``docs``."""
    codecs = load_codecs(PROJECT / "codecs")
    suites = load_suites(PROJECT / "suites")
    pages = {codec_page.uri(codec): codec_page.page(codec, codecs, suites) for codec in codecs.values()}
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        pages[name.lower()] = _moved((PROJECT / name).read_text())
    return pages


def _moved(text: str) -> str:
    """A file of the repository's top as a page of the site, with links to the pages beside it."""
    text = re.sub(r"\]\((CONTRIBUTING|CHANGELOG)\.md", lambda link: f"]({link[1].lower()}.md", text)
    return text.replace("](docs/", "](")


def navigation() -> dict[str, list[dict[str, str]]]:
    """The title of each language with the names and pages of its codecs, for the site's navigation."""
    codecs = load_codecs(PROJECT / "codecs").values()
    return {
        codec_page.title(name): [{codec.name: codec_page.uri(codec)} for codec in own]
        for name, own in codec_page.by_language(codecs).items()
    }


def decisions() -> list[str]:
    """The pages of decisions in their order, for the site's navigation."""
    return sorted(f"decisions/{path.name}" for path in (PROJECT / "docs" / "decisions").glob("[0-9]*.md"))


def _suite(name: str) -> Suite:
    return load_suites(PROJECT / "suites")[name]


def _words(meanings: Mapping[Any, str]) -> str:
    return table(["word", "meaning"], [[code(word), plain(meaning)] for word, meaning in meanings.items()])


def _declarations(path: str, fence: str) -> str:
    text = page_part((PROJECT / path).read_text(), fence)
    return re.sub(r"\bdocs/([\w/-]+)\.md", r"[\1](../\1.md)", text)


def _suites() -> str:
    suites = load_suites(PROJECT / "suites").values()
    rows = [[f"[{each.name}]({each.name}.md)", plain(each.summary), str(len(each.rows))] for each in suites]
    return table(["benchmark", "what it measures", "rows"], rows, right=2)


MAKERS: Mapping[str, Callable[..., str]] = {
    "codecs": lambda: codec_page.index(list(load_codecs(PROJECT / "codecs").values())),
    "declarations": _declarations,
    "suites": _suites,
    "figures": lambda name: published.figures(_suite(name)),
    "flaws": lambda name: published.flaws(_suite(name)),
    "operations": lambda: _words(OPERATIONS),
    "metrics": lambda: _words(METRICS),
    "features": lambda: _words(ALL_FEATURES),
    "checks": lambda: _words(CHECKS),
    "harms": lambda: _words(HARMS),
    "ways": lambda: _words(WAYS),
}
"""Word of a mark → the function that makes its text, from the arguments behind the word."""
