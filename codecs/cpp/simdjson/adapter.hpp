// simdjson, which only reads: On-Demand straight into the domain object, or the DOM.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "read.hpp"
#include "serbench/adapter.hpp"
#include "write.hpp"

namespace serbench {
namespace simdjson_codec {

/// A copy of the input with the room behind it that the library reads, but does not use.
class PaddedInput {
 public:
  simdjson::padded_string_view copy(Bytes bytes) {
    const std::size_t needed = bytes.size() + simdjson::SIMDJSON_PADDING;
    if (needed > capacity_) {
      begin_ = std::make_unique<char[]>(needed);
      capacity_ = needed;
    }
    if (!bytes.empty()) std::memcpy(begin_.get(), bytes.data(), bytes.size());
    return simdjson::padded_string_view(begin_.get(), bytes.size(), capacity_);
  }

 private:
  std::unique_ptr<char[]> begin_;
  std::size_t capacity_ = 0;
};

/// A parser. By default it takes 1024 objects and arrays inside each other; a step of recursion is several.
template <class Parser, class Root>
Parser make_parser() {
  Parser parser;
  if constexpr (Recursive<Root>) {
    if (parser.allocate(simdjson::SIMDJSON_PADDING, 8 * max_depth) != simdjson::SUCCESS)
      throw std::bad_alloc();
  }
  return parser;
}

/// Writes the text that is read, by means of our own.
template <class Root>
class Encoder {
 public:
  Bytes encode(const Root& root) {
    text_.clear();
    write(text_, root);
    return as_bytes(text_);
  }

 private:
  std::string text_;
};

}  // namespace simdjson_codec

template <class Root>
struct SimdjsonOnDemandAdapter {
  static constexpr bool only_reads = true;

  using Encoder = simdjson_codec::Encoder<Root>;

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      simdjson::ondemand::document document = parser_.iterate(input_.copy(bytes));
      unsigned depth = 0;
      simdjson_codec::read_fields(document.get_object().value(), root, depth);
    }

   private:
    simdjson_codec::PaddedInput input_;
    simdjson::ondemand::parser parser_ = simdjson_codec::make_parser<simdjson::ondemand::parser, Root>();
  };
};

template <class Root>
struct SimdjsonDomAdapter {
  static constexpr bool only_reads = true;
  using Native = Root;
  using View = simdjson::dom::document;

  using Encoder = simdjson_codec::Encoder<Root>;

  class Decoder {
   public:
    void decode(Bytes bytes, View& document) {
      const simdjson::padded_string_view input = input_.copy(bytes);
      constexpr bool copies = false;  // it is padded
      parser_.parse_into_document(document, input.data(), input.length(), copies).value();
    }
    void extract(const View& document, Root& root) {
      unsigned depth = 0;
      simdjson_codec::read(document.root(), root, depth);
    }
    Checksum traverse(const View& document) { return simdjson_codec::traverse<Root>(document.root()); }

    /// An array of the DOM has no random access, so its nodes are gathered first.
    Checksum walk(const View& document)
      requires Graph<Root>
    {
      using Names = WalkNames<Root>;
      const simdjson::dom::array array = document.root()[Names::nodes];
      const std::vector<simdjson::dom::element> nodes(array.begin(), array.end());
      return depth_first(nodes.size(), [&](std::size_t node, auto&& reach) {
        for (const simdjson::dom::element edge : nodes[node][Names::edges])
          reach(std::uint64_t(edge[Names::target]));
      });
    }

   private:
    simdjson_codec::PaddedInput input_;
    simdjson::dom::parser parser_ = simdjson_codec::make_parser<simdjson::dom::parser, Root>();
  };
};

}  // namespace serbench
