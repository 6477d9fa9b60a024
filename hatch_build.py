"""Builds the report page's script and style before a package is packed; a source distribution has them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPage(BuildHookInterface):  # type: ignore[type-arg]
    """A step of the package's build; it needs Node.js unless the script and style are built already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or not (root / "page" / "src").is_dir():
            return
        sys.path.insert(0, str(root / "src"))
        from serbench.page.building import build

        build(lambda line: print(line, file=sys.stderr))
