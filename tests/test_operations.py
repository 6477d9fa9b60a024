"""Tests of the objects that each operation makes and of the adapter's functions that it calls. An adapter
without a library counts both, so that the harness alone is tested."""

from __future__ import annotations

import json
import subprocess

import pytest

from serbench.changes.derived import parse_spec
from serbench.dataset.canonical import encode
from serbench.languages.cpp.domain import domain_header
from serbench.paths import PROJECT, Paths
from serbench.selecting.selection import OPERATIONS
from serbench.workload import load_workloads

pytestmark = pytest.mark.slow("compile C++ beside the tests")

MESSAGES = 3

SOURCE = r"""
#include "domain.hpp"
#include "serbench/calls.hpp"
#include "serbench/domains.hpp"
#include "serbench/operations.hpp"

#include <cstdio>
#include <map>
#include <string>

namespace serbench {

std::map<std::string, int> counted;

struct Counted {  // native objects and views alike
  Root root;
  explicit Counted(const char* made) { ++counted[made]; }
};

template <class Root>
struct CountingAdapter {
  struct Native : Counted { Native() : Counted("Native") {} };
  struct View : Counted { View() : Counted("View") {} };

  struct Encoder {
    canonical::Buffer buffer;
    Encoder() { ++counted["Encoder"]; }
    void build(const Root& root, Native& native) { ++counted["build"]; native.root = root; }
    Bytes encode(const Native& native) {
      ++counted["encode"];
      buffer.clear();
      canonical::encode(native.root, buffer);
      return buffer;
    }
  };

  struct Decoder {
    Decoder() { ++counted["Decoder"]; }
    void read(Bytes bytes, View& view) { canonical::Reader(bytes).decode(view.root); }
    void decode(Bytes bytes, View& view) { ++counted["decode"]; read(bytes, view); }
    void decode_fast(Bytes bytes, View& view) { ++counted["decode_fast"]; read(bytes, view); }
    void extract(const View& view, Root& root) { ++counted["extract"]; root = view.root; }
    Checksum traverse(const View& view) { ++counted["traverse"]; return serbench::traverse(view.root); }
    Checksum walk(const View& view) { ++counted["walk"]; return WalkDomain{}(view.root); }
  };
};

}  // namespace serbench

using namespace serbench;

/// What one pass after the first makes and calls, as a JSON object.
void say(const std::string& operation, const char* memory, const std::function<void()>& pass) {
  pass();
  counted.clear();
  pass();
  std::printf("{\"operation\":\"%s\",\"memory\":\"%s\",\"counted\":{", operation.c_str(), memory);
  const char* before = "";
  for (const auto& [what, count] : counted) {
    std::printf("%s\"%s\":%d", before, what.c_str(), count);
    before = ",";
  }
  std::printf("}}\n");
}

int main(int argc, char** argv) {
  std::vector<Bytes> messages;
  std::vector<canonical::Buffer> kept;
  for (int n = 1; n < argc; ++n) {
    canonical::Buffer bytes;
    for (const char* at = argv[n]; *at != 0; at += 2) {
      bytes.push_back(static_cast<std::byte>(std::stoi(std::string(at, 2), nullptr, 16)));
    }
    kept.push_back(std::move(bytes));
  }
  for (const auto& bytes : kept) messages.push_back(bytes);
  using Adapter = CountingAdapter<Root>;
  Operations subject(codec_of<Adapter, Root>(calls_of<Adapter, Root>(), domain_of<Root>()));
  subject.load(messages);
  for (const auto memory : {Memory::reuse, Memory::fresh}) {
    const char* name = memory == Memory::reuse ? "reuse" : "fresh";
    for (const auto operation : subject.operations()) {
      say(std::string(operation), name, subject.prepare(operation, memory).pass);
    }
    say("verified encoding", name, [&] {
      for (std::size_t n = 0; n < messages.size(); ++n) subject.encode(n, memory);
    });
    const AlignedBytes bytes(subject.encode(0, Memory::reuse));
    canonical::Buffer out;
    say("verified decoding", name, [&] {
      for (std::size_t n = 0; n < messages.size(); ++n) subject.decode(bytes, false, memory, out);
    });
  }
}
"""

