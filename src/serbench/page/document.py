"""A page as one HTML file: what a script shows, and plain tables where no script runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import Any

from serbench.measure.store import Run
from serbench.page.assets import Assets
from serbench.page.contents import Installation, contents
from serbench.page.packing import packed
from serbench.page.plain import plain
from serbench.report.rows import rows_of
from serbench.text import safe

_HTML = """\
<!doctype html>
<html lang="en"{follows}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="serbench {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main id="page">
<h1>{title}</h1>
<p id="starting">Charts, search and the calculator of this page need a browser that runs scripts.</p>
{plain}
</main>
<script type="text/plain" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(runs: Sequence[Run], known: Installation, title: str, assets: Assets, follows: bool = False) -> str:
    """Write the page of runs.

    Raises:
        FileError: a run cannot be read.
    """
    rows = {run.id: rows_of(run) for run in runs}
    own = ((run, rows[run.id], known.suites.get(run.manifest.suite or "")) for run in runs)
    tables = plain(own, known.conformance)
    return document(contents(runs, known, title, rows), assets, follows, tables)


def document(contents: dict[str, Any], assets: Assets, follows: bool = False, plain: str = "") -> str:
    """The page of ``contents`` (``contents.py``), which opens from disk and needs no network.

    Args:
        plain: stands on the page until its script has begun, and stays where none runs.
        follows: whether the page asks its own server, and nobody else, for newer figures
            (``serving.py``).

    The page's policy allows no script, style or image but its own, and no other request. So a text of a run
    could do nothing, even if it were ever taken for markup.
    """
    script = assets.script.replace("</script", "<\\/script")
    return _HTML.format(
        policy=_policy(script, follows),
        follows=' data-follows="yes"' if follows else "",
        version=escape(contents["serbench"]),
        title=escape(safe(contents["title"])),
        style=assets.style,
        plain=plain,
        data=packed(contents),
        script=script,
    )


def _policy(script: str, follows: bool) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = (
        "default-src 'none'",
        f"script-src 'sha256-{digest}'",
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
    )
    asked = ["connect-src 'self'"] if follows else []
    return "; ".join((*allowed, *asked, "base-uri 'none'", "form-action 'none'"))
