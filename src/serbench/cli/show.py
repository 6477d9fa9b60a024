"""``serbench show``: print the table of a run."""

from __future__ import annotations

from serbench.building.prepare import known_variants
from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.printing import Shown, print_run, tell_left_out
from serbench.measure.parts import whole_or_part
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.kept import finding_of
from serbench.report.show import show as show_tables
from serbench.selecting.conforming import load_conformance
from serbench.selecting.evolved import load_evolution
from serbench.selecting.need import Need, serving
from serbench.system.command import COMMAND


def show(
    run: options.OneRun = None,
    published: options.ShowPublished = False,
    relative_to: options.RelativeTo = None,
    need: options.Needs = None,
    full: options.AllNotes = False,
    format: options.OutputFormat = options.TableFormat.table,
) -> None:
    """Print the results of a run, even of one that was stopped.

    Of why, advise and history, it prints what they found; with --full, the times of which that is found.
    """
    paths = Paths.default()
    found = whole_or_part(paths.runs, run, note=announce)
    finding = None if full or published or relative_to or need else finding_of(found)
    if finding:
        show_tables(finding.tables(format.room), finding.records, format.value)
        announce(f"the times of which this is found: {COMMAND} show {found.id} --full")
        return
    chosen = _of_need(found, options.need_of(need), paths)
    print_run(chosen, paths, Shown(published, relative_to, full, format), need)


def _of_need(run: Run, need: Need | None, paths: Paths) -> Run:
    """The run as if it had only the codecs that meet the need; the others are announced."""
    if need is None:
        return run
    manifest = run.manifest
    seen, held = load_evolution(paths.codecs).codecs, load_conformance(paths.codecs).codecs
    known = known_variants(paths)
    left = serving(manifest.codecs, need, known, manifest.features, seen, held)
    tell_left_out(need, manifest.codecs, left, known, seen, held)
    return Run(run.directory, frozenset(left))
