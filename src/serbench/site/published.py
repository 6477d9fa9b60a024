"""Published tables as Markdown, from their suites: the figures and the flaws of their measurement."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from serbench.site.markdown import code, plain, table
from serbench.selecting.suite import Published, Suite


def figures(suite: Suite) -> str:
    """The published figures, in one table for each workload, with our codec for each row."""
    return "\n".join(part for workload in suite.workloads for part in _workload(suite, workload))


def _workload(suite: Suite, workload: str) -> Iterator[str]:
    told = [(row, row.published[workload]) for row in suite.rows if workload in row.published]
    if not told:
        return
    operations = [name for name in suite.operations if any(name in figures.times for _, figures in told)]
    operations += sorted({name for _, figures in told for name in figures.times} - set(operations))
    compiled = any(figures.compile_s is not None for _, figures in told)
    words = [plain(name).replace(":", "<br>") for name in operations]
    head = ["its row", "our codec", "bytes", *words, *(["compile,<br>s"] if compiled else [])]
    rows = [[plain(row.name), _linked(row.codec), *_cells(each, operations, compiled)] for row, each in told]
    yield f"Workload {code(workload)}" + (f", times in {plain(suite.time_unit)}:\n" if operations else ":\n")
    yield table(head, rows, right=2)
    notes = [f"- **{plain(row.name)}**: {plain(row.note)}\n" for row, _ in told if row.note]
    if notes:
        yield "".join(notes)


def _linked(codec: str) -> str:
    """A codec variant, with a link to the codec's page."""
    return f"[{codec}](../codecs/{codec.partition(':')[0]}.md)"


def _cells(figures: Published, operations: list[str], compiled: bool) -> Iterator[str]:
    yield "" if figures.size_bytes is None else f"{figures.size_bytes:,.0f}"
    for name in operations:
        yield f"{figures.times[name]:,.10g}" if name in figures.times else ""
    if compiled:
        yield "" if figures.compile_s is None else f"{figures.compile_s:.3f}"


def flaws(suite: Suite) -> str:
    """The flaws of the published measurement, as a list."""
    names = {row.name.partition(" ")[0] for row in suite.rows}
    return "".join(f"- {plain(_begun(flaw, names))}.\n" for flaw in suite.flaws)


def _begun(sentence: str, names: Collection[str]) -> str:
    """Begin a sentence with a capital, unless its first word is a name."""
    first = re.split(r"\W", sentence, maxsplit=1)[0]
    return sentence if first in names else sentence[:1].upper() + sentence[1:]
