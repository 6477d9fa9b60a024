"""Files of a home that nothing needs any more, or that a command which needs them makes again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from serbench.changes.derived import MARK
from serbench.paths import Paths

_IS_DERIVED = re.compile(rf"{MARK}[0-9a-f]{{8}}(?![0-9a-z])")


def leftovers(paths: Paths) -> Iterator[Path]:
    """Yield the programs of workloads with changes; messages and edits that readers of a part were given; and
    the objects for builds of several languages that no build mentions, since the sources have changed."""
    yield from (path for path in sorted(paths.builds.rglob(f"*{MARK}*")) if _IS_DERIVED.search(path.name))
    if paths.encoded.exists():
        yield paths.encoded
    rules = [path.read_bytes() for path in _rules(paths)]
    for folder in sorted(paths.shared_objects.glob("*")):
        if not any(folder.name.encode() in each for each in rules):
            yield folder


def _rules(paths: Paths) -> Iterator[Path]:
    """The files at the top of build folders that tell how they are built. Hidden ones tell what was built
    earlier."""
    tops = [*paths.all_builds.glob("*/*/*"), *paths.all_builds.glob("of/*/*/*/*")]
    builds = (path for path in tops if paths.shared_objects not in path.parents)
    yield from (path for path in builds if path.is_file() and not path.name.startswith("."))


def remove(found: Iterable[Path]) -> int:
    """Remove files and folders, some of which may be inside others; return how many bytes they had."""
    freed = 0
    for path in [*found]:
        if path.is_dir():
            freed += sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            shutil.rmtree(path)
        elif path.exists():  # not inside a folder that was removed
            freed += path.stat().st_size
            path.unlink()
    return freed
