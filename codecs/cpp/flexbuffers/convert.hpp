// Domain values to FlexBuffers and back, without a schema.
#pragma once

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench::flexbuffers_codec {

using flexbuffers::Builder;
using flexbuffers::Reference;

/// Lists and arrays of these are typed vectors.
template <class T>
concept TypedItem = Number<T> && !Octet<T>;

template <class Key>
bool is_map_key(const Key& key) {
  if constexpr (String<Key>) {
    return key.find('\0') == std::string::npos;  // keys end at a NUL
  } else {
    return false;
  }
}

/// Adds a value to what the builder has open.
template <class T>
void put(Builder& out, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    put(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (Number<T> || String<T>) {
    out.Add(value);
  } else if constexpr (Reflected<T>) {
    const std::size_t start = out.StartMap();
    for_each_field(value, [&](std::string_view name, const auto& member) {
      out.Key(name.data(), name.size());
      put(out, member);
    });
    out.EndMap(start);
  } else if constexpr (Union<T>) {
    const std::size_t start = out.StartMap();
    const auto put_chosen = [&]<class A>(const A& chosen) {
      out.Key(ReflectAlternative<A>::name.data(), ReflectAlternative<A>::name.size());
      if constexpr (Valued<A>) {
        put(out, chosen.value);
      } else {
        out.Null();
      }
    };
    std::visit(put_chosen, value.value);
    out.EndMap(start);
  } else if constexpr (Optional<T> || Pointer<T>) {
    value ? put(out, *value) : out.Null();
  } else if constexpr (Map<T>) {
    if (std::ranges::all_of(value, [](const auto& pair) { return is_map_key(pair.first); })) {
      const std::size_t start = out.StartMap();
      if constexpr (String<typename T::key_type>) {
        for (const auto& [key, mapped] : value) {
          out.Key(key);
          put(out, mapped);
        }
      }
      out.EndMap(start);
    } else {
      const std::size_t start = out.StartVector();
      for (const auto& [key, mapped] : value) {
        put(out, key);
        put(out, mapped);
      }
      out.EndVector(start, false, false);
    }
  } else {
    using Item = typename T::value_type;
    if constexpr (OctetSequence<T>) {
      out.Blob(value.data(), value.size());
      return;
    } else if constexpr (std::is_arithmetic_v<Item> && !std::same_as<Item, bool>) {
      // The count is as wide as the items; the library only asserts that it fits.
      if (sizeof(Item) >= 4 || value.size() >> (8 * sizeof(Item)) == 0) {
        out.Vector(value.data(), value.size());
        return;
      }
    }
    const std::size_t start = out.StartVector();
    for (const auto& item : value) put(out, static_cast<const Item&>(item));
    out.EndVector(start, TypedItem<Item>, false);
  }
}

inline void expect(bool found, const char* expected, const Reference& value) {
  if (found) [[likely]]
    return;
  throw DecodeError("found a value of FlexBuffers' type " + std::to_string(value.GetType()) + ", expected " +
                    expected);
}

template <Number T>
T number_of(const Reference& value) {
  if constexpr (std::same_as<T, bool>) {
    expect(value.IsBool(), "a bool", value);
    return value.AsBool();
  } else if constexpr (std::is_enum_v<T>) {
    return glue::number<T>(number_of<std::underlying_type_t<T>>(value));
  } else if constexpr (std::floating_point<T>) {
    expect(value.IsFloat(), "a float", value);
    return static_cast<T>(value.AsDouble());
  } else if constexpr (std::is_signed_v<T>) {
    expect(value.IsInt(), "an integer", value);
    return glue::number<T>(value.AsInt64());
  } else {
    expect(value.IsUInt(), "an unsigned integer", value);
    return glue::number<T>(value.AsUInt64());
  }
}

inline std::string_view text_of(const Reference& value) {
  expect(value.IsString(), "a string", value);
  const flexbuffers::String text = value.AsString();
  return {text.c_str(), text.size()};
}

inline Bytes blob_of(const Reference& value) {
  expect(value.IsBlob(), "a blob", value);
  const flexbuffers::Blob blob = value.AsBlob();
  return std::as_bytes(std::span(blob.data(), blob.size()));
}

inline flexbuffers::Map map_of(const Reference& value) {
  expect(value.IsMap(), "a map", value);
  return value.AsMap();
}

/// The vector that a list or array of such items is.
template <class Item>
auto vector_of(const Reference& value) {
  if constexpr (TypedItem<Item>) {
    expect(value.IsTypedVector(), "a typed vector", value);
    return value.AsTypedVector();
  } else {
    expect(value.IsUntypedVector(), "a vector", value);
    return value.AsVector();
  }
}

/// Calls use(key, value) for each pair of a map; a key is a Reference or, in a map of FlexBuffers, a
/// string_view.
template <class Key, class Use>
void for_each_pair(const Reference& value, Use&& use) {
  if (value.IsMap()) {
    const flexbuffers::Map map = value.AsMap();
    const flexbuffers::TypedVector keys = map.Keys();
    const flexbuffers::Vector values = map.Values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (String<Key>) {
        use(std::string_view(keys[i].AsKey()), values[i]);
      } else {
        expect(false, "numbers as keys", value);
      }
    }
    return;
  }
  const flexbuffers::Vector pairs = vector_of<Reference>(value);
  if (pairs.size() % 2 != 0) throw DecodeError("a map is a vector that ends in a key without a value");
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if constexpr (String<Key>) {
      use(text_of(pairs[i]), pairs[i + 1]);
    } else {
      use(number_of<Key>(pairs[i]), pairs[i + 1]);
    }
  }
}

