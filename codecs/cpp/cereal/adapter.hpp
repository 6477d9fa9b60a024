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
