"""Tests of places of data and code: drawn for each process, written into each sample, and the same for a run
that is continued."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from serbench.languages.cpp.layouts import Linker, layout_script, link_all
from serbench.measure.plan import Plan, Task
from serbench.measure.run import execute
from serbench.measure.store import Journal, create_run
from serbench.paths import PROJECT
from serbench.selecting.selection import Operation

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def samples(directory: Path, tasks: list[Task], rounds: int, seed: int = 1) -> list[dict[str, Any]]:
    run = create_run(directory, {})
    with Journal(run) as journal:
        assert not execute(
            Plan(tasks, rounds, seed, samples=1, silence_limit_s=20.0), journal, Quiet()
        ).failures
    events = map(json.loads, (run.directory / "samples.jsonl").read_text().splitlines())
    return [event for event in events if event["event"] == "sample"]


def task(codec: str, dataset: Path) -> Task:
    dataset.write_bytes(bytes(24) + (1).to_bytes(8, "little"))
    return Task(codec, "fake", (Operation("serialize", "reuse"),), (*FAKE, "none"), str(dataset))


def test_each_process_has_a_place_of_its_own_that_its_samples_tell(tmp_path: Path) -> None:
    tasks = [task(f"fake/{name}", tmp_path / "data") for name in "ab"]
    taken = samples(tmp_path, tasks, rounds=3)
    assert all(event["place"] == event["given_place"] >= 0 and "layout" not in event for event in taken)
    assert len({event["place"] for event in taken}) == len(taken) == 6
    places = {(event["codec"], event["round"]): event["place"] for event in taken}
    assert places == {(e["codec"], e["round"]): e["place"] for e in samples(tmp_path, tasks[::-1], rounds=3)}
    assert not set(places.values()) & {event["place"] for event in samples(tmp_path, tasks, rounds=3, seed=2)}


def test_rounds_take_turns_over_layouts(tmp_path: Path) -> None:
    layouts = tuple((*FAKE, f"layout {n}") for n in range(3))
    tasks = [replace(task(f"fake/{name}", tmp_path / "data"), layouts=layouts) for name in "abcd"]
    taken = samples(tmp_path, tasks, rounds=6)
    assert all(event["started_as"] == f"layout {event['layout']}" for event in taken)
    of_codec = {
        codec: [e["layout"] for e in taken if e["codec"] == codec] for codec in {e["codec"] for e in taken}
    }
    assert [Counter(turns) for turns in of_codec.values()] == [Counter({0: 2, 1: 2, 2: 2})] * 4
    assert all(sorted(turns[:3]) == [0, 1, 2] for turns in of_codec.values())
    # else a layout would be slow in all codecs' same rounds
    assert len({tuple(turns) for turns in of_codec.values()}) > 1


GAPS = """
#include <cstdio>
#include <vector>
#include "serbench/inputs.hpp"
#include "serbench/place.hpp"
#include "serbench/sink.hpp"

using namespace serbench;

static int serve(int, char** argv) {
  const std::size_t messages = std::stoul(argv[1]), size = std::stoul(argv[2]);
  int local = 0;
  consume(local);
  std::printf("%zu", reinterpret_cast<std::size_t>(&local) % 4096);
  const std::vector<std::byte> bytes(size);
  std::vector<AlignedBytes> all;
  all.reserve(messages);
  for (std::size_t n = 0; n < messages; ++n) {
    leave_gap(messages);
    all.emplace_back(bytes, drawn_gap(messages));
    const Bytes message = all.back();
    if (message.size() != size) return 1;
    std::printf(" %zu", reinterpret_cast<std::size_t>(message.data()));
  }
  return 0;
}
int main(int argc, char** argv) { return at_drawn_place(argc, argv, serve); }
"""


@pytest.fixture(scope="module", name="gaps")
def program_that_prints_addresses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds a program that prints the place of a variable on the stack, modulo a page, and the places where
    messages of given number and size begin."""
    folder = tmp_path_factory.mktemp("gaps")
    (folder / "gaps.cpp").write_text(GAPS)
    runner = PROJECT / "runners" / "cpp"
    sources = [folder / "gaps.cpp", runner / "source" / "place.cpp"]
    command = [
        "g++",
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-static",
        f"-I{runner / 'include'}",
        *map(str, sources),
    ]
    subprocess.run([*command, "-o", str(folder / "gaps")], check=True)
    return folder / "gaps"


def addresses(program: Path, messages: int, size: int, *options: str) -> list[int]:
    done = subprocess.run(
        [program, str(messages), str(size), *options], capture_output=True, text=True, check=True
    )
    return list(map(int, done.stdout.split()))


