// Boost.Serialization's binary archives with default traits and flags.
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/split_free.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "serbench/adapter.hpp"
#include "serbench/streams.hpp"

namespace serbench::domain {

template <class Archive, Reflected T>
void serialize(Archive& archive, T& record, unsigned) {
  for_each_member(record, [&](auto& member) { archive & member; });
}

}  // namespace serbench::domain

namespace boost::serialization {

// Boost 1.74 knows its own optional only.
template <class Archive, class T>
void save(Archive& archive, const std::optional<T>& value, unsigned) {
  const bool present = value.has_value();
  archive << present;
  if (present) archive << *value;
}
template <class Archive, class T>
void load(Archive& archive, std::optional<T>& value, unsigned) {
  bool present = false;
  archive >> present;
  if (!present) {
    value.reset();
  } else {
    if (!value) value.emplace();
    archive >> *value;
  }
}
template <class Archive, class T>
void serialize(Archive& archive, std::optional<T>& value, unsigned version) {
  split_free(archive, value, version);
}

}  // namespace boost::serialization

namespace serbench {

template <class Root>
struct BoostAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      output_.rewind();
      boost::archive::binary_oarchive archive(output_.buffer());
      archive << unwrapped(root);
      return output_.written();
    }

   private:
    MemoryOutput output_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      MemoryInput input(bytes);
      boost::archive::binary_iarchive archive(input.buffer());
      archive >> unwrapped(root);
    }
  };
};

}  // namespace serbench
