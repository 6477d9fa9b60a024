// RapidJSON: a tree of values, or events straight from and to the domain object.
#pragma once

#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "events.hpp"
#include "sax.hpp"
#include "serbench/adapter.hpp"
#include "tree.hpp"

namespace serbench {
namespace rapidjson_codec {

/// A writer of compact text into a kept buffer.
class Output {
 public:
  /// Calls write(writer); returns what it wrote, valid until the next call.
  template <class Write>
  Bytes text(Write&& write) {
    buffer_.Clear();
    writer_.Reset(buffer_);
    write(writer_);
    return std::as_bytes(std::span(buffer_.GetString(), buffer_.GetSize()));
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

inline void check(const rapidjson::ParseResult& result) {
  if (result) return;
  throw LibraryError("RapidJSON refuses the text at offset " + std::to_string(result.Offset()) + ": " +
                     rapidjson::GetParseError_En(result.Code()));
}

}  // namespace rapidjson_codec

/// Trees of values.
template <class Root, bool in_situ>
struct RapidJsonTreeAdapter {
  using Native = rapidjson_codec::Tree;

  class Encoder {
   public:
    void build(const Root& root, Native& native) {
      const auto put = [&](rapidjson::Document& document) {
        rapidjson_codec::put(document, root);
        return true;
      };
      native.renew().Populate(put);
    }
    Bytes encode(const Native& native) {
      return output_.text([&](auto& writer) { native.root().Accept(writer); });
    }

   private:
    rapidjson_codec::Output output_;
  };

  struct Decoder {
    void decode(Bytes bytes, Native& native) {
      constexpr auto flags = rapidjson_codec::parse_flags;
      rapidjson::Document& document = native.renew();
      if constexpr (in_situ) {
        document.ParseInsitu<flags>(native.copy(bytes));
      } else {
        document.Parse<flags>(as_chars(bytes), bytes.size());
      }
      rapidjson_codec::check(document);
    }
    void extract(const Native& native, Root& root) {
      unsigned depth = 0;
      rapidjson_codec::extract(native.root(), root, depth);
    }
    Checksum traverse(const Native& native) { return rapidjson_codec::traverse<Root>(native.root()); }

    Checksum walk(const Native& native)
      requires Graph<Root>
    {
      using Names = WalkNames<Root>;
      using rapidjson_codec::field_of;
      const rapidjson::Value& nodes = field_of(native.root(), Names::nodes);
      return depth_first(nodes.Size(), [&](std::size_t node, auto&& reach) {
        const rapidjson::Value& edges = field_of(nodes[static_cast<rapidjson::SizeType>(node)], Names::edges);
        for (const auto& edge : edges.GetArray()) {
          reach(rapidjson_codec::number_of<std::size_t>(field_of(edge, Names::target)));
        }
      });
    }
  };
};

template <class Root>
using RapidJsonDomAdapter = RapidJsonTreeAdapter<Root, false>;
template <class Root>
using RapidJsonInsituAdapter = RapidJsonTreeAdapter<Root, true>;

/// Events, without a tree.
template <class Root>
struct RapidJsonSaxAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      return output_.text([&](auto& writer) { rapidjson_codec::put(writer, root); });
    }

   private:
    rapidjson_codec::Output output_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      rapidjson::MemoryStream memory(as_chars(bytes), bytes.size());
      rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> input(memory);
      handler_.begin(root);
      rapidjson_codec::check(reader_.Parse<rapidjson_codec::parse_flags>(input, handler_));
    }

   private:
    rapidjson_codec::Handler handler_;
    rapidjson::Reader reader_;
  };
};

}  // namespace serbench
