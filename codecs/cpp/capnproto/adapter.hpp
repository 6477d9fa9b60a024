// Cap'n Proto: segments behind the standard table of their sizes, as they are or packed.
#pragma once

#include "glue.hpp"
#include "message.hpp"
#include "serbench/adapter.hpp"

namespace serbench {

/// What both encodings have in common.
template <class Root, class ViewOfRoot>
class CapnProtoBase {
 public:
  using Native = CapnProtoBuilder;
  using View = ViewOfRoot;

  void build(const Root& root, Native& native) {
    glue::build(root, native.start().template initRoot<glue::NativeRoot>());
  }

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

 protected:
  /// A stream into a buffer of at least so many bytes, which is used again.
  kj::ArrayOutputStream output(std::size_t size) {
    if (buffer_.size() < size) buffer_ = kj::heapArray<kj::byte>(size);
    return kj::ArrayOutputStream(buffer_);
  }

  static Bytes written(kj::ArrayOutputStream& stream) {
    const auto bytes = stream.getArray();
    return {reinterpret_cast<const std::byte*>(bytes.begin()), bytes.size()};
  }

 private:
  kj::Array<kj::byte> buffer_;
};

template <class Root>
class CapnProtoAdapter : public CapnProtoBase<Root, CapnProtoView<glue::NativeRoot>> {
 public:
  Bytes encode(const CapnProtoBuilder& native) {
    const auto segments = native.segments();
    auto stream = this->output(capnp::computeSerializedSizeInWords(segments) * sizeof(capnp::word));
    capnp::writeMessage(stream, segments);
    return this->written(stream);
  }
};

template <class Root>
class CapnProtoPackedAdapter : public CapnProtoBase<Root, CapnProtoPackedView<glue::NativeRoot>> {
 public:
  Bytes encode(const CapnProtoBuilder& native) {
    const auto segments = native.segments();
    // A word without zeros takes a tag, itself and a count; the packer looks that far ahead.
    constexpr std::size_t packed_word = 1 + sizeof(capnp::word) + 1;
    auto stream = this->output((capnp::computeSerializedSizeInWords(segments) + 1) * packed_word);
    capnp::writePackedMessage(stream, segments);
    return this->written(stream);
  }
};

}  // namespace serbench
