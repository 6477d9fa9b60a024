"""The functions that MkDocs calls while it builds the site, by ``hooks`` in ``mkdocs.yml``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

# mkdocs is a program of its own, which does not know where serbench is.
sys.path.insert(0, str(Path(__file__).parents[2]))

from serbench.errors import FileError
from serbench.site import links
from serbench.site.fill import decisions, filled, generated, navigation


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the pages of codecs and of decisions behind their index in the navigation."""
    for pages in _lists(config.nav or []):
        if "codecs/index.md" in pages:
            pages += [{title: own} for title, own in navigation().items()]
        if "decisions/index.md" in pages:
            pages += decisions()
    return config


def _lists(nav: list[Any]) -> Iterator[list[Any]]:
    """Every list of pages within the navigation, however deep it lies."""
    for entry in nav:
        for pages in entry.values() if isinstance(entry, dict) else ():
            if isinstance(pages, list):
                yield from _lists(pages)
                yield pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made of sources to the site."""
    for uri, text in generated().items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replaces the marks in a page, such as ``<!-- serbench:codecs -->``, by what they stand for."""
    try:
        return filled(markdown, page.file.src_uri)
    except FileError as error:
        raise PluginError(str(error)) from None


def on_post_build(config: MkDocsConfig) -> None:
    """Lists the addresses outside of the site, for anybody who wants to try them; a build tries none."""
    site = Path(config.site_dir)
    found = links.external(links.read(site))
    lines = [f"{address}\t{' '.join(pages)}\n" for address, pages in found.items()]
    (site / "external-links.txt").write_text("".join(lines), encoding="utf-8")
