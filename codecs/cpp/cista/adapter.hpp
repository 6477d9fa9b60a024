// cista: structs with its own containers, written as they lie in memory and read where they are.
#pragma once

#include "glue.hpp"
#include "pointers.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

template <class Root, cista::mode mode>
struct CistaAdapterOf {
  using Native = glue::Native;
  using View = const Native*;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { cista_codec::build(root, native); }

    Bytes encode(const Native& native) {
      target_.rewind();
      cista::serialize<mode>(target_, native);
      return target_.written();
    }

   private:
    cista_codec::Target target_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, View& view) {
      if (bytes.size() < start + sizeof(Native)) throw DecodeError("the bytes end early");
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      view = cista::deserialize<Native, mode>(from, from + bytes.size());
    }

    /// Neither versions and hashes nor offsets are looked at.
    void decode_fast(Bytes bytes, View& view) {
      view = cista::deserialize<Native, cista::mode::CAST>(
          reinterpret_cast<const std::uint8_t*>(bytes.data()) + start);
    }

    void extract(const View& view, Root& root) { cista_codec::extract(*view, root); }
    Checksum traverse(const View& view) { return cista_codec::traverse<Root>(*view); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph* graph) {
      return glue::walk(*graph);
    }

   private:
    static constexpr auto start = static_cast<std::size_t>(cista::data_start(mode));
  };
};

template <class Root>
using CistaOffsetAdapter = CistaAdapterOf<Root, cista::mode::NONE>;

template <class Root>
using CistaIntegrityAdapter =
    CistaAdapterOf<Root, cista::mode::WITH_STATIC_VERSION | cista::mode::WITH_INTEGRITY>;

}  // namespace serbench
