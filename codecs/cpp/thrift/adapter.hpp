// Apache Thrift: the native object is the generated struct, which templated protocols write to and read from
// memory.
#pragma once

#include <thrift/TConfiguration.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "glue.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

using ThriftBuffer = apache::thrift::transport::TMemoryBuffer;

/// A buffer in memory of this size to begin with, and messages of any size in it.
inline std::shared_ptr<ThriftBuffer> make_thrift_buffer(std::uint32_t size) {
  using Configuration = apache::thrift::TConfiguration;
  constexpr int longest_message = std::numeric_limits<int>::max();
  constexpr int longest_frame = Configuration::DEFAULT_MAX_FRAME_SIZE;  // has a value and no place of its own
  return std::make_shared<ThriftBuffer>(
      size,
      std::make_shared<Configuration>(longest_message, longest_frame, glue::recursion_limit<glue::Native>));
}

template <class Protocol>
class ThriftOutput {
 public:
  template <class Native>
  Bytes write(const Native& native) {
    buffer_->resetBuffer();
    native.write(&protocol_);
    std::uint8_t* bytes = nullptr;
    std::uint32_t size = 0;
    buffer_->getBuffer(&bytes, &size);
    return std::as_bytes(std::span(bytes, size));
  }

 private:
  std::shared_ptr<ThriftBuffer> buffer_ = make_thrift_buffer(ThriftBuffer::defaultSize);
  Protocol protocol_{buffer_};
};

template <class Protocol>
class ThriftInput {
 public:
  template <class Native>
  void read(Bytes bytes, Native& native) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    // The buffer only observes what it is given here.
    buffer_->resetBuffer(reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data())), size);
    buffer_
        ->readEnd();  // Thrift counts the bytes of a message towards its limit until it is told of the end.
    protocol_.limit(static_cast<std::int32_t>(size));
    native.read(&protocol_);
    if (buffer_->available_read() != 0) {
      throw DecodeError(std::to_string(buffer_->available_read()) + " bytes are left over");
    }
  }

 private:
  /// No message has strings or containers of more items than it has bytes: wrong counts must not ask for
  /// memory.
  struct Limited : Protocol {
    using Protocol::Protocol;
    void limit(std::int32_t size) { this->string_limit_ = this->container_limit_ = size; }
  };

  std::shared_ptr<ThriftBuffer> buffer_ = make_thrift_buffer(0);
  Limited protocol_{buffer_};
};

template <class Root, template <class> class Protocol>
struct ThriftAdapter {
  using Native = glue::Native;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { glue::build(root, native); }
    Bytes encode(const Native& native) { return output_.write(native); }

   private:
    ThriftOutput<Protocol<ThriftBuffer>> output_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Native& native) {
      if (bytes.size() > std::numeric_limits<std::int32_t>::max())
        throw DecodeError("Thrift reads at most 2 GiB");
      glue::reset(native);
      try {
        input_->read(bytes, native);
      } catch (const apache::thrift::TException& error) {
        input_.emplace();  // the protocol may stand inside a struct
        throw LibraryError(error.what());
      }
    }

    void extract(const Native& native, Root& root) { glue::extract(native, root); }
    Checksum traverse(const Native& native) { return glue::traverse(native); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph& graph) {
      return glue::walk(graph);
    }

   private:
    std::optional<ThriftInput<Protocol<ThriftBuffer>>> input_{std::in_place};
  };
};

template <class Transport>
using ThriftBinary = apache::thrift::protocol::TBinaryProtocolT<Transport>;
template <class Transport>
using ThriftCompact = apache::thrift::protocol::TCompactProtocolT<Transport>;

template <class Root>
using ThriftBinaryAdapter = ThriftAdapter<Root, ThriftBinary>;
template <class Root>
using ThriftCompactAdapter = ThriftAdapter<Root, ThriftCompact>;

}  // namespace serbench
