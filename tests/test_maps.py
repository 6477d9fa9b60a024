"""Tests that all of our code that fills a map clears it and inserts every entry anew
(docs/decisions/008-maps-are-filled-anew.md)."""

from __future__ import annotations

import subprocess

import pytest

from serbench.paths import PROJECT

pytestmark = pytest.mark.slow("compile C++ beside the tests")

SOURCE = r"""
#include "serbench/canonical.hpp"
#include "serbench/convert.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

static int allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using Map = std::map<int, int>;

/// How often filling a map that has the same keys allocates.
template <class Fill>
void say(const char* what, Fill fill) {
  Map map;
  fill(map);
  const int before = allocations;
  fill(map);
  const int found = allocations - before;
  std::printf("%s %d %d\n", what, found, map == Map{{1, 10}, {2, 20}, {3, 30}});
}

template <serbench::glue::Keys keys>
void fill(Map& map) {
  serbench::glue::FilledMap<int, int, keys> filled(map);
  for (const int key : {1, 2, 3}) filled[key] = 10 * key;
}

int main() {
  using serbench::glue::Keys;
  const Map from{{1, 10}, {2, 20}, {3, 30}};
  serbench::canonical::Buffer bytes;
  serbench::canonical::encode(from, bytes);
  say("ascending", fill<Keys::ascending>);
  say("unordered", fill<Keys::unordered>);
  say("copied", [&](Map& map) { serbench::glue::copy_map(from, map); });
  say("canonical", [&](Map& map) { serbench::canonical::Reader(bytes).decode(map); });
  say("assigned", [&](Map& map) { map = from; });
}
"""


@pytest.fixture(scope="module", name="found")
def allocations_and_whether_it_is_right(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[int, int]]:
    folder = tmp_path_factory.mktemp("maps")
    (folder / "maps.cpp").write_text(SOURCE)
    include = PROJECT / "runners" / "cpp" / "include"
    words = [
        "g++",
        "-std=c++20",
        "-O0",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{include}",
        "-o",
        str(folder / "maps"),
    ]
    subprocess.run([*words, str(folder / "maps.cpp")], check=True)
    done = subprocess.run([folder / "maps"], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {what: (int(allocations), int(right)) for what, allocations, right in lines}


@pytest.mark.parametrize("how", ["ascending", "unordered", "copied", "canonical"])
def test_no_node_of_a_map_is_kept(found: dict[str, tuple[int, int]], how: str) -> None:
    assert found[how] == (3, 1)


def test_the_count_would_tell_nodes_that_are_kept(found: dict[str, tuple[int, int]]) -> None:
    """The tests above count allocations. Assigning one map to another keeps the map's nodes and allocates
    nothing, so that count would reveal code that keeps nodes instead of inserting anew."""
    assert found["assigned"] == (0, 1)
