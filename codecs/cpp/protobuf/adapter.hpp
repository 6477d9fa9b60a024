// Google's Protocol Buffers: the native object is the generated message.
#pragma once

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "glue.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

/// An output buffer that grows as needed and is never filled with zeros, as a std::string would be.
class ProtobufBuffer {
 public:
  Bytes encode(const google::protobuf::MessageLite& message) {
    const std::size_t size = message.ByteSizeLong();
    if (size > INT_MAX) throw std::length_error("a protobuf message has at most 2 GiB");
    if (size > capacity_) {
      bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
      capacity_ = size;
    }
    message.SerializeWithCachedSizesToArray(bytes_.get());
    return std::as_bytes(std::span(bytes_.get(), size));
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
};

/// A limit of its own has to be set on a stream.
template <class Message>
void parse_protobuf(Bytes bytes, Message& message) {
  const auto parsed = [&] {
    if (bytes.size() > INT_MAX) return false;
    const int size = static_cast<int>(bytes.size());
    if constexpr (glue::recursion_limit<Message> == 0) {
      return message.ParseFromArray(bytes.data(), size);
    } else {
      google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()), size);
      input.SetRecursionLimit(glue::recursion_limit<Message>);
      return message.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
    }
  };
  if (!parsed()) throw LibraryError("protobuf cannot parse the bytes");
}

/// Messages on the heap. A message that is used again keeps its strings and repeated fields.
template <class Root>
struct ProtobufAdapter {
  using Native = glue::Native;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { glue::build(root, native); }
    Bytes encode(const Native& native) { return buffer_.encode(native); }

   private:
    ProtobufBuffer buffer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Native& native) { parse_protobuf(bytes, native); }
    void extract(const Native& native, Root& root) { glue::extract(native, root); }
    Checksum traverse(const Native& native) { return glue::traverse(native); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph& graph) {
      return glue::walk(graph);
    }
  };
};

/// A message on an arena of its own, made anew for each. Its first block is as large as what the message
/// before needed, so that one allocation is usually all. (A block that is kept and given to the arena again
/// was no faster to fill, and slower to read from: 2.0 against 1.1 microseconds for extract of monsters.)
template <class Message>
class ArenaMessage {
 public:
  const Message& get() const { return *message_; }

  /// An empty message in place of the one before.
  Message& renew() {
    google::protobuf::ArenaOptions options;
    if (arena_) {
      options.start_block_size = std::max<std::size_t>(options.start_block_size, arena_->SpaceUsed() * 5 / 4);
      options.max_block_size = std::max(options.max_block_size, options.start_block_size);
    }
    arena_.emplace(options);
    message_ = google::protobuf::Arena::CreateMessage<Message>(&*arena_);
    return *message_;
  }

 private:
  std::optional<google::protobuf::Arena> arena_;
  Message* message_ = nullptr;
};

/// Messages on arenas.
template <class Root>
struct ProtobufArenaAdapter {
  using Native = ArenaMessage<glue::Native>;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { glue::build(root, native.renew()); }
    Bytes encode(const Native& native) { return buffer_.encode(native.get()); }

   private:
    ProtobufBuffer buffer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Native& native) { parse_protobuf(bytes, native.renew()); }
    void extract(const Native& native, Root& root) { glue::extract(native.get(), root); }
    Checksum traverse(const Native& native) { return glue::traverse(native.get()); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const ArenaMessage<Graph>& graph) {
      return glue::walk(graph.get());
    }
  };
};

}  // namespace serbench
