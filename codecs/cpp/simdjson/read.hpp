// Domain values from simdjson's values. On-Demand's and the DOM's have the same names for what they are;
// errors are thrown as simdjson_error.
#pragma once

#include <simdjson.h>

#include <string_view>
#include <utility>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"
#include "serbench/json.hpp"
#include "serbench/shapes.hpp"
#include "write.hpp"

namespace serbench::simdjson_codec {

template <Number T, class Value>
T get_number(Value&& value) {
  if constexpr (std::same_as<T, bool>) {
    return value.get_bool();
  } else if constexpr (std::same_as<T, std::byte>) {
    return static_cast<T>(get_number<std::uint8_t>(value));
  } else if constexpr (DomainEnum<T>) {
    if constexpr (OpenEnum<T>) {
      std::string_view name;
      if (value.get_string().get(name) != simdjson::SUCCESS) {
        return static_cast<T>(get_number<std::underlying_type_t<T>>(value));
      }
      return json::value_of<T>(name);
    }
    return json::value_of<T>(value.get_string());
  } else if constexpr (std::floating_point<T>) {
    double number;
    if (value.get_double().get(number) == simdjson::SUCCESS) [[likely]]
      return static_cast<T>(number);
    return static_cast<T>(json::named(value.get_string()));
  } else if constexpr (std::is_signed_v<T>) {
    return glue::number<T>(std::int64_t(value.get_int64()));
  } else {
    return glue::number<T>(std::uint64_t(value.get_uint64()));
  }
}

// What differs between the two.
inline auto find_field(simdjson::ondemand::object& object, std::string_view name) {
  auto found = object[name];
  // It looks for a name as the text has it: one with a quote or a backslash is escaped there.
  if (found.error() == simdjson::NO_SUCH_FIELD) [[unlikely]]
    found = object[escaped(name)];
  return found;
}
inline auto find_field(const simdjson::dom::object& object, std::string_view name) { return object[name]; }
using OnDemandItem = simdjson::simdjson_result<simdjson::ondemand::value>;
inline simdjson::ondemand::value value_of(OnDemandItem item) { return item; }
inline simdjson::dom::element value_of(simdjson::dom::element item) { return item; }
inline bool is_null(simdjson::ondemand::value& value) { return value.is_null(); }
inline bool is_null(const simdjson::dom::element& value) { return value.is_null(); }

/// Calls use(key, value) for each field.
template <class Use>
void for_each_pair(simdjson::ondemand::object object, Use&& use) {
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    use(key, simdjson::ondemand::value(field.value()));
  }
}
template <class Use>
void for_each_pair(const simdjson::dom::object& object, Use&& use) {
  for (const auto& [key, value] : object) use(key, value);
}

template <class Object, Reflected T>
void read_fields(Object&& object, T& to, unsigned& depth);

/// Calls use(name, value) for the only field of an object.
template <class Value, class Use>
void use_only_field(Value&& object, Use&& use) {
  std::size_t fields = 0;
  for_each_pair(object.get_object().value(), [&](std::string_view name, auto&& value) {
    if (fields++ == 0) use(name, value);
  });
  if (fields != 1) throw DecodeError("a union has " + std::to_string(fields) + " alternatives");
}

