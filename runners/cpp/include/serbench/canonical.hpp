// The canonical encoding of domain values (docs/canonical-encoding.md), with every check that it asks for.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "serbench/bytes.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench::canonical {

using Buffer = std::vector<std::byte>;

inline void put(Buffer& out, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

inline void put_count(Buffer& out, std::size_t count) {
  if (count > UINT32_MAX) throw std::length_error("more than 2^32 - 1 items");
  const auto narrow = static_cast<std::uint32_t>(count);
  put(out, &narrow, sizeof narrow);
}

/// Writes canonical bytes behind those of a buffer.
class Writer {
 public:
  explicit Writer(Buffer& out) : out_(out) {}

  /// `back` says how the value's type leads back to one that it is part of.
  template <Back back = Back::no, class T>
  void encode(const T& value) {
    static_assert(std::endian::native == std::endian::little);
    if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
      put(out_, &value, sizeof value);
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      const Step step(depth_);
      encode(value);
    } else if constexpr (Reflected<T> || Union<T>) {
      if constexpr (Union<T>) put_count(out_, value.value.index());
      for_each_part(value, [&](const auto& part, auto part_back) { encode<part_back()>(part); });
    } else if constexpr (Pointer<T>) {
      if (back != Back::never_null) out_.push_back(std::byte{value != nullptr});
      if (value) encode<back>(*value);
    } else if constexpr (Optional<T>) {
      out_.push_back(std::byte{value.has_value()});
      if (value) encode<back>(*value);
    } else if constexpr (Array<T>) {
      for (const auto& item : value) encode<back>(item);
    } else if constexpr (Map<T>) {  // std::map is sorted by key, as the encoding asks
      put_count(out_, value.size());
      for (const auto& [key, mapped] : value) {
        encode(key);
        encode<back>(mapped);
      }
    } else if constexpr (String<T> || ByteString<T> || (List<T> && Packed<typename T::value_type>)) {
      put_count(out_, value.size());
      put(out_, value.data(), value.size() * sizeof(typename T::value_type));
    } else {
      static_assert(List<T>);
      put_count(out_, value.size());
      for (const auto& item : value) encode<back>(static_cast<const typename T::value_type&>(item));
    }
  }

 private:
  Buffer& out_;
  unsigned depth_ = 0;
};

/// Appends the canonical bytes of value.
template <class T>
void encode(const T& value, Buffer& out) {
  Writer(out).encode(value);
}

/// Reads canonical bytes from front to back.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  /// Reads one value into value, whatever it held before.
  template <Back back = Back::no, class T>
  void decode(T& value);

  /// Throws unless every byte was read.
  void finish() const {
    if (!rest_.empty()) throw DecodeError(std::to_string(rest_.size()) + " bytes are left over");
  }

 private:
  Bytes rest_;
  unsigned depth_ = 0;

  Bytes take(std::size_t size) {
    if (size > rest_.size()) {
      throw DecodeError("truncated: " + std::to_string(size) + " bytes are needed, " +
                        std::to_string(rest_.size()) + " are left");
    }
    const Bytes taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  void get(void* to, std::size_t size) {
    const Bytes taken = take(size);
    if (size != 0) std::memcpy(to, taken.data(), size);
  }

  std::uint8_t get_flag() {
    std::uint8_t flag = 0;
    get(&flag, 1);
    if (flag > 1) throw DecodeError("a bool or presence byte is " + std::to_string(flag));
    return flag;
  }

  /// The count of a list or map. Items take at least one byte each, so that a wrong count cannot ask for more
  /// memory than the message has bytes; where they take none, there is a limit.
  template <class T>
  std::size_t get_count() {
    std::uint32_t count = 0;
    get(&count, sizeof count);
    const std::size_t most = is_empty<typename T::value_type>() ? max_empty_items : rest_.size();
    if (count > most) {
      throw DecodeError("a count of " + std::to_string(count) + ", expected at most " + std::to_string(most));
    }
    return count;
  }
};

template <Back back, class T>
void Reader::decode(T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = get_flag() != 0;
  } else if constexpr (DomainEnum<T>) {
    std::underlying_type_t<T> number{};
    get(&number, sizeof number);
    if (!ReflectEnum<T>::contains(number))
      throw DecodeError("an enum has the value " + std::to_string(number));
    value = static_cast<T>(number);
  } else if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
    get(&value, sizeof value);
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth_);
    decode(value);
  } else if constexpr (Reflected<T>) {
    for_each_part(value, [&](auto& member, auto member_back) { decode<member_back()>(member); });
  } else if constexpr (Union<T>) {
    std::uint32_t index = 0;
    get(&index, sizeof index);
    choose(value, index, [&](auto& chosen, auto chosen_back) { decode<chosen_back()>(chosen); });
  } else if constexpr (Pointer<T>) {
    if (back == Back::never_null || get_flag()) {
      decode<back>(pointee(value));
    } else {
      value.reset();
    }
  } else if constexpr (Optional<T>) {
    if (get_flag()) {
      decode<back>(value.emplace());
    } else {
      value.reset();
    }
  } else if constexpr (Array<T>) {
    for (auto& item : value) decode<back>(item);
  } else if constexpr (Map<T>) {
    value.clear();
    for (std::size_t left = get_count<T>(); left > 0; --left) {
      typename T::key_type key{};
      decode(key);
      decode<back>(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
    }
  } else if constexpr (String<T> || ByteString<T> || (List<T> && Packed<typename T::value_type>)) {
    const std::size_t count = get_count<T>();
    const Bytes items = take(count * sizeof(typename T::value_type));
    value.resize(count);
    if (count != 0) std::memcpy(value.data(), items.data(), items.size());
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    value.resize(get_count<T>());
    for (auto item : value) item = get_flag() != 0;
  } else {
    static_assert(List<T>);
    value.resize(get_count<T>());
    for (auto& item : value) decode<back>(item);
  }
}

}  // namespace serbench::canonical
