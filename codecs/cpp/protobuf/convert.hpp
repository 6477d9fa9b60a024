// What the generated glue uses to move values between domain objects and protobuf messages.
//
// Whatever a destination holds is overwritten in place, so that its memory is used again. Protobuf's integers have
// at least 32 bits and its enums are open: what a domain object has no room for raises DecodeError.
#pragma once

#include <google/protobuf/map.h>
#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <array>
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

/// The number as the domain has it.
template <class To, class From>
To number(From from) {
  if (!fits<To>(from)) refuse(from);
  return static_cast<To>(from);
}

template <class Items>
void check_count(int found, const Items& items) {
  if (static_cast<std::size_t>(found) != items.size()) {
    throw DecodeError("an array has " + std::to_string(found) + " items, expected " + std::to_string(items.size()));
  }
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
  check_count(static_cast<int>(from.size()), to);
  std::copy_n(reinterpret_cast<const Byte*>(from.data()), N, to.begin());
}

template <class Items, class Native>
void copy_numbers(const Items& from, google::protobuf::RepeatedField<Native>& to) {
  if constexpr (std::is_enum_v<typename Items::value_type>) {
    to.Clear();
    to.Reserve(static_cast<int>(from.size()));
    for (const auto item : from) to.AddAlreadyReserved(static_cast<Native>(item));
  } else {
    to.Assign(from.begin(), from.end());
  }
}

template <class Native, class Item>
void copy_numbers(const google::protobuf::RepeatedField<Native>& from, std::vector<Item>& to) {
  if constexpr (std::is_same_v<Native, Item>) {
    to.assign(from.begin(), from.end());
  } else {
    to.resize(from.size());
    std::transform(from.begin(), from.end(), to.begin(), number<Item, Native>);
  }
}

template <class Native, class Item, std::size_t N>
void copy_numbers(const google::protobuf::RepeatedField<Native>& from, std::array<Item, N>& to) {
  check_count(from.size(), to);
  std::transform(from.begin(), from.begin() + N, to.begin(), number<Item, Native>);
}

/// Makes the field so long; the objects that it keeps hold what they held.
template <class Native>
void resize(google::protobuf::RepeatedPtrField<Native>& field, std::size_t size) {
  const int wanted = static_cast<int>(size);
  while (field.size() > wanted) field.RemoveLast();
  field.Reserve(wanted);
  while (field.size() < wanted) field.Add();
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

  /// The value of a key; it holds anything until it is assigned.
  Value& operator[](const Key& key) {
    if (old_.empty()) return map_[key];
    auto node = old_.extract(old_.begin());
    node.key() = key;
    return map_.insert(std::move(node)).position->second;
  }

 private:
  std::map<Key, Value>& map_;
  std::map<Key, Value> old_;
};

template <class Native>
Checksum sum_of(const google::protobuf::RepeatedField<Native>& field) {
  Checksum sum = field.size();
  for (const Native item : field) sum += checksum_of(item);
  return sum;
}

}  // namespace serbench::glue
