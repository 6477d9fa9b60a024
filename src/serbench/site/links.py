"""Checks the built site: links within it lead somewhere, and nothing is fetched from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

NOT_FOUND = "404.html"
"""The page that a server shows instead of a missing one. It is left out, since its links begin at the top of
the site."""


@dataclass
class Page(HTMLParser):
    """The links of a page.

    Attributes:
        anchors: the places on the page that a link may name behind ``#``.
        links: the targets of its links, as they are written.
        loaded: the files that a browser fetches in order to show it: pictures, scripts, styles.
    """

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the anchors and links of a tag; the parser calls this for each tag of the page."""
        told = {name: value for name, value in attrs if value is not None}
        self.anchors |= {told[name] for name in ("id", "name") if name in told}
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        elif tag == "link" and told.get("rel") not in ("canonical", "prev", "next", "alternate"):
            self.loaded.append(told.get("href", ""))
        elif "src" in told:
            self.loaded.append(told["src"])


def read(site: Path) -> dict[str, Page]:
    """Every page below the folder ``site``, by its path there."""
    pages = {}
    for path in sorted(set(site.rglob("*.html")) - {site / NOT_FOUND}):
        page = pages[path.relative_to(site).as_posix()] = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return pages


def broken(site: Path, pages: Mapping[str, Page]) -> Iterator[str]:
    """Every link within the site that leads nowhere, with its page and what is missing."""
    for name, page in pages.items():
        for link in [*page.links, *page.loaded]:
            if not _is_elsewhere(link) and (fault := _fault(site, pages, name, link)):
                yield f"{name}: {link}: {fault}"


def _fault(site: Path, pages: Mapping[str, Page], name: str, link: str) -> str | None:
    """Why a link of a page leads nowhere; None where it leads somewhere."""
    parts = urlsplit(link)
    target = name
    if parts.scheme == "data":  # holds its content itself
        return None
    if parts.path:
        joined = PurePosixPath(name).parent / unquote(parts.path)
        target = os.path.normpath(joined)
    if not (site / target).is_file():
        return "there is no such file"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "there is no such place on that page"
    return None


def fetched_from_elsewhere(pages: Mapping[str, Page]) -> Iterator[str]:
    """Each address outside of the site that a page has a browser fetch, with the page."""
    for name, page in pages.items():
        yield from (f"{name}: {address}" for address in page.loaded if _is_elsewhere(address))


def external(pages: Mapping[str, Page]) -> dict[str, list[str]]:
    """The addresses outside of the site, each with the pages that link to it. None is fetched."""
    found: dict[str, list[str]] = {}
    for name, page in pages.items():
        for link in dict.fromkeys(page.links):
            if _is_elsewhere(link):
                found.setdefault(link, []).append(name)
    return dict(sorted(found.items()))


def _is_elsewhere(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.netloc) or parts.scheme not in ("", "data")
