"""``serbench serve``: show a run as a page while it is going on."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.export import runs_named
from serbench.cli.report import known_here, title_of
from serbench.command import COMMAND
from serbench.install import may_install
from serbench.measure.store import Run
from serbench.page.assets import assets
from serbench.page.contents import contents
from serbench.page.document import document
from serbench.page.serving import HOST, Followed, server
from serbench.paths import Paths


def register(app: typer.Typer) -> None:
    app.command(
        "serve",
        short_help="Show a run as a page while it is going on.",
        epilog=f"Example: {COMMAND} serve --port 8000",
    )(serve)


def serve(
    run: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of runs or their beginnings; the newest where none is given."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 takes a free one.")
    ] = 0,
    no_install: options.NoInstall = False,
) -> None:
    """Show a run as a page while it is going on, on this machine only; ends with Ctrl-C.

    The page is that of report, and is made anew as figures come in. A run of many minutes is disturbed by it:
    a page that nobody looks at costs nothing, one that is open is made anew every few seconds.
    """
    paths = Paths.default()
    runs = runs_named(paths, run or [], every=False)
    known, built = known_here(paths), assets(announce, (lambda: False) if no_install else may_install)

    def made() -> str:
        now = [Run(each.directory) for each in runs]
        return document(contents(now, known, title_of(now)), built, follows=True)

    def changed() -> str:
        return " ".join(f"{each.id} {each.journal.stat().st_size}" for each in runs)

    with server(Followed(made, changed), port) as serving, contextlib.suppress(KeyboardInterrupt):
        print(f"http://{HOST}:{serving.server_address[1]}/", flush=True)
        serving.serve_forever()
