// Domain values as RapidJSON's events: what a Writer turns into text and a Document into a tree.
#pragma once

#include <rapidjson/document.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "serbench/json.hpp"
#include "serbench/shapes.hpp"

namespace serbench::rapidjson_codec {

/// Numbers are read to the last bit.
inline constexpr unsigned parse_flags = rapidjson::kParseFullPrecisionFlag;

/// RapidJSON counts in 32 bits.
inline rapidjson::SizeType count(std::size_t size) {
  if (size > static_cast<rapidjson::SizeType>(-1)) throw std::length_error("RapidJSON counts to 2^32 - 1");
  return static_cast<rapidjson::SizeType>(size);
}

template <class Handler>
void put_key(Handler& handler, std::string_view key) {
  handler.Key(key.data(), count(key.size()), false);
}
/// A key that is no string is copied.
template <class Handler, Number Key>
void put_key(Handler& handler, Key key) {
  char digits[24];
  const std::string_view text = json::text_of(key, digits);
  handler.Key(text.data(), static_cast<rapidjson::SizeType>(text.size()), true);
}

/// Sends the events of a value. Its strings are not copied, so a tree made of them lives no longer than the
/// value.
template <class Handler, class T>
void put(Handler& handler, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    handler.Bool(value);
  } else if constexpr (DomainEnum<T>) {
    if constexpr (OpenEnum<T>) {
      if (!json::find_name(value)) return put(handler, static_cast<std::underlying_type_t<T>>(value));
    }
    const std::string_view name = json::name_of(value);
    handler.String(name.data(), count(name.size()), false);
  } else if constexpr (std::is_enum_v<T>) {  // std::byte
    put(handler, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::floating_point<T>) {
    if (std::isfinite(value)) [[likely]] {
      handler.Double(value);
    } else {
      const std::string_view name = json::name_of(value);
      handler.String(name.data(), count(name.size()), false);
    }
  } else if constexpr (Number<T>) {
    if constexpr (std::is_signed_v<T>) {
      sizeof(T) <= 4 ? handler.Int(static_cast<int>(value)) : handler.Int64(value);
    } else {
      sizeof(T) <= 4 ? handler.Uint(static_cast<unsigned>(value)) : handler.Uint64(value);
    }
  } else if constexpr (String<T>) {
    handler.String(value.data(), count(value.size()), false);
  } else if constexpr (Reflected<T>) {
    handler.StartObject();
    for_each_field(value, [&](std::string_view name, const auto& member) {
      put_key(handler, name);
      put(handler, member);
    });
    handler.EndObject(Reflect<T>::fields.size());
  } else if constexpr (Union<T>) {
    handler.StartObject();
    const auto put_chosen = [&]<class A>(const A& chosen) {
      put_key(handler, ReflectAlternative<A>::name);
      if constexpr (Valued<A>) {
        put(handler, chosen.value);
      } else {
        handler.Null();
      }
    };
    std::visit(put_chosen, value.value);
    handler.EndObject(1);
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (value) {
      put(handler, *value);
    } else {
      handler.Null();
    }
  } else if constexpr (Map<T>) {
    handler.StartObject();
    for (const auto& [key, mapped] : value) {
      put_key(handler, key);
      put(handler, mapped);
    }
    handler.EndObject(count(value.size()));
  } else {
    handler.StartArray();
    for (const auto& item : value) put(handler, static_cast<const typename T::value_type&>(item));
    handler.EndArray(count(value.size()));
  }
}

}  // namespace serbench::rapidjson_codec
