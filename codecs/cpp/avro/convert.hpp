// What the generated glue uses to move enums, bytes, maps and lists of numbers to and from Avro's structs.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/shapes.hpp"

namespace serbench::glue {

/// Avro numbers the symbols of an enum by their order.
template <class Native, class Enum>
Native to_native(Enum value) {
  const auto& values = ReflectEnum<Enum>::values;
  const auto found =
      std::find(values.begin(), values.end(), static_cast<std::underlying_type_t<Enum>>(value));
  if (found == values.end())
    throw std::invalid_argument("an enum has a value that its type does not declare");
  return static_cast<Native>(found - values.begin());
}

template <class Enum, class Native>
Enum to_domain(Native symbol) {
  const auto ordinal = static_cast<std::size_t>(symbol);
  if (ordinal >= ReflectEnum<Enum>::values.size()) {
    throw DecodeError("an enum has the ordinal " + std::to_string(ordinal));
  }
  return static_cast<Enum>(ReflectEnum<Enum>::values[ordinal]);
}

/// Bytes, and lists and arrays of 8-bit numbers, to and from Avro's bytes.
template <class From, class To>
void copy_bytes(const From& from, To& to) {
  if constexpr (Array<To>) {
    check_count(from.size(), to);
  } else {
    to.resize(from.size());
  }
  std::transform(from.begin(), from.end(), to.begin(),
                 [](auto byte) { return static_cast<typename To::value_type>(byte); });
}

/// Items of a list or array into Avro's array.
template <class Items, class Native>
void copy_numbers(const Items& from, std::vector<Native>& to) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](auto item) {
    if constexpr (std::is_enum_v<Native>) {
      return to_native<Native>(item);
    } else {
      return static_cast<Native>(item);
    }
  });
}

template <class Item, class Native>
Item item_of(Native native) {
  if constexpr (std::is_enum_v<Native>) {
    return to_domain<Item>(native);
  } else {
    return number<Item>(native);
  }
}

/// The same, back into a list or array.
template <class Native, class Items>
void extract_numbers(const std::vector<Native>& from, Items& to) {
  if constexpr (Array<Items>) {
    check_count(from.size(), to);
  } else {
    to.resize(from.size());
  }
  std::transform(from.begin(), from.end(), to.begin(), item_of<typename Items::value_type, Native>);
}

/// Fills an array of records with a key and a value anew, with the records that it had.
template <class Entry>
class RefilledEntries {
 public:
  explicit RefilledEntries(std::vector<Entry>& entries) : entries_(entries) {}
  RefilledEntries(const RefilledEntries&) = delete;
  RefilledEntries& operator=(const RefilledEntries&) = delete;
  ~RefilledEntries() { entries_.resize(used_); }

  auto& operator[](decltype(Entry::key) key) {
    if (used_ == entries_.size()) entries_.emplace_back();
    Entry& entry = entries_[used_++];
    entry.key = key;
    return entry.value;
  }

 private:
  std::vector<Entry>& entries_;
  std::size_t used_ = 0;
};

template <class Value>
auto filled(std::map<std::string, Value>& map) {
  return FilledMap<std::string, Value, Keys::ascending>(map);
}

template <class Entry>
auto filled(std::vector<Entry>& entries) {
  return RefilledEntries<Entry>(entries);
}

template <class Key, class Value>
struct Fill : FilledMap<Key, Value, Keys::ascending> {
  explicit Fill(std::map<Key, Value>& map) : FilledMap<Key, Value, Keys::ascending>(map) {}
};

using serbench::checksum_of;
inline Checksum checksum_of(const std::vector<std::uint8_t>& bytes) { return checksum_of(as_bytes(bytes)); }
template <std::size_t N>
Checksum checksum_of(const std::array<std::uint8_t, N>& bytes) {
  return checksum_of(as_bytes(bytes));
}

/// The sum of a list of numbers; To is their type in the domain.
template <class To, class Native>
Checksum sum_of(const std::vector<Native>& list) {
  Checksum sum = list.size();
  for (const auto item : list) sum += checksum_of(item_of<To, Native>(item));
  return sum;
}

}  // namespace serbench::glue
