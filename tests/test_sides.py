"""Tests of which source file of a C++ program instantiates a library's templates: the file that makes the
adapter's objects does, and the file that calls it does not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from serbench.languages.cpp.domain import calls_source, domain_header, main_program
from serbench.languages.cpp.generate import CPP_SOURCES
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workloads

pytestmark = pytest.mark.slow("compile C++ beside the tests")

ADAPTER = r"""
#pragma once
#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace library {

/// With virtual functions, since who makes an object instantiates all of those, also what it never calls.
template <class Part>
class Made {
 public:
  Made() { renew(); }
  virtual ~Made() { renew(); }
  virtual void renew() { bytes.clear(); }
  serbench::canonical::Buffer bytes;
};

/// As Boost registers types: from the start of the program, in whatever file instantiates it.
template <class Part, class Root>
struct Registered {
  [[gnu::used]] static const std::size_t number;
};
template <class Part, class Root>
const std::size_t Registered<Part, Root>::number = std::string("of Part").size();

}  // namespace library

namespace serbench {

struct NativePart;
struct ViewPart;
struct EncoderPart;
struct DecoderPart;
struct EncodePart;

template <class Root>
struct ToyAdapter {
  using Native = library::Made<NativePart>;
  using View = library::Made<ViewPart>;

  struct Encoder {
    library::Made<EncoderPart> output;
    void build(const Root& root, Native& native) {
      native.renew();
      canonical::encode(root, native.bytes);
    }
    Bytes encode(const Native& native) {
      if (library::Registered<EncodePart, Root>::number == 0) throw DecodeError("not registered");
      return output.bytes = native.bytes;
    }
  };

  struct Decoder {
    library::Made<DecoderPart> input;
    void decode(Bytes bytes, View& view) {
      input.bytes.assign(bytes.begin(), bytes.end());
      view.bytes = input.bytes;
    }
    void extract(const View& view, Root& root) { canonical::Reader(view.bytes).decode(root); }
    Checksum traverse(const View& view) { return view.bytes.size(); }
  };
};

}  // namespace serbench
"""

PARTS = ("NativePart", "ViewPart", "EncoderPart", "DecoderPart")


def instantiated(source: Path, what: str = "(?:vtable for |guard variable for )?") -> set[str]:
    """The types with which the compiled ``source`` instantiates templates of the library, such as
    ``EncoderPart``; only symbols that begin with the pattern ``what`` count."""
    include = PROJECT / "runners" / "cpp" / "include"
    made = source.with_suffix(".o")
    words = [
        "g++",
        "-std=c++20",
        "-O3",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{include}",
        "-c",
        str(source),
        "-o",
        str(made),
    ]
    subprocess.run(words, check=True)
    listed = subprocess.run(
        ["nm", "-C", "--defined-only", str(made)], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(rf" {what}library::\w+<serbench::(\w+)[,>]", listed))


@pytest.fixture(scope="module", name="sources")
def sources_of_a_toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sources of a measuring program for a made-up codec."""
    folder = tmp_path_factory.mktemp("sides")
    schema = load_workloads(Paths.default().workloads)["monsters"].schema
    (folder / "domain.hpp").write_text(domain_header(schema))
    (folder / "adapter.hpp").write_text(ADAPTER)
    for name, source in {"calls": calls_source, "main": main_program}.items():
        (folder / f"{name}.cpp").write_text(source("cpp/toy", "ToyAdapter", schema))
    return folder


def test_the_program_makes_what_is_the_librarys(sources: Path) -> None:
    assert instantiated(sources / "main.cpp") == set(PARTS)


def test_calls_make_nothing_of_the_librarys(sources: Path) -> None:
    # Code that makes an object needs its virtual functions.
    assert instantiated(sources / "main.cpp", what="vtable for ") == set(PARTS)
    assert instantiated(sources / "calls.cpp", what="vtable for ") == set()


def test_of_several_copies_the_linker_takes_that_of_the_calls() -> None:
    paths = Paths.default()
    variant = load_codecs(paths.codecs)["cpp/handwritten"].variants["checked"]
    program = CPP_SOURCES.pair(variant, load_workloads(paths.workloads)["monsters"].schema).program
    assert program == ("calls.cpp", "main.cpp")
