"""A page as one HTML file."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Any

from serbench.page.assets import Assets
from serbench.page.packing import packed
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
{said}
<p id="starting">The tables and charts of this page need a browser that runs scripts.</p>
</main>
<script type="text/plain" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def document(contents: dict[str, Any], assets: Assets, follows: bool = False) -> str:
    """The page of ``contents`` (``contents.py``), which opens from disk and needs no network.

    Args:
        follows: whether the page asks its own server, and nobody else, for what came in since
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
        said=_said(contents),
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


def _said(contents: dict[str, Any]) -> str:
    """The verdicts as plain paragraphs, for readers without scripts and for people who search files."""
    lines = [
        f"<p><b>{escape(safe(said['label']))}</b>: {escape(safe(said['text']))}</p>"
        for run in contents["runs"]
        for workload in run["workloads"]
        for said in workload["verdict"]
    ]
    return "\n".join(lines)