@pytest.mark.parametrize("size", [2000, 200_000], ids=["on the heap", "mapped"])
def test_messages_lie_at_drawn_places_of_a_page(gaps: Path, size: int) -> None:
    places = [[a % 4096 for a in addresses(gaps, 8, size, "--place", str(seed))[1:]] for seed in range(12)]
    assert all(place % 16 == 0 for run in places for place in run)
    assert len({run[0] for run in places}) > 8  # from process to process
    assert all(len(set(run)) > 5 for run in places)  # from message to message
    assert len({(b - a) % 4096 for run in places for a, b in pairwise(run)}) > 40


def test_without_a_place_mapped_messages_lie_where_they_always_did(gaps: Path) -> None:
    assert {a % 4096 for a in addresses(gaps, 8, 200_000)[1:]} == {16}


def test_gaps_between_many_messages_are_small(gaps: Path) -> None:
    found = addresses(gaps, 100_000, 320, "--place", "7")[1:]
    plain = addresses(gaps, 100_000, 320)[1:]
    spread, before = (max(each) - min(each) for each in (found, plain))
    assert before < spread < 1.25 * before


FUNCTIONS = """
#include <cstdio>
#include <cstddef>
template <int n>
[[gnu::noinline]] int function(const char* text) { return text[0] + n; }
template <int... n>
static int all(const char* text) {
  std::size_t found[] = {reinterpret_cast<std::size_t>(&function<n>)...};
  for (const std::size_t address : found) std::printf("%zu ", address);
  return (function<n>(text) + ...) == 0;
}
int main(int, char** argv) { return all<1, 22, 333, 4444, 50505, 606, 71, 8008>(argv[0]); }
"""


@pytest.fixture(scope="module", name="built")
def program_that_prints_where_its_functions_are(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Builds a program that prints the places of its functions; returns its path, and the commands by which
    Ninja would have built it."""
    folder = tmp_path_factory.mktemp("layouts")
    (folder / "cells").mkdir()
    (folder / "a.cpp").write_text(FUNCTIONS)
    subprocess.run(["g++", "-O2", "-c", "a.cpp"], cwd=folder, check=True)
    subprocess.run(["g++", "-static", "a.o", "-o", "cells/a"], cwd=folder, check=True)
    return folder / "cells" / "a", "g++ -O2 -c a.cpp -o a.o\n: && g++ -static a.o -o cells/a && :\n"


def linker(program: Path) -> Linker:
    return Linker(program.parent.parent, dict(os.environ))


def functions_of(program: Path) -> list[int]:
    return list(
        map(int, subprocess.run([program], capture_output=True, text=True, check=True).stdout.split())
    )


def test_layouts_are_the_same_objects_with_functions_elsewhere_and_in_another_order(
    built: tuple[Path, str],
) -> None:
    layouts = linker(built[0]).link(*built, count=8)
    places = [functions_of(program) for program in [*layouts, built[0]]]
    assert all(address % 16 == 0 for each in places for address in each)
    assert len({each[0] % 4096 for each in places}) > 6  # in the page
    assert len({each[0] % 64 for each in places}) > 2  # in the line
    orders = {tuple(sorted(range(8), key=each.__getitem__)) for each in places}
    assert len(orders) > 6
    assert len({(each[1] - each[0]) % 4096 for each in places}) > 6  # against each other


def test_a_layout_is_linked_again_only_where_something_has_changed(built: tuple[Path, str]) -> None:
    program, commands = built
    (first, second) = linker(program).link(program, commands, 2)
    times = [path.stat().st_mtime_ns for path in (first, second)]
    content = first.read_bytes()
    linker(program).link(program, commands, 2)
    assert [path.stat().st_mtime_ns for path in (first, second)] == times
    linker(program).link(program, commands.replace("-static a.o", "-static -Wl,--build-id=none a.o"), 1)
    assert first.read_bytes() != content and second.stat().st_mtime_ns == times[1]


def test_a_linker_that_cannot_do_it_is_named_and_costs_its_own_cell(built: tuple[Path, str]) -> None:
    program, commands = built
    link = linker(program).link
    jobs = [
        lambda: link(program, commands.replace("a.o -o", "lacking.o -o"), 1),
        lambda: link(program, commands, 1),
        lambda: link(program, "ld -r a.o > cells/a\n", 1),
    ]
    first, second, third = link_all(jobs, lambda done, total: None)
    assert isinstance(first, str) and "layout 0 of a did not link" in first and "lacking.o" in first
    assert second == [program.parent.parent / "layouts" / "a" / "0"]
    assert third == "a is not linked by a command that is understood: ld -r a.o '>' cells/a"


def test_a_layout_is_drawn_from_its_number_alone() -> None:
    assert layout_script(3) == layout_script(3) != layout_script(4)
