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
#include "serbench/unions.hpp"

namespace serbench {

/// bool, integers, floats and enums: values of a fixed width.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// An enum of the workload; std::byte is one to the language only.
template <class T>
concept DomainEnum = std::is_enum_v<T> && !std::same_as<T, std::byte>;

/// One whose numbers without a name are values too.
template <class T>
concept OpenEnum = DomainEnum<T> && requires { ReflectEnum<T>::is_open; };

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

/// Bytes of a fixed number.
template <class T>
concept FixedBytes = Array<T> && std::same_as<typename T::value_type, std::byte>;

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

/// A std::unique_ptr, as recursive types have them; whether it may be null, Back says.
template <class T>
concept Pointer = requires {
  typename T::element_type;
  typename T::deleter_type;
};

/// Whether there may be no value: of an optional always, of a pointer where Back does not say otherwise. An
/// optional may hold pointers that are never null, so Back alone does not tell.
template <class T, Back back>
concept Nullable = Optional<T> || (Pointer<T> && back != Back::never_null);

/// The object that a pointer points at, made where there was none.
template <Pointer T>
auto& pointee(T& pointer) {
  if (!pointer) pointer.reset(new typename T::element_type());
  return *pointer;
}

/// Whether Is<U, back>::value holds for T or for any type that it is made of.
template <class T, template <class, Back> class Is, Back back = Back::no>
constexpr bool any_type() {
  if constexpr (Is<T, back>::value) {
    return true;
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    return false;  // it is looked at where it is not led back to
  } else if constexpr (Reflected<T>) {
    return []<class... Members, std::size_t... n>(std::type_identity<std::tuple<Members&...>>,
                                                  std::index_sequence<n...>) {
      return (any_type<Members, Is, back_of<T, n>()>() || ...);
    }(std::type_identity<decltype(tie(std::declval<T&>()))>(),
           std::make_index_sequence<Reflect<T>::fields.size()>());
  } else if constexpr (Union<T>) {
    return []<class... Each>(std::type_identity<std::variant<Each...>>) {
      return (any_type<Each, Is>() || ...);
    }(std::type_identity<VariantOf<T>>());
  } else if constexpr (Valued<T>) {
    return any_type<decltype(T::value), Is, back_of<T>()>();
  } else if constexpr (Map<T>) {
    return any_type<typename T::mapped_type, Is, back>();
  } else if constexpr (Pointer<T>) {
    return any_type<typename T::element_type, Is, back>();
  } else if constexpr (Optional<T> || List<T> || Array<T>) {
    return any_type<typename T::value_type, Is, back>();
  } else {
    return false;
  }
}

template <class T, Back>
struct IsPointer : std::bool_constant<Pointer<T>> {};
template <class T, Back back>
struct LeadsBack : std::bool_constant<back != Back::no> {};

/// Whether values may have pointers in them.
template <class T>
concept HoldsPointers = any_type<T, IsPointer>();

/// Whether values may have values of their own type in them.
template <class T>
concept Recursive = any_type<T, LeadsBack>();

// The layout of a record is its encoding when every member is a number and nothing is padded; such records
// can be copied as a block on a little-endian machine.
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

/// A type whose values take no bytes in formats that write neither names nor tags: empty records, and what is
/// made of them.
template <class T>
constexpr bool is_empty() {
  if constexpr (Array<T>) {
    return is_empty<typename T::value_type>();
  } else if constexpr (Reflected<T>) {
    return []<class... Members>(std::type_identity<std::tuple<Members&...>>) {
      return (is_empty<Members>() && ...);
    }(std::type_identity<decltype(tie(std::declval<T&>()))>());
  } else {
    return false;
  }
}

/// The most items of a list whose items take no bytes: its count is all that tells of them, and a wrong one
/// must not take all memory.
inline constexpr std::size_t max_empty_items = 1 << 16;

/// A type whose values can be copied to and from encoded bytes as they lie in memory.
template <class T>
concept Packed = std::endian::native == std::endian::little && IsPacked<T>::value;

}  // namespace serbench
