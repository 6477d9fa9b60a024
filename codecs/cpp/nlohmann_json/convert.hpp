// Domain values to and from nlohmann::json: what an author writes as to_json and from_json, once for every
// record.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/json.hpp"
#include "serbench/shapes.hpp"

namespace serbench::nlohmann_codec {

/// What a format has room for; the adapter derives one type for each format.
struct NoBinary {
  static constexpr bool is_text = false;  ///< which has neither infinities nor enums
  static constexpr bool has_binary = false;
  static constexpr bool has_unsigned = true;
  static constexpr bool has_nul_in_keys = true;
};
struct Binary : NoBinary {
  static constexpr bool has_binary = true;
};
struct BinaryWithoutUnsigned : Binary {
  static constexpr bool has_unsigned = false;
  static constexpr bool has_nul_in_keys = false;
};

/// The field of an object that has one.
template <class Json>
auto only_field(const Json& json) {
  if (!json.is_object() || json.size() != 1) throw DecodeError("a union is no object with one field");
  return json.template get_ptr<const typename Json::object_t*>()->begin();
}

/// The conversions that the library lacks, or whose outcome depends on the format. Lists, strings and all
/// else are the library's own.
template <class Format>
struct Conversions {
  template <class T, class = void>
  struct Serializer : nlohmann::adl_serializer<T> {};

  template <Reflected T>
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& record) {
      json = Json::object();
      for_each_field(record, [&](std::string_view name, const auto& member) { json[name] = member; });
    }
    /// An optional field that is missing is absent; of any other the library says that there is none.
    template <class Json>
    static void from_json(const Json& json, T& record) {
      if (!json.is_object())
        throw DecodeError("found " + std::string(json.type_name()) + ", expected an object");
      for_each_field(record, [&]<class Member>(std::string_view name, Member& member) {
        if constexpr (Optional<Member>) {
          const auto found = json.find(name);
          if (found == json.end()) return member.reset();
          found->get_to(member);
        } else {
          json.at(name).get_to(member);
        }
      });
    }
  };

  /// An object with one field.
  template <Union T>
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& value) {
      json = Json::object();
      Json& chosen = json[name_of(value)];  // null, as it stays where the alternative has no value
      for_each_part(value, [&](const auto& part, auto) { chosen = part; });
    }
    template <class Json>
    static void from_json(const Json& json, T& value) {
      const auto& [name, chosen] = *only_field(json);
      choose_alternative(value, index_of<T>(name), [&]<class A>(A& alternative) {
        if constexpr (Valued<A>) {
          chosen.get_to(alternative.value);
        } else if (!chosen.is_null()) {
          throw DecodeError("found " + std::string(chosen.type_name()) + ", expected null");
        }
      });
    }
  };

  template <class T>
    requires(Optional<T> || Pointer<T>)
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& optional) {
      if (optional) {
        json = *optional;
      } else {
        json = nullptr;
      }
    }
    template <class Json>
    static void from_json(const Json& json, T& optional) {
      if (json.is_null()) {
        optional.reset();
      } else {
        json.get_to(glue::engaged(optional));
      }
    }
  };

  /// The library itself casts whatever number it finds.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, T number) {
      if constexpr (std::same_as<T, std::uint64_t> && !Format::has_unsigned) {
        nlohmann::to_json(json, static_cast<std::int64_t>(number));
      } else {
        nlohmann::to_json(json, number);
      }
    }
    template <class Json>
    static void from_json(const Json& json, T& number) {
      if (const auto* natural = json.template get_ptr<const std::uint64_t*>()) {
        if (!std::in_range<T>(*natural)) glue::refuse(static_cast<std::int64_t>(*natural));
        number = static_cast<T>(*natural);
      } else if (const auto* whole = json.template get_ptr<const std::int64_t*>()) {
        constexpr bool keeps_bits = std::same_as<T, std::uint64_t> && !Format::has_unsigned;
        if (!keeps_bits && !std::in_range<T>(*whole)) glue::refuse(*whole);
        number = static_cast<T>(*whole);
      } else {
        throw DecodeError("found " + std::string(json.type_name()) + ", expected a whole number");
      }
    }
  };

  template <std::floating_point T>
    requires(Format::is_text)
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, T number) {
      if (std::isfinite(number)) [[likely]] {
        nlohmann::to_json(json, number);
      } else {
        json = serbench::json::name_of(number);
      }
    }
    template <class Json>
    static void from_json(const Json& json, T& number) {
      if (json.is_string()) [[unlikely]] {
        number = static_cast<T>(serbench::json::named(json.template get_ref<const std::string&>()));
      } else {
        nlohmann::from_json(json, number);
      }
    }
  };

  template <DomainEnum T>
  struct Serializer<T> {
    using Underlying = std::underlying_type_t<T>;
    template <class Json>
    static void to_json(Json& json, T value) {
      if constexpr (Format::is_text) {
        if (!OpenEnum<T> || serbench::json::find_name(value)) {
          json = serbench::json::name_of(value);
          return;
        }
      }
      json = static_cast<Underlying>(value);
    }
    template <class Json>
    static void from_json(const Json& json, T& value) {
      if constexpr (Format::is_text) {
        if (!OpenEnum<T> || json.is_string()) {
          value = serbench::json::value_of<T>(json.template get_ref<const std::string&>());
          return;
        }
      }
      value = glue::number<T>(json.template get<Underlying>());
    }
  };

  template <class T>
    requires(Format::has_binary && (ByteString<T> || FixedBytes<T>))
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& bytes) {
      const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
      json = Json::binary(std::vector<std::uint8_t>(begin, begin + bytes.size()));
    }
    template <class Json>
    static void from_json(const Json& json, T& bytes) {
      const Bytes found = as_bytes(json.get_binary());
      if constexpr (FixedBytes<T>) {
        glue::check_count(found.size(), bytes);
        std::ranges::copy(found, bytes.begin());
      } else {
        bytes.assign(found.begin(), found.end());
      }
    }
  };

  template <Array T>
    requires(!Format::has_binary || !FixedBytes<T>)
  struct Serializer<T> : nlohmann::adl_serializer<T> {
    template <class Json>
    static void from_json(const Json& json, T& array) {
      glue::check_count(json.size(), array);  // the library takes longer ones for right
      nlohmann::from_json(json, array);
    }
  };

  /// Pairs where a key has a NUL, at which BSON would end it.
  template <Map T>
    requires(String<typename T::key_type> && !Format::has_nul_in_keys)
  struct Serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& map) {
      const auto has_nul = [](const auto& pair) { return pair.first.find('\0') != std::string::npos; };
      if (std::ranges::none_of(map, has_nul)) {
        nlohmann::to_json(json, map);
        return;
      }
      json = Json::array();
      for (const auto& pair : map) json.emplace_back(pair);
    }
    template <class Json>
    static void from_json(const Json& json, T& map) {
      if (json.is_object()) {
        nlohmann::from_json(json, map);
        return;
      }
      map.clear();
      for (const auto& pair : json) pair.at(1).get_to(map[pair.at(0).template get_ref<const std::string&>()]);
    }
  };
};

