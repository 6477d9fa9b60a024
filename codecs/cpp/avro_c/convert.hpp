// Domain objects to and from Avro's generic values.
#pragma once

#include <avro.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/shapes.hpp"

namespace serbench::glue {

inline void check(int status) {
  if (status != 0) [[unlikely]]
    throw std::runtime_error(avro_strerror());
}

// What generic values give is of the type that the schema says, so these fail only where there is no such
// part.

inline avro_value_t part(const avro_value_t& of, std::size_t index) {
  avro_value_t found;
  check(avro_value_get_by_index(&of, index, &found, nullptr));
  return found;
}

inline std::size_t size(const avro_value_t& array) {
  std::size_t items = 0;
  check(avro_value_get_size(&array, &items));
  return items;
}

/// The items of an array as a range.
inline auto items(const avro_value_t& array) {
  return std::views::iota(std::size_t{0}, size(array)) |
         std::views::transform([array](std::size_t index) { return part(array, index); });
}

/// Whether an enum is an integer in the schema. Glue says so.
template <class T>
inline constexpr bool is_integer = false;

/// Which alternatives of a union are in a record with one field. Glue says so.
template <class T>
inline constexpr std::array<bool, 0> is_boxed{};

/// Of a record, the fields in whose union null is the second branch. Glue says so.
template <class T>
inline constexpr std::array<bool, 0> null_last{};

/// The branch that is null, of a field that is optional.
template <class T>
constexpr int null_branch(std::size_t field) {
  if constexpr (null_last<T>.empty()) {
    return 0;
  } else {
    return null_last<T>[field] ? 1 : 0;
  }
}

/// Whether what is optional in a list is in a record with one field there: a pointer may also stand for what
/// is not.
template <class Item, Back back>
constexpr bool is_wrapped = Nullable<Item, back>;

/// The integers that are ints; the others are longs.
template <class T>
concept Int = std::integral<T> && (sizeof(T) < 4 || std::same_as<T, std::int32_t>);

/// Avro numbers the symbols of an enum by their order.
template <class Enum>
int ordinal(Enum value) {
  const auto& values = ReflectEnum<Enum>::values;
  const auto found =
      std::find(values.begin(), values.end(), static_cast<std::underlying_type_t<Enum>>(value));
  if (found == values.end())
    throw std::invalid_argument("an enum has a value that its type does not declare");
  return static_cast<int>(found - values.begin());
}

template <Back back = Back::no, class T>
void build(const T& from, const avro_value_t& to, int null = 0);

/// An item of an array. What is optional there is a record with the field value.
template <Back back, class T>
void build_item(const T& from, const avro_value_t& array) {
  avro_value_t item;
  check(avro_value_append(&array, &item, nullptr));
  build<back>(from, is_wrapped<T, back> ? part(item, 0) : item);
}

/// Sets a value that is empty; `back` says how its type leads back to one that it is part of, and `null`
/// which branch is null where it is optional.
template <Back back, class T>
void build(const T& from, const avro_value_t& to, [[maybe_unused]] int null) {
  if constexpr (is_integer<T>) {
    build(static_cast<std::underlying_type_t<T>>(from), to);
  } else if constexpr (DomainEnum<T>) {
    check(avro_value_set_enum(&to, ordinal(from)));
  } else if constexpr (std::same_as<T, bool>) {
    check(avro_value_set_boolean(&to, from));
  } else if constexpr (std::same_as<T, float>) {
    check(avro_value_set_float(&to, from));
  } else if constexpr (std::same_as<T, double>) {
    check(avro_value_set_double(&to, from));
  } else if constexpr (Int<T>) {
    check(avro_value_set_int(&to, from));
  } else if constexpr (Number<T>) {
    check(avro_value_set_long(&to, static_cast<std::int64_t>(from)));
  } else if constexpr (String<T>) {
    check(avro_value_set_string_len(&to, from.c_str(), from.size() + 1));  // with the NUL
  } else if constexpr (FixedBytes<T>) {
    check(avro_value_set_fixed(&to, const_cast<std::byte*>(from.data()), from.size()));
  } else if constexpr (OctetSequence<T>) {
    const void* bytes =
        from.empty() ? "" : static_cast<const void*>(from.data());  // a null pointer is refused
    check(avro_value_set_bytes(&to, const_cast<void*>(bytes), from.size()));
  } else if constexpr (Reflected<T>) {
    std::size_t index = 0;
    for_each_part(from, [&](const auto& member, auto of) {
      build<of()>(member, part(to, index), null_branch<T>(index));
      ++index;
    });
  } else if constexpr (Union<T>) {  // a record with a union
    avro_value_t branch;
    const avro_value_t value = part(to, 0);
    const std::size_t index = from.value.index();
    check(avro_value_set_branch(&value, static_cast<int>(index), &branch));
    const auto set = [&]<class A>(const A& held) {
      if constexpr (Valued<A>) build<back_of<A>()>(held.value, is_boxed<T>[index] ? part(branch, 0) : branch);
    };
    std::visit(set, from.value);
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    build(*from, to);
  } else if constexpr (Optional<T> || Pointer<T>) {
    avro_value_t branch;
    check(avro_value_set_branch(&to, from ? 1 - null : null, &branch));
    if (from) build<back>(*from, branch);
  } else if constexpr (Map<T>) {
    for (const auto& [key, mapped] : from) {
      avro_value_t entry;
      check(avro_value_append(&to, &entry, nullptr));
      build(key, part(entry, 0));
      build<back>(mapped, part(entry, 1));
    }
  } else {
    static_assert(List<T> || Array<T>);
    for (const auto& item : from) build_item<back>(static_cast<const typename T::value_type&>(item), to);
  }
}

/// A number of the domain's type.
template <Number T>
T number_of(const avro_value_t& from) {
  if constexpr (is_integer<T>) {
    return static_cast<T>(number_of<std::underlying_type_t<T>>(from));
  } else if constexpr (DomainEnum<T>) {
    int ordinal = 0;
    check(avro_value_get_enum(&from, &ordinal));
    const auto& values = ReflectEnum<T>::values;
    if (static_cast<std::size_t>(ordinal) >= values.size()) {
      throw DecodeError("an enum has the ordinal " + std::to_string(ordinal));
    }
    return static_cast<T>(values[ordinal]);
  } else if constexpr (std::same_as<T, bool>) {
    int value = 0;
    check(avro_value_get_boolean(&from, &value));
    return value != 0;
  } else if constexpr (std::same_as<T, float>) {
    float value = 0;
    check(avro_value_get_float(&from, &value));
    return value;
  } else if constexpr (std::same_as<T, double>) {
    double value = 0;
    check(avro_value_get_double(&from, &value));
    return value;
  } else if constexpr (Int<T>) {
    std::int32_t value = 0;
    check(avro_value_get_int(&from, &value));
    return number<T>(value);
  } else {
    std::int64_t value = 0;
    check(avro_value_get_long(&from, &value));
    return number<T>(value);
  }
}

inline std::string_view text_of(const avro_value_t& from) {
  const char* text = nullptr;
  std::size_t size = 0;
  check(avro_value_get_string(&from, &text, &size));
  return {text, size - 1};  // without the NUL
}

inline Bytes bytes_of(const avro_value_t& from) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  check(avro_value_get_bytes(&from, &bytes, &size));
  return {static_cast<const std::byte*>(bytes), size};
}

