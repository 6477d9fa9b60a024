"""Tests of the documentation site: built as the documents say, with its links and the pages that are
generated from sources."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import markdown
import pytest

from serbench.codecs.codec import Codec
from serbench.errors import FileError
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_codecs
from serbench.selecting.suite import Suite, load_suites
from serbench.site import codec_page, links
from serbench.site.declarations import declared, page_part
from serbench.site.fill import filled, generated
from serbench.site.markdown import plain, table

CODECS = load_codecs(PROJECT / "codecs")
SUITES = load_suites(PROJECT / "suites")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the whole site by ``mkdocs build --strict``, which makes every warning an error; returns its
    folder."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, env=environment)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, links.Page]:
    return links.read(site)


def test_every_link_and_anchor_leads_somewhere(site: Path, pages: dict[str, links.Page]) -> None:
    assert len(pages) > len(CODECS)
    assert not list(links.broken(site, pages))


def test_nothing_is_fetched_from_elsewhere(site: Path, pages: dict[str, links.Page]) -> None:
    assert not list(links.fetched_from_elsewhere(pages))
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert "@import" not in styles and "url(http" not in styles and "url(//" not in styles


def test_addresses_outside_are_listed_and_safe(site: Path) -> None:
    lines = (site / "external-links.txt").read_text().splitlines()
    addresses = [line.partition("\t")[0] for line in lines]
    homepages = {codec.homepage.rstrip("/") for codec in CODECS.values()}
    assert homepages <= {each.rstrip("/") for each in addresses}
    assert not [each for each in addresses if not each.startswith("https://")]


def test_broken_links_and_foreign_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    a = '<h1 id="top"></h1><a href="#top"></a><a href="sub/b.html#no"></a><a href="c.html"></a>'
    b = '<a href="../a.html#top"></a><img src="https://example.org/x.png">'
    (tmp_path / "a.html").write_text(a)
    (tmp_path / "sub" / "b.html").write_text(b)
    found = links.read(tmp_path)
    assert list(links.broken(tmp_path, found)) == [
        "a.html: sub/b.html#no: there is no such place on that page",
        "a.html: c.html: there is no such file",
    ]
    assert list(links.fetched_from_elsewhere(found)) == ["sub/b.html: https://example.org/x.png"]


class _Text(HTMLParser):
    """Collects the text of a page, and the names of its tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _rendered(text: str) -> _Text:
    return _Text(markdown.markdown(text, extensions=["tables", "md_in_html", "attr_list"]))


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.id)
def test_a_codec_page_tells_what_its_folder_declares(codec: Codec) -> None:
    shown = _rendered(codec_page.page(codec, CODECS, SUITES)).text
    assert codec.homepage in shown and codec.licence in shown
    told = [text.replace("`", "") for item in codec.mapping.items() for text in item]
    told += [variant.summary.replace("`", "") for variant in codec.variants.values()]
    told += [each.reason for variant in codec.variants.values() for each in variant.cannot]
    assert not [text for text in told if text not in shown]


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_a_published_page_has_every_figure_and_flaw_of_its_suite(suite: Suite, site: Path) -> None:
    shown = _Text((site / "published" / f"{suite.name}.html").read_text()).text
    told = [row for row in suite.rows if row.published]
    assert told and not [row.name for row in told if row.name not in shown or row.codec not in shown]
    figures = [each for row in told for each in row.published.values()]
    sizes = {f"{each.size_bytes:,.0f}" for each in figures if each.size_bytes}
    times = {f"{time:,.10g}" for each in figures for time in each.times.values()}
    assert not [figure for figure in sizes | times if figure not in shown]
    assert not [flaw for flaw in suite.flaws if flaw[1:] not in shown]


HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "[a](javascript:alert(1))",
    "a | b | c",
    "**bold** _it_ &lt;b&gt;",
    "one ` backtick",
    "<!-- serbench:codecs -->",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_codec_says_is_text_and_no_markup(text: str) -> None:
    (codec, *_) = CODECS.values()
    liar = dataclasses.replace(codec, summary=text, licence=text, mapping={text: text})
    page = _rendered(codec_page.page(liar, CODECS, SUITES))
    assert page.text.count(text) == 4
    tags = [*_rendered(plain(text)).tags, *_rendered(table(["a"], [[plain(text)]])).tags]
    assert not {"a", "script", "img", "strong", "em"} & {*tags}


def test_generated_pages_have_no_marks_left_and_an_unknown_mark_is_named() -> None:
    assert {"contributing.md", "changelog.md", "codecs/cpp/cereal.md"} <= generated().keys()
    assert "| `serialize` |" in filled("<!-- serbench:operations -->", "a.md")
    with pytest.raises(
        FileError, match=r"a.md: found '<!-- serbench:nothing -->', expected one of: codecs, "
    ):
        filled("<!-- serbench:nothing -->", "a.md")
    with pytest.raises(FileError, match=r"a.md: '<!-- serbench:flaws no -->' cannot be filled"):
        filled("<!-- serbench:flaws no -->", "a.md")


HEADER = """\
// A header.
//
//   void first();
//   void second();
//
// Beyond it.
#pragma once

/// What it is,
/// in two lines.
template <class A>
struct Thing {
  /// A number.
  int number() const { return 3; }

 private:
  /// Nobody's business.
  int hidden;
};

/// All of it.
typedef struct {
  int one;  ///< the first
} table;
"""

JAVA = """\
package a;

/**
 * Knows {@code x} of {@link A#b}.
 *
 * @param <N> what is encoded
 */
public interface Adapter<N> {
  /** Gives one; never null. */
  N one() throws Exception;
}
"""


def test_declarations_are_shown_with_their_comments() -> None:
    assert [(each.text, each.comment) for each in declared(HEADER)] == [
        ("template <class A>\nstruct Thing", "What it is,\nin two lines."),
        ("int number() const", "A number."),
        ("typedef struct {\n  int one;  ///< the first\n} table;", "All of it."),
    ]
    text = page_part(HEADER, "cpp")
    assert text.startswith("A header.\n\n```cpp\nvoid first();\nvoid second();\n```\n\nBeyond it.")
    assert "Knows `x` of `A.b`.\n\n- `<N>`: what is encoded" in page_part(JAVA, "java")
    assert "```java\nN one() throws Exception;\n```\n\nGives one; never null." in page_part(JAVA, "java")