CALLS = {
    "serialize": ["build", "encode"],
    "deserialize": ["decode", "extract"],
    "build": ["build"],
    "encode": ["encode"],
    "decode": ["decode"],
    "decode_fast": ["decode_fast"],
    "traverse": ["traverse"],
    "extract": ["extract"],
    "roundtrip": ["build", "encode", "decode", "extract"],
    "native_roundtrip": ["encode", "decode"],
    "cycle": ["build", "encode", "decode", "traverse"],
    "walk": ["walk"],
    "decode_walk": ["decode", "walk"],
    "decode_traverse": ["decode", "traverse"],
    "read": ["decode", "traverse"],
    "update": ["decode", "extract", "build", "encode"],
    "decode_fast_walk": ["decode_fast", "walk"],
    "decode_fast_traverse": ["decode_fast", "traverse"],
}

MADE_WITH = {
    "build": ["Encoder", "Native"],
    "encode": ["Encoder"],
    "decode": ["Decoder", "View"],
    "decode_fast": ["Decoder", "View"],
}
"""Call → the objects that an application makes anew for it under ``fresh``: docs/protocol.md, "Memory
policies"."""


SOURCES = ("operations", "updating", "clock", "inputs", "place", "edits", "left", "watching", "dataset")
"""The runner's sources that operations need."""


@pytest.fixture(scope="module", name="counted")
def counted_by_operation(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, int]]:
    """The operation and memory policy → how often one pass made each object and called each function of the
    adapter."""
    folder = tmp_path_factory.mktemp("operations")
    spec = parse_spec("graph/update=nodes[].out_edges[].weight", load_workloads(Paths.default().workloads))
    schema = spec.workload.schema
    (folder / "domain.hpp").write_text(domain_header(schema))
    (folder / "main.cpp").write_text(SOURCE)
    include = PROJECT / "runners" / "cpp" / "include"
    program = folder / "main"
    words = [
        "g++",
        "-std=c++20",
        "-O0",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{include}",
        f"-I{folder}",
        "-o",
        str(program),
    ]
    sources = [PROJECT / "runners" / "cpp" / "source" / f"{name}.cpp" for name in SOURCES]
    subprocess.run([*words, str(folder / "main.cpp"), *map(str, sources)], check=True)
    message = encode(schema.root, ([],)).hex()
    done = subprocess.run([program, *[message] * MESSAGES], capture_output=True, text=True, check=True)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return {(each["operation"], each["memory"]): each["counted"] for each in said}


def test_every_operation_is_offered(counted: dict[tuple[str, str], dict[str, int]]) -> None:
    assert (
        {name for name, _ in counted} - {"verified encoding", "verified decoding"}
        == {*OPERATIONS, "read"}
        == set(CALLS)
    )


@pytest.mark.parametrize("operation", CALLS)
def test_an_operation_calls_what_its_name_promises(
    counted: dict[tuple[str, str], dict[str, int]], operation: str
) -> None:
    assert counted[operation, "reuse"] == dict.fromkeys(CALLS[operation], MESSAGES)


@pytest.mark.parametrize("operation", CALLS)
def test_fresh_makes_what_the_operation_needs_and_nothing_else(
    counted: dict[tuple[str, str], dict[str, int]], operation: str
) -> None:
    needed = {each for call in CALLS[operation] for each in MADE_WITH.get(call, ["Decoder"])}
    assert counted[operation, "fresh"] == dict.fromkeys([*CALLS[operation], *needed], MESSAGES)


@pytest.mark.parametrize(
    ("verified", "measured"), [("verified encoding", "serialize"), ("verified decoding", "deserialize")]
)
@pytest.mark.parametrize("memory", ["reuse", "fresh"])
def test_what_is_verified_is_made_as_what_is_measured(
    counted: dict[tuple[str, str], dict[str, int]], verified: str, measured: str, memory: str
) -> None:
    assert counted[verified, memory] == counted[measured, memory]
