// Values on whose text codecs that write JSON have to agree, since JSON has none of them: numbers that are
// not finite, keys that are no strings, and enums. All are as the JSON mapping of Protocol Buffers has them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "serbench/bytes.hpp"
#include "serbench/reflect.hpp"
#include "serbench/shapes.hpp"

namespace serbench::json {

/// The string that stands for a float which is not finite.
inline std::string_view name_of(double number) {
  if (std::isnan(number)) return "NaN";
  return number < 0 ? "-Infinity" : "Infinity";
}

/// The float that a string stands for; throws DecodeError where it stands for none.
inline double named(std::string_view name) {
  if (name == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (name == "Infinity") return std::numeric_limits<double>::infinity();
  if (name == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw DecodeError("found the string " + std::string(name) +
                    ", expected a number, Infinity, -Infinity or NaN");
}

/// The name of a value; nullptr where there is none.
template <DomainEnum T>
const std::string_view* find_name(T value) {
  using Reflection = ReflectEnum<T>;
  for (std::size_t n = 0; n < Reflection::values.size(); ++n) {
    if (Reflection::values[n] == static_cast<std::underlying_type_t<T>>(value)) return &Reflection::names[n];
  }
  return nullptr;
}

template <DomainEnum T>
std::string_view name_of(T value) {
  if (const std::string_view* name = find_name(value)) return *name;
  throw std::invalid_argument("an enum has no name for the value " +
                              std::to_string(static_cast<long long>(value)));
}

/// The value of this name; throws DecodeError where the enum has none.
template <DomainEnum T>
T value_of(std::string_view name) {
  using Reflection = ReflectEnum<T>;
  for (std::size_t n = 0; n < Reflection::names.size(); ++n) {
    if (Reflection::names[n] == name) return static_cast<T>(Reflection::values[n]);
  }
  throw DecodeError("found the string " + std::string(name) + ", expected a name of the enum");
}

/// A key of a map as text: itself, true or false, the name of an enum's value, and numbers in decimal, also
/// those of an open enum that have no name. `digits` is room for them.
template <class Key>
std::string_view text_of(const Key& key, std::span<char, 24> digits) {
  if constexpr (String<Key>) {
    return key;
  } else if constexpr (std::same_as<Key, bool>) {
    return key ? "true" : "false";
  } else if constexpr (DomainEnum<Key>) {
    if constexpr (!OpenEnum<Key>) return name_of(key);
    const std::string_view* name = find_name(key);
    return name ? *name : text_of(static_cast<std::underlying_type_t<Key>>(key), digits);
  } else {
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), key).ptr};
  }
}

/// The key of a map that is this text. Throws DecodeError where it is none, or out of the type's range.
template <class Key>
Key key_of(std::string_view text) {
  if constexpr (String<Key>) {
    return Key(text);
  } else if constexpr (std::same_as<Key, bool>) {
    if (text != "true" && text != "false")
      throw DecodeError("found the key " + std::string(text) + ", expected a bool");
    return text == "true";
  } else if constexpr (DomainEnum<Key>) {
    if constexpr (OpenEnum<Key>) {
      if (std::ranges::find(ReflectEnum<Key>::names, text) == ReflectEnum<Key>::names.end()) {
        return static_cast<Key>(key_of<std::underlying_type_t<Key>>(text));
      }
    }
    return value_of<Key>(text);
  } else {
    Key number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw DecodeError("found the key " + std::string(text) + ", expected a whole number in its range");
    }
    return number;
  }
}

}  // namespace serbench::json
