// Apache Avro: the native object is the struct that avrogencpp makes.
#pragma once

// fmt, which Avro's headers need since 1.12, may be there as a static, a shared or no library; Avro is built
// with its headers alone.
#define FMT_HEADER_ONLY 1

#include <avro/Compiler.hh>
#include <avro/Decoder.hh>
#include <avro/Encoder.hh>
#include <avro/Specific.hh>
#include <avro/Stream.hh>

#include <cstring>
#include <memory>
#include <string_view>

#include "glue.hpp"
#include "serbench/adapter.hpp"
#include "serbench/writer_schema.hpp"

namespace serbench {

/// An output stream in one piece, kept from one message to the next; Avro's own consists of chunks.
class AvroBuffer final : public avro::OutputStream {
 public:
  void rewind() { used_ = 0; }
  Bytes written() const { return std::as_bytes(std::span(bytes_.get(), used_)); }

  bool next(std::uint8_t** data, std::size_t* size) override {
    if (used_ == capacity_) grow();
    *data = bytes_.get() + used_;
    *size = capacity_ - used_;
    used_ = capacity_;
    return true;
  }
  void backup(std::size_t size) override { used_ -= size; }
  std::uint64_t byteCount() const override { return used_; }
  void flush() override {}

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;

  void grow() {
    const std::size_t capacity = 2 * capacity_ + 4096;
    auto grown = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (used_ != 0) std::memcpy(grown.get(), bytes_.get(), used_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }
};

template <class Root>
struct AvroAdapter {
  using Native = glue::Native;

  class Encoder {
   public:
    void build(const Root& root, Native& native) { glue::build(root, native); }

    Bytes encode(const Native& native) {
      output_.rewind();
      encoder_->init(output_);
      avro::encode(*encoder_, native);
      encoder_->flush();
      return output_.written();
    }

   private:
    AvroBuffer output_;
    avro::EncoderPtr encoder_ = avro::binaryEncoder();
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Native& native) {
      if (!writer_schema.empty()) decoder_ = resolving();
      // A decoder gives back to the stream before what it has not read of it, so that must still be there.
      const auto before = std::exchange(input_, stream(bytes));
      decoder_->init(*input_);
      avro::decode(*decoder_, native);
      if (!writer_schema.empty()) skip_rest(*decoder_);
      decoder_->init(*nothing);
      if (input_->byteCount() != bytes.size()) throw DecodeError("bytes are left over");
    }

    void extract(const Native& native, Root& root) { glue::extract(native, root); }
    Checksum traverse(const Native& native) { return glue::traverse(native); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph& graph) {
      return glue::walk(graph);
    }

   private:
    using Stream = std::unique_ptr<avro::InputStream>;

    /// Avro 1.8 gives a std::auto_ptr.
    static Stream stream(Bytes bytes) {
      return Stream(avro::memoryInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())
                        .release());
    }

    /// Reads the last fields of a message, if they are none of the structs'. Avro 1.8 cannot.
    static void skip_rest(auto& decoder) {
      if constexpr (requires { decoder.drain(); }) decoder.drain();
    }

    /// Decodes messages of the writer's schema, where it is another one than that of the structs.
    static avro::DecoderPtr resolving() {
      const auto parsed = [](std::string_view text) {
        return avro::compileJsonSchemaFromMemory(reinterpret_cast<const std::uint8_t*>(text.data()),
                                                 text.size());
      };
      static const avro::ValidSchema written = parsed(writer_schema);
      static const avro::ValidSchema own = parsed({glue::schema, sizeof glue::schema - 1});
      return avro::resolvingDecoder(written, own, avro::binaryDecoder());
    }

    static inline const Stream nothing = stream({});
    Stream input_;
    avro::DecoderPtr decoder_ = avro::binaryDecoder();
  };
};

}  // namespace serbench
