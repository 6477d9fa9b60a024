"""Tests of ``selecting_words``, which writes the options by which another command selects what an earlier one
did."""

from __future__ import annotations

import shlex
from dataclasses import replace

import typer

from serbench.cli.asking import Making, What, selecting_words
from serbench.cli.effort import Effort
from serbench.cli.grouped import grouped


def test_the_words_of_a_selection_ask_for_the_same_again() -> None:
    what = What(
        workload=["w"], codec=["popular", "cpp/*"], operation=["de*"], need="evolution", suite="heron"
    )
    making = Making(no_install=True, compilers=["clang++"], time_limit=9.0)
    words = selecting_words(what, Effort(quick=True, iterations=5, rounds=3), making)
    assert shlex.join(words) == (
        "-c popular -c 'cpp/*' -o 'de*' --suite heron --need evolution --iterations 5 --no-install "
        "--cxx clang++"
    )
    app = typer.Typer()
    asked: list[tuple[What, Effort, Making]] = []

    @app.command()
    @grouped
    def take(what: What, effort: Effort, making: Making) -> None:
        asked.append((what, effort, making))

    app([*words, "-w", "w"], standalone_mode=False)
    assert asked == [(what, Effort(iterations=5), replace(making, time_limit=Making().time_limit))]
