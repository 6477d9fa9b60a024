// What a careful programmer writes without a library: numbers as they lie in memory, 8-byte counts, blocks copied
// whole; the size is computed first, so that writing needs room only once.
#pragma once

#include <cstring>
#include <memory>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace handwritten {

using Count = std::uint64_t;

/// Variable-length values whose items are copied as one block.
template <class T>
concept Block = String<T> || ByteString<T> || (List<T> && Packed<typename T::value_type>);

/// Bytes that put writes for value.
template <class T>
std::size_t size_of(const T& value) {
  if constexpr (Number<T> || Packed<T>) {
    return sizeof value;
  } else if constexpr (Block<T>) {
    return sizeof(Count) + value.size() * sizeof(typename T::value_type);
  } else if constexpr (Reflected<T>) {
    return apply_members(value, [](const auto&... members) { return (size_of(members) + ...); });
  } else if constexpr (Optional<T>) {
    return 1 + (value ? size_of(*value) : 0);
  } else if constexpr (Map<T>) {
    std::size_t size = sizeof(Count);
    for (const auto& [key, mapped] : value) size += size_of(key) + size_of(mapped);
    return size;
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    return sizeof(Count) + value.size();
  } else {
    std::size_t size = Array<T> ? 0 : sizeof(Count);
    for (const auto& item : value) size += size_of(item);
    return size;
  }
}

inline std::byte* put_bytes(std::byte* at, const void* from, std::size_t size) {
  if (size != 0) std::memcpy(at, from, size);
  return at + size;
}

inline std::byte* put_count(std::byte* at, Count count) { return put_bytes(at, &count, sizeof count); }

/// Writes value at `at`, where there is room for it, and returns the end.
template <class T>
std::byte* put(std::byte* at, const T& value) {
  if constexpr (Number<T> || Packed<T>) {
    return put_bytes(at, &value, sizeof value);
  } else if constexpr (Block<T>) {
    at = put_count(at, value.size());
    return put_bytes(at, value.data(), value.size() * sizeof(typename T::value_type));
  } else if constexpr (Reflected<T>) {
    for_each_member(value, [&](const auto& member) { at = put(at, member); });
  } else if constexpr (Optional<T>) {
    at = put(at, value.has_value());
    if (value) at = put(at, *value);
  } else if constexpr (Map<T>) {
    at = put_count(at, value.size());
    for (const auto& [key, mapped] : value) at = put(put(at, key), mapped);
  } else {
    if constexpr (!Array<T>) at = put_count(at, value.size());
    for (const auto& item : value) at = put(at, item);
  }
  return at;
}

/// Reads from front to back; `checked` refuses what does not fit the bytes that are left.
template <bool checked>
class Reader {
 public:
  explicit Reader(Bytes bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  template <class T>
  void get(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = get_number<std::uint8_t>() != 0;
    } else if constexpr (Number<T> || Packed<T>) {
      value = get_number<T>();
    } else if constexpr (Block<T>) {
      const std::size_t size = get_count(sizeof(typename T::value_type));
      const std::byte* from = take(size * sizeof(typename T::value_type));
      if constexpr (String<T>) {
        value.assign(reinterpret_cast<const char*>(from), size);
      } else {
        value.resize(size);
        if (size != 0) std::memcpy(value.data(), from, size * sizeof(typename T::value_type));
      }
    } else if constexpr (Reflected<T>) {
      for_each_member(value, [this](auto& member) { get(member); });
    } else if constexpr (Optional<T>) {
      if (get_number<std::uint8_t>() == 0) {
        value.reset();
      } else {
        if (!value) value.emplace();
        get(*value);
      }
    } else if constexpr (Map<T>) {
      value.clear();
      for (std::size_t left = get_count(1); left > 0; --left) {
        typename T::key_type key;
        get(key);
        get(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
      }
    } else if constexpr (std::same_as<T, std::vector<bool>>) {
      value.resize(get_count(1));
      for (auto item : value) item = get_number<std::uint8_t>() != 0;
    } else {
      if constexpr (!Array<T>) value.resize(get_count(1));
      for (auto& item : value) get(item);
    }
  }

 private:
  const std::byte* at_;
  const std::byte* end_;

  const std::byte* take(std::size_t size) {
    if constexpr (checked) {
      if (size > static_cast<std::size_t>(end_ - at_)) throw DecodeError("the bytes end early");
    }
    const std::byte* taken = at_;
    at_ += size;
    return taken;
  }

  template <class T>
  T get_number() {
    T number;
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }

  /// A count of items that take at least least_bytes each.
  std::size_t get_count(std::size_t least_bytes) {
    const auto count = get_number<Count>();
    if constexpr (checked) {
      if (count > static_cast<std::size_t>(end_ - at_) / least_bytes)
        throw DecodeError("a count exceeds the bytes left");
    }
    return count;
  }
};

}  // namespace handwritten

template <class Root, bool checked>
class HandwrittenAdapterOf {
 public:
  Bytes encode(const Root& root) {
    const std::size_t size = handwritten::size_of(root);
    if (size > capacity_) {
      buffer_ = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity_ = size;
    }
    handwritten::put(buffer_.get(), root);
    return {buffer_.get(), size};
  }
  void decode(Bytes bytes, Root& root) { handwritten::Reader<checked>(bytes).get(root); }

 private:
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
};

template <class Root>
using HandwrittenAdapter = HandwrittenAdapterOf<Root, true>;
template <class Root>
using HandwrittenUnsafeAdapter = HandwrittenAdapterOf<Root, false>;

}  // namespace serbench
