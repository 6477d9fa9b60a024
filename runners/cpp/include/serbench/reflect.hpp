// Compile-time reflection over the generated domain types.
//
// For each record the generator specialises Reflect with its name, the names of its fields and a tie of its
// members; a library that serializes structs needs nothing else, so its adapter knows no workload.
#pragma once

#include <cstddef>
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

/// For each union the generator specialises this with its name. A union is a struct whose only member,
/// `value`, is a std::variant of structs, one for each alternative; such a struct has the alternative's value
/// as its only member `value`, or is empty where the alternative has none.
template <class T>
struct ReflectUnion;

template <class T>
concept Union = requires { ReflectUnion<std::remove_cvref_t<T>>::name; };

/// For each of these structs the generator specialises this with the name of the alternative.
template <class T>
struct ReflectAlternative;

template <class T>
concept Alternative = requires { ReflectAlternative<std::remove_cvref_t<T>>::name; };

/// An alternative that has a value.
template <class T>
concept Valued = Alternative<T> && requires(T& alternative) { alternative.value; };

/// A struct of the domain: a record, a union or an alternative of one, for libraries that are told of each
/// struct.
template <class T>
concept Struct = Reflected<T> || Union<T> || Alternative<T>;

/// How the type of a member or of an alternative's value leads back to one that it is part of.
enum class Back {
  no,
  yes,         ///< from a list or map, or by a pointer that is null where there is no value
  never_null,  ///< by a pointer to a value that is always there
};

// These functions stand for code that an application's author writes out by hand, so they must never leave a
// call behind: what a library gets to see, and what the optimiser makes of it, is the plain members.

/// Calls use(members...) with references to the members of a record, in the order of its fields.
template <Reflected T, class Use>
[[gnu::always_inline]] constexpr decltype(auto) apply_members(T& record, Use&& use) {
  return Reflect<std::remove_const_t<T>>::apply(record, std::forward<Use>(use));
}

/// The same with the variant of a union, and with the value of an alternative, if it has one.
template <Union T, class Use>
[[gnu::always_inline]] constexpr decltype(auto) apply_members(T& value, Use&& use) {
  return use(value.value);
}
template <Alternative T, class Use>
[[gnu::always_inline]] constexpr decltype(auto) apply_members(T& alternative, Use&& use) {
  if constexpr (Valued<T>) {
    return use(alternative.value);
  } else {
    return use();
  }
}

/// Calls visit(member) for each of these members in order.
template <Struct T, class Visit>
[[gnu::always_inline]] constexpr void for_each_member(T& record, Visit&& visit) {
  apply_members(record, [&](auto&... members) __attribute__((always_inline)) { (visit(members), ...); });
}

/// Calls visit(name, member) for each field in order.
template <Reflected T, class Visit>
[[gnu::always_inline]] constexpr void for_each_field(T& record, Visit&& visit) {
  const std::string_view* name = Reflect<std::remove_const_t<T>>::fields.data();
  for_each_member(record, [&](auto& member) __attribute__((always_inline)) { visit(*name++, member); });
}

/// A type whose fields' or alternative's Back is not always `no` says so in its reflection.
template <Reflected T, std::size_t n>
constexpr Back back_of() {
  if constexpr (requires { Reflect<T>::back; }) {
    return Reflect<T>::back[n];
  } else {
    return Back::no;
  }
}
template <Alternative T>
constexpr Back back_of() {
  if constexpr (requires { ReflectAlternative<T>::back; }) {
    return ReflectAlternative<T>::back;
  } else {
    return Back::no;
  }
}

/// Calls visit(member, back) for each field in order; `back` is a std::integral_constant.
template <Reflected T, class Visit>
[[gnu::always_inline]] constexpr void for_each_part(T& record, Visit&& visit) {
  using Record = std::remove_const_t<T>;
  apply_members(record, [&](auto&... members) __attribute__((always_inline)) {
    [&]<std::size_t... n>(std::index_sequence<n...>) __attribute__((always_inline)) {
      (visit(members, std::integral_constant<Back, back_of<Record, n>()>()), ...);
    }(std::index_sequence_for<decltype(members)...>());
  });
}

/// The same for the value of an alternative, if it has one.
template <Alternative T, class Visit>
[[gnu::always_inline]] constexpr void for_each_part(T& alternative, Visit&& visit) {
  if constexpr (Valued<T>) {
    visit(alternative.value, std::integral_constant<Back, back_of<std::remove_const_t<T>>()>());
  }
}

/// Calls visit(name, member, back) for each field in order.
template <Reflected T, class Visit>
[[gnu::always_inline]] constexpr void for_each_named_part(T& record, Visit&& visit) {
  const std::string_view* name = Reflect<std::remove_const_t<T>>::fields.data();
  for_each_part(
      record, [&](auto& member, auto back) __attribute__((always_inline)) { visit(*name++, member, back); });
}

/// References to the members of a record, in the order of its fields.
template <Reflected T>
constexpr auto tie(T& record) {
  return apply_members(record, [](auto&... members) { return std::tie(members...); });
}

/// Calls visit(name, std::type_identity<Member>, back) for each field in order: for libraries whose objects
/// have fields with the same names, where there is no record at hand. `back` is as above.
template <Reflected T, class Visit>
constexpr void for_each_field_type(Visit&& visit) {
  const auto visit_all = [&]<class... Members, std::size_t... n>(std::type_identity<std::tuple<Members&...>>,
                                                                 std::index_sequence<n...>) {
    const std::string_view* name = Reflect<T>::fields.data();
    (visit(*name++, std::type_identity<Members>{}, std::integral_constant<Back, back_of<T, n>()>{}), ...);
  };
  visit_all(std::type_identity<decltype(tie(std::declval<T&>()))>{},
            std::make_index_sequence<Reflect<T>::fields.size()>{});
}

/// The root itself, or its only field: a root that merely wraps a list is written as that list by libraries
/// that serialize any type, as a program that holds a list would do it.
template <Reflected T>
constexpr auto& unwrapped(T& root) {
  if constexpr (Reflect<std::remove_const_t<T>>::fields.size() == 1) {
    return std::get<0>(tie(root));
  } else {
    return root;
  }
}

}  // namespace serbench
