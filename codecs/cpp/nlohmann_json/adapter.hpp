// JSON for Modern C++: the native object is a tree of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert.hpp"
#include "serbench/adapter.hpp"

namespace serbench {
namespace nlohmann_codec {

using Buffer = std::vector<std::uint8_t>;

// Each format: how its bytes are written into what is kept for them, and read.

struct Text : NoBinary {
  static constexpr bool is_text = true;
  using Kept = std::string;
  /// There is no public function that writes into a string that is there.
  static void write(const auto& json, Kept& kept) { kept = json.dump(); }
  template <class Json>
  static Json read(const char* begin, const char* end) {
    return Json::parse(begin, end);
  }
};

struct Cbor : Binary {
  using Kept = Buffer;
  template <class Json>
  static void write(const Json& json, Kept& kept) {
    Json::to_cbor(json, kept);
  }
  template <class Json>
  static Json read(const char* begin, const char* end) {
    return Json::from_cbor(begin, end);
  }
};

struct MessagePack : Binary {
  using Kept = Buffer;
  template <class Json>
  static void write(const Json& json, Kept& kept) {
    Json::to_msgpack(json, kept);
  }
  template <class Json>
  static Json read(const char* begin, const char* end) {
    return Json::from_msgpack(begin, end);
  }
};

struct Bson : BinaryWithoutUnsigned {
  using Kept = Buffer;
  template <class Json>
  static void write(const Json& json, Kept& kept) {
    Json::to_bson(json, kept);
  }
  template <class Json>
  static Json read(const char* begin, const char* end) {
    return Json::from_bson(begin, end);
  }
};

struct Ubjson : NoBinary {
  using Kept = Buffer;
  template <class Json>
  static void write(const Json& json, Kept& kept) {
    Json::to_ubjson(json, kept);
  }
  template <class Json>
  static Json read(const char* begin, const char* end) {
    return Json::from_ubjson(begin, end);
  }
};

}  // namespace nlohmann_codec

template <class Root, class Format>
struct NlohmannAdapter {
  using Native = nlohmann_codec::Json<Format>;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { native = root; }
    Bytes encode(const Native& native) {
      kept_.clear();
      Format::write(native, kept_);
      return as_bytes(kept_);
    }

   private:
    typename Format::Kept kept_;
  };

  struct Decoder {
    void decode(Bytes bytes, Native& native) {
      native = Format::template read<Native>(as_chars(bytes), as_chars(bytes) + bytes.size());
    }
    void extract(const Native& native, Root& root) { native.get_to(root); }
    Checksum traverse(const Native& native) { return nlohmann_codec::traverse<Root>(native); }

    Checksum walk(const Native& graph)
      requires Graph<Root>
    {
      using Names = WalkNames<Root>;
      const Native& nodes = graph.at(Names::nodes);
      return depth_first(nodes.size(), [&](std::size_t node, auto&& reach) {
        for (const Native& edge : nodes[node].at(Names::edges)) {
          reach(edge.at(Names::target).template get<std::size_t>());
        }
      });
    }
  };
};

template <class Root>
using NlohmannTextAdapter = NlohmannAdapter<Root, nlohmann_codec::Text>;
template <class Root>
using NlohmannCborAdapter = NlohmannAdapter<Root, nlohmann_codec::Cbor>;
template <class Root>
using NlohmannMessagePackAdapter = NlohmannAdapter<Root, nlohmann_codec::MessagePack>;
template <class Root>
using NlohmannBsonAdapter = NlohmannAdapter<Root, nlohmann_codec::Bson>;
template <class Root>
using NlohmannUbjsonAdapter = NlohmannAdapter<Root, nlohmann_codec::Ubjson>;

}  // namespace serbench
