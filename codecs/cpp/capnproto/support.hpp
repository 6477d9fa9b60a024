// What the generated glue of every workload uses.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/shapes.hpp"

namespace serbench::glue {

/// How many structs and lists may be inside each other; glue raises it for types that lead back to
/// themselves.
template <class Root>
inline constexpr int nesting_limit = capnp::ReaderOptions().nestingLimit;

/// The value of an optional, made where it is absent.
template <class T>
T& present(std::optional<T>& value) {
  return value ? *value : value.emplace();
}

template <class T>
T& present(std::unique_ptr<T>& value) {
  return pointee(value);
}

/// That there is a struct which leads back to what it is in: the default in its place could hold itself
/// without end.
inline void require(bool there) {
  if (!there) throw DecodeError("a struct is not there");
}

/// With its length, since a string may hold NUL.
inline capnp::Text::Reader as_text(const std::string& text) { return {text.data(), text.size()}; }

template <OctetSequence Items>
capnp::Data::Reader as_data(const Items& items) {
  return {reinterpret_cast<const kj::byte*>(items.data()), items.size()};
}

template <class Items>
auto as_numbers(const Items& items) {
  return kj::arrayPtr(items.data(), items.size());
}

template <class Items>
void require_length(const Items& items, std::size_t length) {
  check_length(items.size(), length);
}

inline void assign(capnp::Text::Reader from, std::string& to) { to.assign(from.begin(), from.size()); }

template <Octet Byte>
void assign(capnp::Data::Reader from, std::vector<Byte>& to) {
  const auto* bytes = reinterpret_cast<const Byte*>(from.begin());
  to.assign(bytes, bytes + from.size());
}

template <Octet Byte, std::size_t N>
void assign(capnp::Data::Reader from, std::array<Byte, N>& to) {
  require_length(from, N);
  std::memcpy(to.data(), from.begin(), N);
}

/// Copies a list of numbers in one piece where it lies in the message as it will in memory; it does not where
/// the sender's schema made it a list of structs.
template <class List, class T>
void copy_numbers(const List& from, T* to) {
  const capnp::AnyList::Reader list = capnp::toAny(from);
  const auto bytes = list.getRawBytes();
  if (std::endian::native == std::endian::little &&
      list.getElementSize() != capnp::ElementSize::INLINE_COMPOSITE &&
      bytes.size() == from.size() * sizeof(T)) {
    if (bytes.size() != 0) std::memcpy(to, bytes.begin(), bytes.size());
  } else {
    for (unsigned i = 0; i < from.size(); ++i) to[i] = from[i];
  }
}

template <class T>
  requires(!Octet<T>)
void assign(typename capnp::List<T>::Reader from, std::vector<T>& to) {
  to.resize(from.size());
  copy_numbers(from, to.data());
}

template <class T, std::size_t N>
  requires(!Octet<T>)
void assign(typename capnp::List<T>::Reader from, std::array<T, N>& to) {
  require_length(from, N);
  copy_numbers(from, to.data());
}

/// Whether an enum's values are what Cap'n Proto numbers its enumerants with: 0, 1, 2 ...
template <class Enum>
constexpr bool counts_from_zero() {
  for (std::size_t i = 0; i < ReflectEnum<Enum>::values.size(); ++i) {
    if (ReflectEnum<Enum>::values[i] != static_cast<std::underlying_type_t<Enum>>(i)) return false;
  }
  return true;
}

/// The ordinals of an enum's enumerants in the order of its members, where those of members that are gone lie
/// between; empty for other enums.
template <class Enum>
inline constexpr std::array<std::uint16_t, 0> ordinals{};

template <class Enum>
constexpr std::size_t ordinal_at(std::size_t index) {
  if constexpr (ordinals<Enum>.empty()) {
    return index;
  } else {
    return ordinals<Enum>[index];
  }
}

template <class Native, class Enum>
Native to_native(Enum value) {
  if constexpr (ordinals<Enum>.empty() && counts_from_zero<Enum>()) {
    return static_cast<Native>(value);
  } else {
    const auto& values = ReflectEnum<Enum>::values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == static_cast<std::underlying_type_t<Enum>>(value)) {
        return static_cast<Native>(ordinal_at<Enum>(i));
      }
    }
    throw std::invalid_argument("an enum has a value that its type does not declare");
  }
}

template <class Enum, class Native>
Enum to_domain(Native value) {
  auto ordinal = static_cast<std::size_t>(value);
  if constexpr (!ordinals<Enum>.empty()) {
    ordinal = std::ranges::find(ordinals<Enum>, static_cast<std::uint16_t>(value)) - ordinals<Enum>.begin();
  }
  if (ordinal >= ReflectEnum<Enum>::values.size()) {
    throw DecodeError("an enum has the ordinal " + std::to_string(static_cast<std::uint16_t>(value)));
  }
  if constexpr (counts_from_zero<Enum>()) {
    return static_cast<Enum>(ordinal);
  } else {
    return static_cast<Enum>(ReflectEnum<Enum>::values[ordinal]);
  }
}

inline Checksum traverse(capnp::Text::Reader text) {
  return checksum_of(std::string_view(text.begin(), text.size()));
}

inline Checksum traverse(capnp::Data::Reader bytes) {
  return checksum_of(Bytes(reinterpret_cast<const std::byte*>(bytes.begin()), bytes.size()));
}

/// The sum of numbers, without their count.
template <class Items>
Checksum traverse_numbers(const Items& items) {
  Checksum sum = 0;
  for (const auto item : items) sum += checksum_of(item);
  return sum;
}

}  // namespace serbench::glue
