// Apache Avro for C: the native object is a generic value of the schema; its parts are reached by their
// index.
#pragma once

#include <cstring>
#include <memory>

#include "glue.hpp"
#include "serbench/adapter.hpp"
#include "serbench/writer_schema.hpp"

namespace serbench {

template <class Root>
struct AvroCAdapter {
  using Native = glue::Native;

  class Encoder {
   public:
    void build(const Root& root, Native& native) {
      glue::check(avro_value_reset(native.get()));  // empties every array and string in it
      glue::build(root, *native.get());
    }

    Bytes encode(const Native& native) {
      avro_value_t value = *native.get();
      avro_writer_reset(writer_.get());
      if (avro_value_write(writer_.get(), &value) != 0) {  // there is not enough room
        std::size_t size = 0;
        glue::check(avro_value_sizeof(&value, &size));
        buffer_ = std::make_unique_for_overwrite<char[]>(size);
        avro_writer_memory_set_dest(writer_.get(), buffer_.get(), static_cast<std::int64_t>(size));
        glue::check(avro_value_write(writer_.get(), &value));
      }
      return std::as_bytes(
          std::span(buffer_.get(), static_cast<std::size_t>(avro_writer_tell(writer_.get()))));
    }

   private:
    struct Free {
      void operator()(avro_writer_t writer) const { avro_writer_free(writer); }
    };

    std::unique_ptr<char[]> buffer_;
    std::unique_ptr<avro_writer_t_, Free> writer_{avro_writer_memory(nullptr, 0)};
  };

  class Decoder {
   public:
    /// Bytes after the value are not noticed: nothing tells how many the reader has read.
    void decode(Bytes bytes, Native& native) {
      avro_reader_memory_set_source(reader_.get(), as_chars(bytes), static_cast<std::int64_t>(bytes.size()));
      avro_value_t* const target = writer_schema.empty() ? native.get() : resolved(native);
      if (avro_value_read(reader_.get(), target) != 0) throw LibraryError(avro_strerror());
    }

    void extract(const Native& native, Root& root) { glue::extract(*native.get(), root); }
    Checksum traverse(const Native& native) { return glue::sum_of<Root>(*native.get()); }

    template <class Graph>
      requires requires(const Graph& graph) { glue::walk(graph); }
    Checksum walk(const Graph& graph) {
      return glue::walk(graph);
    }

   private:
    struct Free {
      void operator()(avro_reader_t reader) const { avro_reader_free(reader); }
    };

    static avro_schema_t schema_of(std::string_view text) {
      avro_schema_t schema = nullptr;
      glue::check(avro_schema_from_json_length(text.data(), text.size(), &schema));
      return schema;
    }

    /// A value of the writer's schema that fills `native`, whose schema is that of the reader.
    static avro_value_t* resolved(Native& native) {
      static avro_value_t value = [] {
        const avro_schema_t own = schema_of({glue::schema, sizeof glue::schema - 1});
        avro_value_iface_t* const made = avro_resolved_writer_new(schema_of(writer_schema), own);
        avro_value_t filling;
        if (made == nullptr || avro_resolved_writer_new_value(made, &filling) != 0)
          throw LibraryError(avro_strerror());
        return filling;
      }();
      glue::check(avro_value_reset(native.get()));  // what the writer's schema lacks keeps no value of before
      avro_resolved_writer_set_dest(&value, native.get());
      return &value;
    }

    std::unique_ptr<avro_reader_t_, Free> reader_{avro_reader_memory(nullptr, 0)};
  };
};

}  // namespace serbench
