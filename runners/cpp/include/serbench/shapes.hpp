// Which C++ type stands for which type of the type model; what generic code over domain values branches on.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/reflect.hpp"

namespace serbench {

/// bool, integers, floats and enums: values of a fixed width.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// An enum of the workload; std::byte is one to the language only.
template <class T>
concept DomainEnum = std::is_enum_v<T> && !std::same_as<T, std::byte>;

template <class T>
concept String = std::same_as<T, std::string>;

template <class T>
concept List = requires { typename T::value_type; } && std::same_as<T, std::vector<typename T::value_type>>;

/// The type model's bytes are a vector of std::byte, which no list is.
template <class T>
concept ByteString = std::same_as<T, std::vector<std::byte>>;

template <class T>
concept Map = requires { typename T::mapped_type; };

template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
template <class T>
concept Array = IsArray<T>::value;

/// An item of bytes, or a u8: libraries that have a type for bytes take lists and arrays of both as such.
template <class T>
concept Octet = std::same_as<T, std::byte> || std::same_as<T, std::uint8_t>;

template <class T>
concept OctetSequence = (List<T> || Array<T>) && Octet<typename T::value_type>;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
concept Optional = IsOptional<T>::value;

// The layout of a record is its encoding when every member is a number and nothing is padded; such records can
// be copied as a block on a little-endian machine.
template <class T>
struct IsPacked : std::bool_constant<(std::is_arithmetic_v<T> && !std::same_as<T, bool>)> {};

namespace detail {
template <class Tuple>
struct PackedMembers;
template <class... Members>
struct PackedMembers<std::tuple<Members&...>> {
  static constexpr bool value = (IsPacked<std::remove_const_t<Members>>::value && ...);
  static constexpr std::size_t bytes = (sizeof(Members) + ... + 0);
};
}  // namespace detail

template <Reflected T>
struct IsPacked<T> {
  using Members = detail::PackedMembers<decltype(tie(std::declval<T&>()))>;
  static constexpr bool value = Members::value && Members::bytes == sizeof(T);
};

/// A type whose values can be copied to and from encoded bytes as they lie in memory.
template <class T>
concept Packed = std::endian::native == std::endian::little && IsPacked<T>::value;

}  // namespace serbench
