"""``serbench workload``: remove or rename imported workloads, remove the programs of changed ones."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from serbench.building.leftovers import leftovers
from serbench.building.leftovers import remove as remove_all
from serbench.cli.console import announce
from serbench.errors import SelectionError
from serbench.imports.importing import renamed
from serbench.paths import Paths
from serbench.system.files import not_there
from serbench.system.locks import wait_for_home
from serbench.workload import Workload, load_workloads

app = typer.Typer(
    help="Remove or rename workloads that were imported, or remove the programs of changed workloads.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of an imported workload.")]


@app.command("rm")
def remove(name: _Name) -> None:
    """Remove an imported workload and its messages. Its runs are kept."""
    paths = Paths.default()
    workload = _imported(name, paths)
    shutil.rmtree(paths.imported / workload.name)
    print(f"removed workload {name}")


@app.command("rename")
def rename(name: _Name, new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")]) -> None:
    """Rename an imported workload. Earlier runs keep the old name."""
    paths = Paths.default()
    workload = _imported(name, paths)
    known = load_workloads(*paths.all_workloads)
    if new in known.folders:
        raise SelectionError(f"a workload named '{new}' exists already, in {known.folders[new]}")
    print(f"renamed workload {name} to {renamed(workload, new, paths.imported).name}")


@app.command("prune")
def prune() -> None:
    """Remove the programs that were built for workloads with changes, such as orders/drop=note, messages that
    were encoded for reading a part, and shared objects of earlier sources. A command that needs them makes
    them again."""
    paths = Paths.default()
    wait_for_home(paths.home, announce)
    freed = remove_all(leftovers(paths))
    print(f"removed {freed / 1e6:,.1f} MB of what was made for workloads with changes or read in part")


def _imported(name: str, paths: Paths) -> Workload:
    """The imported workload of this name; raises SelectionError if there is none."""
    known = load_workloads(paths.imported)
    if name not in known:
        raise not_there("imported workload", name, known)
    return known[name]