inline Bytes fixed_of(const avro_value_t& from) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  check(avro_value_get_fixed(&from, &bytes, &size));
  return {static_cast<const std::byte*>(bytes), size};
}

/// Which alternative the union in a record has, and its value.
inline std::size_t alternative(const avro_value_t& from, avro_value_t& branch) {
  const avro_value_t value = part(from, 0);
  int index = 0;
  check(avro_value_get_discriminant(&value, &index));
  check(avro_value_get_current_branch(&value, &branch));
  return static_cast<std::size_t>(index);
}

/// The value of a union with null; false where it is null.
inline bool present(const avro_value_t& from, avro_value_t& value, int null) {
  int branch = 0;
  check(avro_value_get_discriminant(&from, &branch));
  if (branch != null) check(avro_value_get_current_branch(&from, &value));
  return branch != null;
}

/// `back` says how the value's type leads back to one that it is part of, and `null` which branch is null
/// where it is optional.
template <Back back = Back::no, class T>
void extract(const avro_value_t& from, T& to, [[maybe_unused]] int null = 0) {
  if constexpr (Number<T>) {
    to = number_of<T>(from);
  } else if constexpr (String<T>) {
    to = text_of(from);
  } else if constexpr (FixedBytes<T>) {
    const Bytes bytes = fixed_of(from);
    check_count(bytes.size(), to);
    std::copy_n(bytes.data(), to.size(), to.begin());
  } else if constexpr (OctetSequence<T>) {
    const Bytes bytes = bytes_of(from);
    const auto* items = reinterpret_cast<const typename T::value_type*>(bytes.data());
    if constexpr (Array<T>) {
      check_count(bytes.size(), to);
      std::copy_n(items, to.size(), to.begin());
    } else {
      to.assign(items, items + bytes.size());
    }
  } else if constexpr (Reflected<T>) {
    std::size_t index = 0;
    for_each_part(to, [&](auto& member, auto of) {
      extract<of()>(part(from, index), member, null_branch<T>(index));
      ++index;
    });
  } else if constexpr (Union<T>) {
    avro_value_t branch;
    const std::size_t index = alternative(from, branch);
    choose(to, index, [&](auto& value, auto of) {
      extract<of()>(is_boxed<T>[index] ? part(branch, 0) : branch, value);
    });
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    extract(from, pointee(to));
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (avro_value_t value; present(from, value, null)) {
      extract<back>(value, engaged(to));
    } else {
      to.reset();
    }
  } else if constexpr (Map<T>) {
    FilledMap<typename T::key_type, typename T::mapped_type, Keys::ascending> map(to);
    for (const avro_value_t& entry : items(from)) {
      typename T::key_type key;
      extract(part(entry, 0), key);
      extract<back>(part(entry, 1), map[std::move(key)]);
    }
  } else {
    using Item = typename T::value_type;
    if constexpr (Array<T>) {
      check_count(size(from), to);
    } else {
      to.resize(size(from));
    }
    auto next = to.begin();
    for (const avro_value_t& item : items(from)) {
      if constexpr (Number<Item>) {
        *next++ = number_of<Item>(item);
      } else {
        extract<back>(is_wrapped<Item, back> ? part(item, 0) : item, *next++);
      }
    }
  }
}

