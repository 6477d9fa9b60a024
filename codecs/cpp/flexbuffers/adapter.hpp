// FlexBuffers: the builder's own bytes, read in place.
#pragma once

#include <stdexcept>

#include "convert.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

template <class Root>
struct FlexBuffersAdapter {
  using Native = flexbuffers::Builder;
  using View = flexbuffers::Reference;

  struct Encoder {
    void build(const Root& root, Native& native) {
      native.Clear();
      flexbuffers_codec::put(native, root);
      native.Finish();
      // Only asserted by the verifier.
      if (native.GetSize() >= FLATBUFFERS_MAX_BUFFER_SIZE)
        throw std::length_error("a buffer holds less than 2 GB");
    }

    Bytes encode(const Native& native) { return as_bytes(native.GetBuffer()); }
  };

  class Decoder {
   public:
    void decode(Bytes bytes, View& view) {
      if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) throw DecodeError("a buffer holds less than 2 GB");
      flexbuffers::Verifier verifier(begin(bytes), bytes.size(), nullptr, true, max_nesting);
      if (!verifier.VerifyBuffer()) throw LibraryError("the verifier refuses the buffer");
      decode_fast(bytes, view);
    }

    void decode_fast(Bytes bytes, View& view) { view = flexbuffers::GetRoot(begin(bytes), bytes.size()); }

    void extract(const View& view, Root& root) {
      unsigned depth = 0;
      flexbuffers_codec::extract(view, root, depth);
    }

    Checksum traverse(const View& view) { return flexbuffers_codec::traverse<Root>(view); }

    Checksum walk(const View& view)
      requires Graph<Root>
    {
      using Names = WalkNames<Root>;
      const flexbuffers::Vector nodes = view.AsMap()[Names::nodes.data()].AsVector();
      return depth_first(nodes.size(), [&](std::size_t node, auto&& reach) {
        const flexbuffers::Vector edges = nodes[node].AsMap()[Names::edges.data()].AsVector();
        for (std::size_t i = 0; i < edges.size(); ++i)
          reach(edges[i].AsMap()[Names::target.data()].AsUInt64());
      });
    }

   private:
    /// A step of recursion is several maps and vectors inside each other; by default the verifier takes 64.
    static constexpr std::size_t max_nesting = 8 * max_depth;

    static const std::uint8_t* begin(Bytes bytes) {
      return reinterpret_cast<const std::uint8_t*>(bytes.data());
    }
  };
};

}  // namespace serbench
