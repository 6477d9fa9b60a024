// What the generated glue uses to move lists of numbers and messages to and from protobuf's repeated fields.
#pragma once

#include <google/protobuf/map.h>
#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>
#include <vector>

#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"

namespace serbench::glue {

/// How many messages may be inside each other; 0 for what the library takes by itself, which is too little
/// for types that lead back to themselves. Glue says it of these.
template <class Message>
inline constexpr int recursion_limit = 0;

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

template <class Key, class Value>
struct Fill : FilledMap<Key, Value, Keys::unordered> {
  explicit Fill(std::map<Key, Value>& map) : FilledMap<Key, Value, Keys::unordered>(map) {}
};

template <class Native>
Checksum sum_of(const google::protobuf::RepeatedField<Native>& field) {
  Checksum sum = field.size();
  for (const Native item : field) sum += checksum_of(item);
  return sum;
}

}  // namespace serbench::glue