/// The sum of a value that is a T in the domain; `back` says how that leads back to a type that it is part
/// of, and `null` which branch is null where it is optional.
template <class T, Back back = Back::no>
Checksum sum_of(const avro_value_t& from, int null = 0);

template <Alternative A>
Checksum sum_of_alternative(const avro_value_t& from) {
  if constexpr (Valued<A>) {
    return sum_of<decltype(A::value), back_of<A>()>(from);
  } else {
    return 0;
  }
}

template <class T, Back back>
Checksum sum_of(const avro_value_t& from, [[maybe_unused]] int null) {
  if constexpr (Number<T>) {
    return checksum_of(number_of<T>(from));
  } else if constexpr (String<T>) {
    return checksum_of(text_of(from));
  } else if constexpr (FixedBytes<T>) {
    return checksum_of(fixed_of(from));
  } else if constexpr (OctetSequence<T>) {
    const Bytes bytes = bytes_of(from);
    return checksum_of(bytes) - (Array<T> ? bytes.size() : 0);
  } else if constexpr (Reflected<T>) {
    return [&]<class... Members, std::size_t... n>(std::type_identity<std::tuple<Members&...>>,
                                                   std::index_sequence<n...>) {
      Checksum sum = 0;
      ((sum += sum_of<Members, back_of<T, n>()>(part(from, n), null_branch<T>(n))), ...);
      return sum;
    }(std::type_identity<decltype(tie(std::declval<T&>()))>{},
           std::make_index_sequence<Reflect<T>::fields.size()>{});
  } else if constexpr (Union<T>) {
    avro_value_t branch;
    const std::size_t index = alternative(from, branch);
    const avro_value_t value = is_boxed<T>[index] ? part(branch, 0) : branch;
    return [&]<class... Each, std::size_t... n>(std::type_identity<std::variant<Each...>>,
                                                std::index_sequence<n...>) {
      Checksum sum = index;
      ((sum += n == index ? sum_of_alternative<Each>(value) : 0), ...);
      return sum;
    }(std::type_identity<VariantOf<T>>{}, std::make_index_sequence<is_boxed<T>.size()>{});
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return sum_of<typename T::element_type>(from);
  } else if constexpr (Pointer<T>) {
    avro_value_t value;
    return present(from, value, null) ? 1 + sum_of<typename T::element_type>(value) : 0;
  } else if constexpr (Optional<T>) {
    avro_value_t value;
    return present(from, value, null) ? 1 + sum_of<typename T::value_type, back>(value) : 0;
  } else if constexpr (Map<T>) {
    Checksum sum = size(from);
    for (const avro_value_t& entry : items(from)) {
      sum += sum_of<typename T::key_type>(part(entry, 0)) +
             sum_of<typename T::mapped_type, back>(part(entry, 1));
    }
    return sum;
  } else {
    using Item = typename T::value_type;
    Checksum sum = Array<T> ? 0 : size(from);
    for (const avro_value_t& item : items(from)) {
      sum += sum_of<Item, back>(is_wrapped<Item, back> ? part(item, 0) : item);
    }
    return sum;
  }
}

/// Makes values of a schema.
inline avro_value_iface_t* class_of(std::string_view text) {
  avro_schema_t schema = nullptr;
  check(avro_schema_from_json_length(text.data(), text.size(), &schema));
  avro_value_iface_t* made = avro_generic_class_from_schema(schema);
  check(made == nullptr);
  return made;
}

/// A generic value of the workload's schema, whose text is an array of characters.
template <const auto& schema>
class ValueOf {
 public:
  ValueOf() {
    static avro_value_iface_t* const made =
        class_of({schema, sizeof schema - 1});  // for as long as the program runs
    check(avro_generic_value_new(made, &value_));
  }
  ValueOf(const ValueOf&) = delete;
  ValueOf& operator=(const ValueOf&) = delete;
  ~ValueOf() { avro_value_decref(&value_); }

  avro_value_t* get() { return &value_; }
  const avro_value_t* get() const { return &value_; }

 private:
  avro_value_t value_;
};

}  // namespace serbench::glue