/// Overwrites a domain value by a value of either kind. `depth` counts the steps back that are inside each
/// other.
template <Back back = Back::no, class Value, class T>
void read(Value&& from, T& to, unsigned& depth) {
  if constexpr (Number<T>) {
    to = get_number<T>(from);
  } else if constexpr (String<T>) {
    to.assign(std::string_view(from.get_string()));
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth);
    read(from, to, depth);
  } else if constexpr (Reflected<T>) {
    read_fields(from.get_object().value(), to, depth);
  } else if constexpr (Union<T>) {
    use_only_field(from, [&](std::string_view name, auto&& value) {
      choose_alternative(to, index_of<T>(name), [&]<class A>(A& chosen) {
        if constexpr (Valued<A>) {
          read<back_of<A>()>(value, chosen.value, depth);
        } else {
          if (!is_null(value)) throw DecodeError("an alternative has a value, expected null");
        }
      });
    });
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (Nullable<T, back> && is_null(from)) {
      to.reset();
    } else {
      read<back>(from, glue::engaged(to), depth);
    }
  } else if constexpr (Map<T>) {
    using Key = typename T::key_type;
    glue::FilledMap<Key, typename T::mapped_type, glue::Keys::unordered> filled(to);
    for_each_pair(from.get_object().value(), [&](std::string_view key, auto&& value) {
      Key made = json::key_of<Key>(key);  // before the value is read, which may move on
      read<back>(value, filled[std::move(made)], depth);
    });
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    to.clear();
    for (auto item : from.get_array()) to.push_back(bool(item.get_bool()));
  } else {
    auto array =
        from.get_array().value();  // named, since a loop over the result's value would outlive the result
    std::size_t count = 0;
    for (auto item : array) {
      if constexpr (Array<T>) {
        if (count == to.size()) glue::check_length(count + 1, to.size());
      } else {
        if (count == to.size()) to.emplace_back();  // items that are there are overwritten
      }
      read<back>(value_of(item), to[count++], depth);
    }
    if constexpr (Array<T>) {
      glue::check_count(count, to);
    } else {
      to.resize(count);
    }
  }
}

template <class Object, Reflected T>
void read_fields(Object&& object, T& to, unsigned& depth) {
  for_each_named_part(to, [&]<class Member>(std::string_view name, Member& member, auto back) {
    auto found = find_field(object, name);
    if constexpr (Nullable<Member, back()>) {
      if (found.error() == simdjson::NO_SUCH_FIELD) return member.reset();
    }
    read<back()>(found.value(), member, depth);
  });
}

/// The sum over an element of the DOM that stands for a T.
template <class T, Back back = Back::no>
Checksum traverse(const simdjson::dom::element& element) {
  if constexpr (Number<T>) {
    return checksum_of(get_number<T>(element));
  } else if constexpr (String<T>) {
    return checksum_of(std::string_view(element));
  } else if constexpr (Reflected<T>) {
    const simdjson::dom::object object = element;
    Checksum sum = 0;
    for_each_field_type<T>(
        [&]<class Member>(std::string_view name, std::type_identity<Member>, auto member_back) {
          sum += traverse<Member, member_back()>(find_field(object, name).value());
        });
    return sum;
  } else if constexpr (Union<T>) {
    Checksum sum = 0;
    use_only_field(element, [&](std::string_view name, const simdjson::dom::element& value) {
      sum = index_of<T>(name);
      with_alternative<T>(sum, [&]<class A>(std::type_identity<A>) {
        if constexpr (Valued<A>) sum += traverse<decltype(A::value), back_of<A>()>(value);
      });
    });
    return sum;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return traverse<typename T::element_type, back>(element);
  } else if constexpr (Pointer<T>) {
    return element.is_null() ? 0 : 1 + traverse<typename T::element_type, back>(element);
  } else if constexpr (Optional<T>) {
    return element.is_null() ? 0 : 1 + traverse<typename T::value_type, back>(element);
  } else if constexpr (Map<T>) {
    using Key = typename T::key_type;
    Checksum sum = 0;
    for_each_pair(element, [&](std::string_view key, const auto& value) {
      if constexpr (String<Key>) {
        sum += checksum_of(key);
      } else {
        sum += checksum_of(json::key_of<Key>(key));
      }
      sum += 1 + traverse<typename T::mapped_type, back>(value);
    });
    return sum;
  } else {
    Checksum sum = 0;
    for (const simdjson::dom::element item : element.get_array()) {
      sum += traverse<typename T::value_type, back>(item) + (Array<T> && !FixedBytes<T> ? 0 : 1);
    }
    return sum;
  }
}

}  // namespace serbench::simdjson_codec
