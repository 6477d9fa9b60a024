// cereal's binary archives.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/streams.hpp"

namespace serbench::domain {  // schemas may have a type of any name here, Union for one

template <class Archive, serbench::Struct T>
void serialize(Archive& archive, T& record) {
  apply_members(record, [&](auto&... members) {
    if constexpr (sizeof...(members) != 0) archive(members...);
  });
}

}  // namespace serbench::domain

// Bytes in one piece, as cereal has arithmetic types, of which std::byte is none; the archive is the same.
namespace cereal {

template <class Archive>
void save(Archive& archive, const std::vector<std::byte>& bytes) {
  archive(make_size_tag(static_cast<size_type>(bytes.size())));
  archive(binary_data(bytes.data(), bytes.size()));
}

template <class Archive>
void load(Archive& archive, std::vector<std::byte>& bytes) {
  size_type size = 0;
  archive(make_size_tag(size));
  bytes.resize(static_cast<std::size_t>(size));
  archive(binary_data(bytes.data(), bytes.size()));
}

template <class Archive, std::size_t size>
void save(Archive& archive, const std::array<std::byte, size>& bytes) {
  archive(binary_data(bytes.data(), size));
}

template <class Archive, std::size_t size>
void load(Archive& archive, std::array<std::byte, size>& bytes) {
  archive(binary_data(bytes.data(), size));
}

}  // namespace cereal

namespace serbench {

template <class Root>
struct CerealAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      output_.rewind();
      cereal::BinaryOutputArchive archive(output_.stream());
      archive(root);
      return output_.written();
    }

   private:
    MemoryOutput output_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      MemoryInput input(bytes);
      cereal::BinaryInputArchive archive(input.stream());
      archive(root);
    }
  };
};

}  // namespace serbench
