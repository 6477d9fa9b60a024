"""``serbench serve``: show a run as a page while it is going on."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Annotated

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.export import runs_named
from serbench.cli.options import option
from serbench.cli.report import known_here, title_of
from serbench.languages.install import may_install
from serbench.measure.parts import measured_parts, shown_parts, whole_of
from serbench.measure.store import Run, is_going_on
from serbench.page.assets import Assets, assets
from serbench.page.contents import Installation
from serbench.page.document import page
from serbench.page.serving import HOST, Followed, server
from serbench.paths import Paths


def serve(
    run: options.Runs = None,
    port: Annotated[int, option("N", "Port to listen on; 0 picks a free one.", min=0, max=65535)] = 0,
    no_install: options.NoInstall = False,
) -> None:
    """Serve the report of a run while it is measured, on this machine only; stop it with Ctrl-C.

    The page is that of report, updated as figures come in. An open page is updated every few seconds, which
    disturbs the run a little; a page that nobody has open costs nothing.
    """
    paths = Paths.default()
    runs = runs_named(paths, run or [], every=False)
    built = assets(announce, (lambda: False) if no_install else may_install)
    followed = page_of(runs, known_here(paths), built)
    with server(followed, port) as serving, contextlib.suppress(KeyboardInterrupt):
        print(f"http://{HOST}:{serving.server_address[1]}/", flush=True)
        serving.serve_forever()


def page_of(runs: Sequence[Run], known: Installation, built: Assets) -> Followed:
    """The page of runs, which is made anew when a journal grows or a run ends. Cells without samples are
    shown as waiting while their run is measured, and as failed after that."""

    def made() -> str:
        now = [_anew(each) for each in runs]
        return page(now, known, title_of(now), built, follows=True)

    def changed() -> str:
        measured = [part for run in runs for part in measured_parts(run)]
        return " ".join(f"{each.id} {each.journal.stat().st_size} {is_going_on(each)}" for each in measured)

    return Followed(made, changed)


def _anew(run: Run) -> Run:
    """A run as it is now; for a kind whose machines share the cells, with the samples of all of them."""
    parts = measured_parts(run)
    if parts[0].directory == run.directory:
        return Run(run.directory, going_on=is_going_on(run))
    now = next(each for each in shown_parts(whole_of(run)) if each.id == run.id)
    going_on = any(map(is_going_on, parts))
    return Run(now.directory, going_on=going_on).holding(now.manifest, now.taken)
