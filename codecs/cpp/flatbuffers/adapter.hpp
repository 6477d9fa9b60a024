// FlatBuffers: the builder's own bytes, read in place.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "glue.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

template <class Root>
struct FlatBuffersAdapter {
  using Native = glue::Builder;
  using View = const glue::NativeRoot*;

  struct Encoder {
    void build(const Root& root, Native& native) {
      native.Clear();
      native.Finish(glue::build(root, native));
      // Only asserted by the library.
      if (native.GetSize() >= FLATBUFFERS_MAX_BUFFER_SIZE)
        throw std::length_error("a buffer holds less than 2 GB");
    }

    Bytes encode(const Native& native) { return as_bytes(native.GetBufferSpan()); }
  };

  struct Decoder {
    void decode(Bytes bytes, View& view) {
      if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) throw DecodeError("a buffer holds less than 2 GB");
      flatbuffers::Verifier::Options options;
      options.max_depth = glue::nesting_limit<glue::NativeRoot>;
      // The default of a million tables is too few for big messages; a buffer holds fewer tables than words,
      // since the builder never shares them.
      options.max_tables =
          std::max<std::size_t>(options.max_tables, bytes.size() / sizeof(flatbuffers::uoffset_t));
      flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                     options);
      if (!verifier.VerifyBuffer<glue::NativeRoot>()) throw LibraryError("the verifier refuses the buffer");
      decode_fast(bytes, view);
    }

    void decode_fast(Bytes bytes, View& view) { view = flatbuffers::GetRoot<glue::NativeRoot>(bytes.data()); }

    void extract(const View& view, Root& root) { glue::extract(*view, root); }

    Checksum traverse(const View& view) { return glue::traverse(*view); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph* graph) {
      return glue::walk(*graph);
    }
  };
};

}  // namespace serbench