/// The index of a union's alternative, and its value.
template <Union T>
std::pair<std::size_t, Reference> alternative_of(const Reference& value) {
  const flexbuffers::Map map = map_of(value);
  if (map.size() != 1) throw DecodeError("a union has " + std::to_string(map.size()) + " alternatives");
  return {index_of<T>(map.Keys()[0].AsKey()), map.Values()[0]};
}

/// Overwrites a domain value by a value in the buffer. `depth` counts the steps back that are inside each
/// other.
template <Back back = Back::no, class T>
void extract(const Reference& from, T& to, unsigned& depth) {
  if constexpr (Number<T>) {
    to = number_of<T>(from);
  } else if constexpr (String<T>) {
    to.assign(text_of(from));
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth);
    extract(from, to, depth);
  } else if constexpr (Reflected<T>) {
    const flexbuffers::Map map = map_of(from);
    for_each_named_part(to, [&](std::string_view name, auto& member, auto member_back) {
      extract<member_back()>(map[name.data()], member, depth);
    });
  } else if constexpr (Union<T>) {
    const auto [index, chosen] = alternative_of<T>(from);
    choose(to, index, [&](auto& value, auto value_back) { extract<value_back()>(chosen, value, depth); });
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (Nullable<T, back> && from.IsNull()) {
      to.reset();
    } else {
      extract<back>(from, glue::engaged(to), depth);
    }
  } else if constexpr (Map<T>) {
    using Key = typename T::key_type;
    glue::FilledMap<Key, typename T::mapped_type, glue::Keys::ascending> filled(to);
    for_each_pair<Key>(from, [&](const auto& key, const Reference& value) {
      extract<back>(value, filled[Key(key)], depth);
    });
  } else if constexpr (OctetSequence<T>) {
    using Item = typename T::value_type;
    const Bytes blob = blob_of(from);
    const auto* items = reinterpret_cast<const Item*>(blob.data());
    if constexpr (Array<T>) {
      glue::check_count(blob.size(), to);
      std::copy_n(items, blob.size(), to.begin());
    } else {
      to.assign(items, items + blob.size());
    }
  } else {
    const auto vector = vector_of<typename T::value_type>(from);
    if constexpr (Array<T>) {
      glue::check_count(vector.size(), to);
    } else {
      to.resize(vector.size());
    }
    for (std::size_t i = 0; i < vector.size(); ++i) {
      if constexpr (std::same_as<T, std::vector<bool>>) {
        to[i] = number_of<bool>(vector[i]);
      } else {
        extract<back>(vector[i], to[i], depth);
      }
    }
  }
}

/// The sum over a value in the buffer that stands for a T.
template <class T, Back back = Back::no>
Checksum traverse(const Reference& value) {
  if constexpr (Number<T>) {
    return checksum_of(number_of<T>(value));
  } else if constexpr (String<T>) {
    return checksum_of(text_of(value));
  } else if constexpr (Reflected<T>) {
    const flexbuffers::Map map = map_of(value);
    Checksum sum = 0;
    for_each_field_type<T>(
        [&]<class Member>(std::string_view name, std::type_identity<Member>, auto member_back) {
          sum += traverse<Member, member_back()>(map[name.data()]);
        });
    return sum;
  } else if constexpr (Union<T>) {
    const auto [index, chosen] = alternative_of<T>(value);
    Checksum sum = index;
    with_alternative<T>(index, [&]<class A>(std::type_identity<A>) {
      if constexpr (Valued<A>) sum += traverse<decltype(A::value), back_of<A>()>(chosen);
    });
    return sum;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return traverse<typename T::element_type, back>(value);
  } else if constexpr (Pointer<T>) {
    return value.IsNull() ? 0 : 1 + traverse<typename T::element_type, back>(value);
  } else if constexpr (Optional<T>) {
    return value.IsNull() ? 0 : 1 + traverse<typename T::value_type, back>(value);
  } else if constexpr (Map<T>) {
    Checksum sum = 0;
    for_each_pair<typename T::key_type>(value, [&](const auto& key, const Reference& mapped) {
      sum += 1 + checksum_of(key) + traverse<typename T::mapped_type, back>(mapped);
    });
    return sum;
  } else if constexpr (OctetSequence<T>) {
    const Bytes blob = blob_of(value);
    return checksum_of(blob) - (Array<T> && !FixedBytes<T> ? blob.size() : 0);
  } else {
    const auto vector = vector_of<typename T::value_type>(value);
    Checksum sum = Array<T> ? 0 : vector.size();
    for (std::size_t i = 0; i < vector.size(); ++i) sum += traverse<typename T::value_type, back>(vector[i]);
    return sum;
  }
}

}  // namespace serbench::flexbuffers_codec
