"""Links a program again with its functions in other places and another order, so that no figure depends on
one layout.

The virtual addresses of code are the same in every process of one executable, and decide with which cache
sets, fetch blocks and predictor entries its functions do their work. A change of one function moves those
behind it: two builds whose measured code was the same differed by up to ten per cent
(docs/laboratory/layouts-and-places.md). So each program has several layouts, and rounds take turns.

A layout is a linker script beside the linker's own. It puts in gaps of drawn sizes, multiples of 16 bytes, to
which functions are aligned. A gap of less than a page goes in front of all code, so that every function has
another place in lines, fetch blocks and pages. Groups of functions come in a drawn order with small gaps
between them, so that functions move against each other. A function's name decides its group: whether certain
letters of its mangled name are in one drawn half of the alphabet or the other. (Templates and inline
functions have a section each, and those are what codecs are made of; other functions move with their object
file, by its name.) Halves are cut from the alphabet as from a circle, so that a pattern has a few ranges in
place of 31 letters: ld compares every name with every pattern, and takes half the time or less with ranges. A
function that stays what it is stays in its group, whatever else is changed, and layouts are drawn from their
number alone: so the layouts of two builds are draws of the same kind, and where objects are the same, so are
the executables.

Source of the idea: C. Curtsinger and E. D. Berger, "Stabilizer: statistically sound performance evaluation"
(ASPLOS 2013), which moves functions again and again while they run; T. Mytkowicz, A. Diwan, M. Hauswirth and
P. F. Sweeney, "Producing wrong data without doing anything obviously wrong!" (ASPLOS 2009), where the order
of object files made more than what was to be measured.
"""

from __future__ import annotations

import os
import random
import shlex
import string
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import TypeVar

from serbench.errors import BuildError
from serbench.languages.running import failure_of, first_error
from serbench.system.stamp import Stamp, sha256_of

Made = TypeVar("Made")

_LETTERS = string.ascii_uppercase + "_" + string.ascii_lowercase + string.digits
_ALIGNMENT, _PAGE, _GAP = 16, 4096, 256
_FUNCTION_TAIL, _FUNCTION_BITS = 14, 4
_OBJECT_TAIL, _OBJECT_BITS = 8, 2


def layout_script(number: int) -> str:
    """The linker script of layout ``number``, for GNU ld and LLVM's lld; it is drawn from the number
    alone."""
    draws = random.Random(f"layout {number}")
    functions = _groups(draws, _FUNCTION_TAIL, _FUNCTION_BITS)
    objects = _groups(draws, _OBJECT_TAIL, _OBJECT_BITS)
    inputs = [f"*(.text._Z*{tail})" for tail in functions] + [f"*{tail}.o(.text)" for tail in objects]
    lines = [f"    . += {_drawn(draws, _PAGE)};"]
    for each in draws.sample(inputs, len(inputs)):
        lines += [f"    {each}", f"    . += {_drawn(draws, _GAP)};"]
    # All that is left goes where the linker's own script puts it, behind all of these.
    return "\n".join(
        ["SECTIONS", "{", "  .text.drawn :", "  {", *lines, "  }", "}", "INSERT BEFORE .text;", ""]
    )


def _groups(draws: random.Random, length: int, bits: int) -> list[str]:
    """Patterns for the last ``length`` letters of names, of which at most one fits a name: one for each way
    in which the letters at ``bits`` drawn positions can be in one half of the alphabet or the other."""
    positions = draws.sample(range(length), bits)
    halves = []
    for _ in positions:
        cut, half = draws.randrange(len(_LETTERS)), len(_LETTERS) // 2
        circle = _LETTERS[cut:] + _LETTERS[:cut]
        halves.append([_ranges(circle[:half]), _ranges(circle[half:])])
    tails = []
    for chosen in product(*halves):
        at = dict(zip(positions, chosen, strict=True))
        tails.append("".join(f"[{at[n]}]" if n in at else "?" for n in range(length)))
    return tails


def _ranges(letters: str) -> str:
    """The letters as a linker script's pattern has them in brackets, with ranges: ``A-Z_a-f``."""
    starts = [n for n in range(len(letters)) if not n or ord(letters[n]) != ord(letters[n - 1]) + 1]
    runs = [letters[start:end] for start, end in pairwise([*starts, len(letters)])]
    return "".join(run if len(run) < 3 else f"{run[0]}-{run[-1]}" for run in runs)


def _drawn(draws: random.Random, limit: int) -> int:
    return _ALIGNMENT * draws.randrange(limit // _ALIGNMENT)


@dataclass(frozen=True)
class Linker:
    """Links layouts of programs that Ninja has built.

    Attributes:
        directory: the build folder, which link commands are relative to.
        environment: the environment of the linker.
    """

    directory: Path
    environment: Mapping[str, str]

    def link(self, program: Path, commands: str, count: int) -> list[Path]:
        """Links layouts 0 to ``count`` - 1 of a program from its objects, unless that was done before, and
        returns their paths.

        Args:
            commands: the commands that build the program, one a line, the link last.

        Raises:
            BuildError: the linker failed, or does not know such scripts.
        """
        words = self._words(commands, program)
        folder = self.directory / "layouts" / program.name
        folder.mkdir(parents=True, exist_ok=True)
        built = sha256_of(program.read_bytes())
        return [self._link_one(folder / str(number), number, words, built) for number in range(count)]

    def _link_one(self, output: Path, number: int, words: Sequence[str], built: str) -> Path:
        script, path = layout_script(number), output.with_name(f"{output.name}.ld")

        def link() -> str:
            path.write_text(script)
            # Without symbols, which are not loaded and take most of the file.
            command = [*words, "-o", str(output.resolve()), f"-Wl,-T,{path.resolve()}", "-Wl,-s"]
            return failure_of(command, self.directory, self.environment)

        state = sha256_of(built, script, *words)
        if said := Stamp(output.with_name(f"{output.name}.state"), state, output).once(link):
            raise BuildError(f"layout {number} of {output.parent.name} did not link: {first_error(said)}")
        return output

    def _words(self, commands: str, program: Path) -> list[str]:
        """The words of Ninja's link command, ``: && g++ ... -o cells/NAME ... && :``, without its output."""
        words = shlex.split(commands.strip().splitlines()[-1])
        if words[:2] == [":", "&&"] and words[-2:] == ["&&", ":"] and "&&" not in words[2:-2]:
            words = words[2:-2]
            at = words.index("-o") if "-o" in words else len(words)
            if words[at + 1 : at + 2] == [str(program.relative_to(self.directory))]:
                return words[:at] + words[at + 2 :]
        raise BuildError(
            f"{program.name} is not linked by a command that is understood: {shlex.join(words)[:200]}"
        )


def link_all(jobs: Sequence[Callable[[], Made]], done: Callable[[int, int], None]) -> list[Made | str]:
    """Runs jobs that link layouts on all cores, and calls ``done`` with the numbers of jobs done and of all;
    returns each one's result, or why there is none."""

    def attempt(job: Callable[[], Made]) -> Made | str:
        try:
            return job()
        except (BuildError, OSError) as error:
            return str(error)

    results: list[Made | str] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(attempt, jobs):
            results.append(result)
            done(len(results), len(jobs))
    return results
