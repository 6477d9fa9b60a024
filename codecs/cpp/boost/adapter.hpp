// Boost.Serialization's binary archives with default traits and flags.
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/is_bitwise_serializable.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/unique_ptr.hpp>
#include <boost/serialization/vector.hpp>

#include <cstddef>

#include "serbench/adapter.hpp"
#include "serbench/streams.hpp"

// Bytes in one piece, as Boost has numbers. As any other enum, each std::byte would be an int of 4 bytes.
BOOST_IS_BITWISE_SERIALIZABLE(std::byte)

namespace serbench {
namespace boost_codec {

/// Boost has every enum as an int, which is too narrow for some.
template <class Archive, class T>
void transfer(Archive& archive, T& value) {
  if constexpr (std::is_enum_v<T> && sizeof(T) > sizeof(int)) {
    auto number = static_cast<std::underlying_type_t<T>>(value);
    archive & number;
    value = static_cast<T>(number);
  } else {
    archive & value;
  }
}

}  // namespace boost_codec

namespace domain {

template <class Archive, Reflected T>
void serialize(Archive& archive, T& record, unsigned) {
  for_each_member(record, [&](auto& member) { boost_codec::transfer(archive, member); });
}

/// As Boost has its own variant; Boost 1.74 does not know the standard library's.
template <class Archive, Union T>
void serialize(Archive& archive, T& value, unsigned) {
  auto which = static_cast<int>(value.value.index());
  archive & which;
  choose(value, static_cast<std::size_t>(which),
         [&](auto& chosen, auto) { boost_codec::transfer(archive, chosen); });
}

}  // namespace domain
}  // namespace serbench

namespace boost::serialization {

// Boost 1.74 knows its own optional only.
template <class Archive, class T>
void serialize(Archive& archive, std::optional<T>& value, unsigned) {
  bool present = value.has_value();
  archive & present;
  if (!present) {
    value.reset();
  } else {
    if (!value) value.emplace();
    serbench::boost_codec::transfer(archive, *value);
  }
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
