"""Builds the page's script and style before they are packed; a source distribution brings them along."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPage(BuildHookInterface):  # type: ignore[type-arg]
    """Node.js is needed where they are not there already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or not (root / "page" / "src").is_dir():
            return
        sys.path.insert(0, str(root / "src"))
        from serbench.page.building import build

        build(lambda line: print(line, file=sys.stderr))