/// nlohmann::json with these conversions.
template <class Format>
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t,
                                  double, std::allocator, Conversions<Format>::template Serializer>;

/// The sum over a tree of values that stands for a T.
template <class T, Back back = Back::no, class Json>
Checksum traverse(const Json& json) {
  if constexpr (Number<T>) {
    return checksum_of(json.template get<T>());
  } else if constexpr (String<T>) {
    return checksum_of(json.template get_ref<const std::string&>());
  } else if constexpr (Reflected<T>) {
    Checksum sum = 0;
    for_each_field_type<T>(
        [&]<class Member>(std::string_view name, std::type_identity<Member>, auto member_back) {
          sum += traverse<Member, member_back()>(json.at(name));
        });
    return sum;
  } else if constexpr (Union<T>) {
    const auto& [name, chosen] = *only_field(json);
    Checksum sum = index_of<T>(name);
    with_alternative<T>(sum, [&]<class A>(std::type_identity<A>) {
      if constexpr (Valued<A>) sum += traverse<decltype(A::value), back_of<A>()>(chosen);
    });
    return sum;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return traverse<typename T::element_type, back>(json);
  } else if constexpr (Pointer<T>) {
    return json.is_null() ? 0 : 1 + traverse<typename T::element_type, back>(json);
  } else if constexpr (Optional<T>) {
    return json.is_null() ? 0 : 1 + traverse<typename T::value_type, back>(json);
  } else if constexpr (Map<T>) {
    using Mapped = typename T::mapped_type;
    Checksum sum = json.size();
    if (json.is_object()) {
      for (const auto& [key, value] : json.items()) sum += checksum_of(key) + traverse<Mapped, back>(value);
    } else {
      for (const auto& pair : json)
        sum += traverse<typename T::key_type>(pair.at(0)) + traverse<Mapped, back>(pair.at(1));
    }
    return sum;
  } else {
    if constexpr (ByteString<T> || FixedBytes<T>) {
      if (json.is_binary()) return checksum_of(as_bytes(json.get_binary()));
    }
    Checksum sum = Array<T> && !FixedBytes<T> ? 0 : json.size();
    for (const auto& item : json) sum += traverse<typename T::value_type, back>(item);
    return sum;
  }
}

}  // namespace serbench::nlohmann_codec
