// The alternatives of unions, by their index or their name.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "serbench/bytes.hpp"
#include "serbench/reflect.hpp"

namespace serbench {

template <Union T>
using VariantOf = decltype(T::value);

/// The names of a union's alternatives.
template <Union T>
inline constexpr auto alternatives = []<class... Each>(std::type_identity<std::variant<Each...>>) {
  return std::array<std::string_view, sizeof...(Each)>{ReflectAlternative<Each>::name...};
}(std::type_identity<VariantOf<T>>());

template <Union T>
std::string_view name_of(const T& value) {
  return alternatives<T>[value.value.index()];
}

/// The index of the alternative of this name; throws DecodeError where there is none.
template <Union T>
std::size_t index_of(std::string_view name) {
  for (std::size_t n = 0; n < alternatives<T>.size(); ++n) {
    if (alternatives<T>[n] == name) return n;
  }
  throw DecodeError("found the alternative " + std::string(name) + ", which the union has not");
}

/// Calls use(std::integral_constant<std::size_t, index>); throws DecodeError where there is no such
/// alternative.
template <Union T, class Use>
constexpr void with_index(std::size_t index, Use&& use) {
  const auto use_if = [&]<std::size_t n>(std::integral_constant<std::size_t, n> constant) {
    if (index != n) return false;
    use(constant);
    return true;
  };
  const bool found = [&]<std::size_t... n>(std::index_sequence<n...>) {
    return (use_if(std::integral_constant<std::size_t, n>()) || ...);
  }(std::make_index_sequence<std::variant_size_v<VariantOf<T>>>());
  if (!found)
    throw DecodeError("found the alternative " + std::to_string(index) + ", which the union has not");
}

/// Calls visit(value, back) for the value of the alternative that the union has, if it has one.
template <Union T, class Visit>
[[gnu::always_inline]] constexpr void for_each_part(T& value, Visit&& visit) {
  std::visit([&](auto& chosen) __attribute__((always_inline)) { for_each_part(chosen, visit); }, value.value);
}

/// The alternative of this index, which is made unless the union has it already.
template <std::size_t n, Union T>
constexpr auto& made_alternative(T& value) {
  if (value.value.index() != n) value.value.template emplace<n>();
  return *std::get_if<n>(&value.value);
}

/// Calls use(alternative) with the one of this index, made likewise; throws DecodeError where there is none.
template <Union T, class Use>
constexpr void choose_alternative(T& value, std::size_t index, Use&& use) {
  with_index<T>(index, [&](auto n) { use(made_alternative<n>(value)); });
}

/// Calls visit(value, back) for the value of this alternative, if it has one.
template <Union T, class Visit>
constexpr void choose(T& value, std::size_t index, Visit&& visit) {
  choose_alternative(value, index, [&](auto& chosen) { for_each_part(chosen, visit); });
}

/// Calls use(std::type_identity<Alternative>) with the one of this index, where there is no union at hand;
/// throws DecodeError where there is none.
template <Union T, class Use>
constexpr void with_alternative(std::size_t index, Use&& use) {
  with_index<T>(index,
                [&](auto n) { use(std::type_identity<std::variant_alternative_t<n, VariantOf<T>>>()); });
}

}  // namespace serbench
