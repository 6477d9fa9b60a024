// What the generated glue uses to move values between domain objects and Thrift structs.
//
// Whatever a destination holds is overwritten in place, so that its memory is used again. Thrift's enums are open and
// it has no unsigned integers: what a domain object has no room for raises DecodeError.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/reflect.hpp"

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

/// The number as the domain has it. Unsigned numbers of a signed type's width keep their bits; f32 was widened.
template <class To, class From>
To number(From from) {
  if constexpr (!std::is_floating_point_v<To>) {
    if (!fits<To>(from)) refuse(from);
  }
  return static_cast<To>(from);
}

template <class Items>
void check_count(std::size_t found, const Items& items) {
  if (found != items.size()) {
    throw DecodeError("an array has " + std::to_string(found) + " items, expected " + std::to_string(items.size()));
  }
}

/// Lists and arrays of 8-bit values are binary.
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

/// Items of a list or array into Thrift's list.
template <class Items, class Native>
void copy_numbers(const Items& from, std::vector<Native>& to) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](auto item) { return static_cast<Native>(item); });
}

/// The same, back into a list.
template <class Native, class Item>
void extract_numbers(const std::vector<Native>& from, std::vector<Item>& to) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), number<Item, Native>);
}

template <class Native, class Item, std::size_t N>
void extract_numbers(const std::vector<Native>& from, std::array<Item, N>& to) {
  check_count(from.size(), to);
  std::transform(from.begin(), from.begin() + N, to.begin(), number<Item, Native>);
}

/// The value of an optional, made where there was none.
template <class T>
T& engaged(std::optional<T>& optional) {
  return optional ? *optional : optional.emplace();
}

/// Fills a map anew with the nodes that it had.
template <class Key, class Value>
class Refill {
 public:
  explicit Refill(std::map<Key, Value>& map) : map_(map) { old_.swap(map); }

  /// The value of a key, which is usually greater than those before; it holds anything until it is assigned.
  Value& operator[](const Key& key) {
    if (old_.empty()) return map_.emplace_hint(map_.end(), key, Value{})->second;
    auto node = old_.extract(old_.begin());
    node.key() = key;
    return map_.insert(map_.end(), std::move(node))->second;
  }

 private:
  std::map<Key, Value>& map_;
  std::map<Key, Value> old_;
};

/// The sum of a list of numbers; To is their type in the domain.
template <class To, class Native>
Checksum sum_of(const std::vector<Native>& list) {
  Checksum sum = list.size();
  for (const auto item : list) sum += checksum_of(static_cast<To>(item));
  return sum;
}

}  // namespace serbench::glue
