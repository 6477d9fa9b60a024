"""``serbench list releases``: whether the versions that are measured are the newest ones."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from serbench.building.prepare import known_variants
from serbench.cli.console import Steps
from serbench.codecs.codec import Codec
from serbench.errors import SerbenchError, in_short
from serbench.languages.releases import Release, releases
from serbench.languages.versions import order_of, versions_of
from serbench.paths import Paths
from serbench.report.notes import said_of_codecs
from serbench.report.table import Table
from serbench.selecting.selection import select_variants

_AT_ONCE = 4
"""How many package managers are asked at once; most of them wait for a network."""


def releases_table(paths: Paths, patterns: Sequence[str]) -> tuple[Table, list[dict[str, Any]]]:
    """The codecs of a selection with the version of the library that is usually measured and the newest one,
    each with its day where the package manager tells it; and the same in plain values. A codec whose package
    manager tells nothing has the reason."""
    codecs = list({v.codec.id: v.codec for v in select_variants(patterns, known_variants(paths))}.values())
    told: list[list[Release] | str] = []
    with Steps("asking") as steps, ThreadPoolExecutor(_AT_ONCE) as pool:
        for codec, found in zip(codecs, pool.map(lambda each: _asked(paths, each), codecs), strict=True):
            steps.step(len(told), len(codecs), codec.id)
            told.append(found)
    records = [_record(*each) for each in zip(codecs, told, strict=True)]
    columns = ("codec", "version", "released", "newest", "newest_released", "newer")
    rows = [["–" if each[name] in (None, "") else str(each[name]) for name in columns] for each in records]
    notes = [
        "newer: the stable releases after the version that is usually measured. Days are those that package "
        "managers tell.",
        *said_of_codecs({codec.id: codec.maintenance for codec in codecs}),
        *said_of_codecs({each["codec"]: each["reason"] for each in records}),
    ]
    return Table(
        "releases", [name.replace("_", " ") for name in columns], rows, frozenset({5}), notes
    ), records


def _asked(paths: Paths, codec: Codec) -> list[Release] | str:
    """The releases of a codec's library, the oldest first, or why they are not known."""
    try:
        return releases(paths.home, codec)
    except SerbenchError as error:
        said = in_short(str(error)).removeprefix(f"--version {codec.id}=VERSION: ")
        return said.removeprefix(f"{codec.id}: ")


def _record(codec: Codec, told: list[Release] | str) -> dict[str, Any]:
    found = [] if isinstance(told, str) else told
    usual = versions_of(codec).usual(codec) if found else ""
    own = next((each for each in found if each.version == usual), None)
    return {
        "codec": codec.id,
        "version": usual or None,
        "released": own.released or None if own else None,
        "newest": found[-1].version if found else None,
        "newest_released": found[-1].released or None if found else None,
        "newer": sum(order_of(each.version) > order_of(usual) for each in found) if usual else None,
        "maintenance": codec.maintenance,
        "reason": told if isinstance(told, str) else "",
    }
