// What generated glue uses to move values between domain objects and a library's own, whichever library it
// is.
//
// Whatever a destination holds is overwritten in place, so that its memory is used again; but maps are filled
// anew. Libraries have fewer types of integers than the domain, and open enums: what a domain object has no
// room for raises DecodeError.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/reflect.hpp"
#include "serbench/shapes.hpp"

namespace serbench::glue {

/// Whether the domain's type has this number.
template <class To, class From>
constexpr bool fits(From number) {
  if constexpr (std::is_enum_v<To>) {
    using Underlying = std::underlying_type_t<To>;
    return fits<Underlying>(number) && ReflectEnum<To>::contains(static_cast<Underlying>(number));
  } else {
    return static_cast<From>(static_cast<To>(number)) == number;
  }
}

[[noreturn, gnu::cold]] inline void refuse(std::int64_t number) {
  throw DecodeError("a field has no room for the value " + std::to_string(number));
}

/// The number as the domain has it. Unsigned numbers of a signed type's width keep their bits; a float is the
/// domain's own, or was widened from it.
template <class To, class From>
To number(From from) {
  if constexpr (!std::is_floating_point_v<To>) {
    if (!fits<To>(from)) refuse(from);
  }
  return static_cast<To>(from);
}

inline void check_length(std::size_t found, std::size_t expected) {
  if (found != expected) {
    throw DecodeError("an array has " + std::to_string(found) + " items, expected " +
                      std::to_string(expected));
  }
}

template <class Items>
void check_count(std::size_t found, const Items& items) {
  check_length(found, items.size());
}

/// Lists and arrays of 8-bit values are bytes.
template <class Items>
void copy_bytes(const Items& from, std::string& to) {
  to.assign(reinterpret_cast<const char*>(from.data()), from.size());
}

template <class Byte>
void copy_bytes(const std::string& from, std::vector<Byte>& to) {
  const auto* bytes = reinterpret_cast<const Byte*>(from.data());
  to.assign(bytes, bytes + from.size());
}

template <class Byte, std::size_t N>
void copy_bytes(const std::string& from, std::array<Byte, N>& to) {
  check_count(from.size(), to);
  std::copy_n(reinterpret_cast<const Byte*>(from.data()), N, to.begin());
}

/// The value of an optional, made where there was none.
template <class T>
T& engaged(std::optional<T>& optional) {
  return optional ? *optional : optional.emplace();
}

/// The same for what a pointer points at.
template <class T>
T& engaged(std::unique_ptr<T>& pointer) {
  return pointee(pointer);
}

/// The alternative of this index, made where the variant has another.
template <std::size_t index, class... Alternatives>
auto& chosen(std::variant<Alternatives...>& variant) {
  if (variant.index() != index) variant.template emplace<index>();
  return *std::get_if<index>(&variant);
}

/// The order in which a library gives the keys of a map.
enum class Keys { ascending, unordered };

/// Fills a map anew: what was in it is destroyed, since libraries do so where the code is theirs
/// (docs/decisions/008-maps-are-filled-anew.md). Ascending keys are put at the end without a search; where
/// they are unordered, trying that first would cost a comparison for each.
template <class Key, class Value, Keys keys>
class FilledMap {
 public:
  explicit FilledMap(std::map<Key, Value>& map) : map_(map) { map_.clear(); }

  /// The value of a key, which is put into the map unless wrong bytes name it twice.
  template <class K>
  Value& operator[](K&& key) {
    if constexpr (keys == Keys::ascending) {
      return map_.try_emplace(map_.end(), std::forward<K>(key))->second;
    } else {
      return map_[std::forward<K>(key)];
    }
  }

 private:
  std::map<Key, Value>& map_;
};

/// A copy of a map in place of what was in it, whose nodes a mere assignment would keep.
template <class Key, class Value>
void copy_map(const std::map<Key, Value>& from, std::map<Key, Value>& to) {
  to.clear();
  to = from;
}

}  // namespace serbench::glue
