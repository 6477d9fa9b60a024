// Compile-time reflection over the generated domain types.
//
// For each record the generator specialises Reflect with its name, the names of its fields and a tie of its
// members; a library that serializes structs needs nothing else, so its adapter knows no workload.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace serbench {

template <class T>
struct Reflect;

template <class T>
concept Reflected = requires { Reflect<std::remove_cvref_t<T>>::fields; };

/// For each enum the generator specialises this with its values.
template <class T>
struct ReflectEnum;

// These functions stand for code that an application's author writes out by hand, so they must never leave a call
// behind: what a library gets to see, and what the optimiser makes of it, is the plain members.

/// Calls use(members...) with references to the members of a record, in the order of its fields.
template <Reflected T, class Use>
[[gnu::always_inline]] constexpr decltype(auto) apply_members(T& record, Use&& use) {
  return Reflect<std::remove_const_t<T>>::apply(record, std::forward<Use>(use));
}

/// Calls visit(member) for each field in order.
template <Reflected T, class Visit>
[[gnu::always_inline]] constexpr void for_each_member(T& record, Visit&& visit) {
  apply_members(record, [&](auto&... members) __attribute__((always_inline)) { (visit(members), ...); });
}

/// Calls visit(name, member) for each field in order.
template <Reflected T, class Visit>
[[gnu::always_inline]] constexpr void for_each_field(T& record, Visit&& visit) {
  const std::string_view* name = Reflect<std::remove_const_t<T>>::fields.data();
  for_each_member(record, [&](auto& member) __attribute__((always_inline)) { visit(*name++, member); });
}

/// References to the members of a record, in the order of its fields.
template <Reflected T>
constexpr auto tie(T& record) {
  return apply_members(record, [](auto&... members) { return std::tie(members...); });
}

/// Calls visit(name, std::type_identity<Member>) for each field in order: for libraries whose objects have fields with
/// the same names, where there is no record at hand.
template <Reflected T, class Visit>
constexpr void for_each_field_type(Visit&& visit) {
  const auto visit_all = [&]<class... Members>(std::type_identity<std::tuple<Members&...>>) {
    const std::string_view* name = Reflect<T>::fields.data();
    (visit(*name++, std::type_identity<Members>{}), ...);
  };
  visit_all(std::type_identity<decltype(tie(std::declval<T&>()))>{});
}

/// The root itself, or its only field: a root that merely wraps a list is written as that list by libraries that
/// serialize any type, as a program that holds a list would do it.
template <Reflected T>
constexpr auto& unwrapped(T& root) {
  if constexpr (Reflect<std::remove_const_t<T>>::fields.size() == 1) {
    return std::get<0>(tie(root));
  } else {
    return root;
  }
}

}  // namespace serbench
