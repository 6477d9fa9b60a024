// The sum that `traverse` computes from every field, by which an optimiser has to read them all.
//
// Numbers count as their value (floats: their bits), strings and bytes as their length and the sum of their
// bytes, lists and maps as their count and their items, optionals as their presence and their value, unions
// as the index of their alternative and its value. Sums do not depend on the order, so an unordered map has
// the same sum, and loops over them vectorise as an application's own would. The sum of the native object or
// view must equal that of the domain object; `check` holds it to that.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "serbench/bytes.hpp"
#include "serbench/shapes.hpp"

namespace serbench {

using Checksum = std::uint64_t;

inline Checksum checksum_of(Bytes bytes) {
  Checksum sum = bytes.size();
  for (const std::byte byte : bytes) sum += static_cast<std::uint8_t>(byte);
  return sum;
}

inline Checksum checksum_of(std::string_view text) { return checksum_of(as_bytes(text)); }

template <Number T>
Checksum checksum_of(T number) {
  if constexpr (std::is_enum_v<T>) {
    return checksum_of(static_cast<std::underlying_type_t<T>>(number));
  } else if constexpr (std::same_as<T, float>) {
    return std::bit_cast<std::uint32_t>(number);
  } else if constexpr (std::same_as<T, double>) {
    return std::bit_cast<std::uint64_t>(number);
  } else {
    return static_cast<Checksum>(number);
  }
}

/// The sum over a domain value; `back` says how its type leads back to one that it is part of.
template <Back back = Back::no, class T>
Checksum traverse(const T& value) {
  if constexpr (Number<T> || String<T>) {
    return checksum_of(value);
  } else if constexpr (ByteString<T> || FixedBytes<T>) {
    return checksum_of(as_bytes(value));
  } else if constexpr (Reflected<T> || Union<T>) {
    Checksum sum = 0;
    if constexpr (Union<T>) sum = value.value.index();
    for_each_part(value, [&](const auto& part, auto part_back) { sum += traverse<part_back()>(part); });
    return sum;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return traverse<back>(*value);
  } else if constexpr (Optional<T> || Pointer<T>) {
    return value ? 1 + traverse<back>(*value) : 0;
  } else if constexpr (Map<T>) {
    Checksum sum = value.size();
    for (const auto& [key, mapped] : value) sum += traverse(key) + traverse<back>(mapped);
    return sum;
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    Checksum sum = value.size();
    for (const bool item : value) sum += checksum_of(item);
    return sum;
  } else {
    static_assert(List<T> || Array<T>);
    Checksum sum = Array<T> ? 0 : value.size();
    for (const auto& item : value) sum += traverse<back>(item);
    return sum;
  }
}

}  // namespace serbench
