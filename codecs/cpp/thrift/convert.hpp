// What the generated glue uses to move lists of numbers to and from Thrift's, which has no unsigned integers
// and no float.
#pragma once

#include <thrift/TConfiguration.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"

namespace serbench::glue {

/// How many structs may be inside each other; glue raises it for types that lead back to themselves.
template <class Struct>
inline constexpr int recursion_limit = apache::thrift::TConfiguration::DEFAULT_RECURSION_DEPTH;

/// What a reference points at, made where there was nothing.
template <class T>
T& engaged(std::shared_ptr<T>& reference) {
  if (!reference) reference = std::make_shared<T>();
  return *reference;
}

/// The same of one that was read: of a struct in which nothing was set, Thrift leaves none.
template <class T>
const T& referenced(const std::shared_ptr<T>& reference) {
  static const T nothing{};
  return reference ? *reference : nothing;
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

template <class Key, class Value>
struct Fill : FilledMap<Key, Value, Keys::ascending> {
  explicit Fill(std::map<Key, Value>& map) : FilledMap<Key, Value, Keys::ascending>(map) {}
};

/// The sum of a list of numbers; To is their type in the domain.
template <class To, class Native>
Checksum sum_of(const std::vector<Native>& list) {
  Checksum sum = list.size();
  for (const auto item : list) sum += checksum_of(static_cast<To>(item));
  return sum;
}

}  // namespace serbench::glue
