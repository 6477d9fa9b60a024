// Cap'n Proto: segments behind the standard table of their sizes, as they are or packed.
#pragma once

#include "glue.hpp"
#include "message.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

/// The common part of the encoders of both encodings.
template <class Root>
class CapnProtoEncoder {
 public:
  void build(const Root& root, CapnProtoBuilder& native) {
    glue::build(root, native.start().template initRoot<glue::NativeRoot>());
  }

 protected:
  /// A stream into a buffer of at least so many bytes, which is used again.
  kj::ArrayOutputStream output(std::size_t size) {
    if (buffer_.size() < size) buffer_ = kj::heapArray<kj::byte>(size);
    return kj::ArrayOutputStream(buffer_);
  }

  /// Copies a message that was read, with what its schema does not have.
  template <class View>
  static void copy(const View& view, CapnProtoBuilder& native) {
    refusing([&] { native.start().setRoot(view.root()); });
  }

  static Bytes written(kj::ArrayOutputStream& stream) {
    const auto bytes = stream.getArray();
    return {reinterpret_cast<const std::byte*>(bytes.begin()), bytes.size()};
  }

 private:
  kj::Array<kj::byte> buffer_;
};

/// The decoder of both encodings, which differ in their views.
template <class Root, class View>
struct CapnProtoDecoder {
  void decode(Bytes bytes, View& view) {
    refusing([&] { view.open(bytes); });
  }

  void extract(const View& view, Root& root) {
    refusing([&] { glue::extract(view.root(), root); });
  }

  Checksum traverse(const View& view) {
    return refusing([&] { return glue::traverse(view.root()); });
  }

  template <class V>
    requires requires(const V& view) { glue::walk(view.root()); }
  Checksum walk(const V& view) {
    return refusing([&] { return glue::walk(view.root()); });
  }
};

template <class Root>
struct CapnProtoAdapter {
  using Native = CapnProtoBuilder;
  using View = CapnProtoView<glue::NativeRoot>;

  struct Encoder : CapnProtoEncoder<Root> {
    Bytes encode(const Native& native) {
      const auto segments = native.segments();
      auto stream = this->output(capnp::computeSerializedSizeInWords(segments) * sizeof(capnp::word));
      capnp::writeMessage(stream, segments);
      return this->written(stream);
    }

    Bytes relay(const View& view) {
      Native native;
      this->copy(view, native);
      return encode(native);
    }
  };

  using Decoder = CapnProtoDecoder<Root, View>;
};

template <class Root>
struct CapnProtoPackedAdapter {
  using Native = CapnProtoBuilder;
  using View = CapnProtoPackedView<glue::NativeRoot>;

  struct Encoder : CapnProtoEncoder<Root> {
    Bytes encode(const Native& native) {
      const auto segments = native.segments();
      // A word without zeros takes a tag, itself and a count; the packer looks that far ahead.
      constexpr std::size_t packed_word = 1 + sizeof(capnp::word) + 1;
      auto stream = this->output((capnp::computeSerializedSizeInWords(segments) + 1) * packed_word);
      capnp::writePackedMessage(stream, segments);
      return this->written(stream);
    }

    Bytes relay(const View& view) {
      Native native;
      this->copy(view, native);
      return encode(native);
    }
  };

  using Decoder = CapnProtoDecoder<Root, View>;
};

}  // namespace serbench
