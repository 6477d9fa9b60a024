// Trees of values: the memory that they lie in, and domain values made of them.
#pragma once

#include <rapidjson/document.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "events.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"

namespace serbench::rapidjson_codec {

/// A document, a pool that begins with a buffer kept for the next document, and the text that strings may
/// refer to.
class Tree {
 public:
  const rapidjson::Value& root() const { return *document_; }

  /// An empty document in place of the one before. The buffer is made as large as what that one needed.
  rapidjson::Document& renew() {
    if (!document_) return document_.emplace();
    const std::size_t needed =
        document_->GetAllocator().Size() * 9 / 8 + 64;  // what one chunk fills, several fill less
    document_.reset();
    if (needed > capacity_) {
      pool_.reset();
      buffer_ = std::make_unique_for_overwrite<char[]>(needed);
      capacity_ = needed;
      pool_.emplace(buffer_.get(), capacity_);
    } else {
      pool_->Clear();
    }
    return document_.emplace(&*pool_);
  }

  /// A copy of the text, ended by a NUL, to be parsed in place.
  char* copy(Bytes bytes) {
    if (bytes.size() >= text_capacity_) {
      text_capacity_ = bytes.size() + 1;
      text_ = std::make_unique_for_overwrite<char[]>(text_capacity_);
    }
    if (!bytes.empty()) std::memcpy(text_.get(), bytes.data(), bytes.size());
    text_[bytes.size()] = '\0';
    return text_.get();
  }

 private:
  std::unique_ptr<char[]> text_;
  std::size_t text_capacity_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::optional<rapidjson::MemoryPoolAllocator<>> pool_;
  std::optional<rapidjson::Document> document_;
};

inline void expect(bool found, const char* expected, const rapidjson::Value& value) {
  if (found) [[likely]]
    return;
  static constexpr const char* types[] = {"null",     "false",    "true",    "an object",
                                          "an array", "a string", "a number"};
  throw DecodeError("found " + std::string(types[value.GetType()]) + ", expected " + expected);
}

inline std::string_view text_of(const rapidjson::Value& value) {
  expect(value.IsString(), "a string", value);
  return {value.GetString(), value.GetStringLength()};
}

/// The value of a field; nullptr where an object has no such field.
inline const rapidjson::Value* find_field(const rapidjson::Value& record, std::string_view name) {
  const rapidjson::Value key(
      rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
  const auto found = record.FindMember(key);
  return found == record.MemberEnd() ? nullptr : &found->value;
}

inline const rapidjson::Value& field_of(const rapidjson::Value& record, std::string_view name) {
  const rapidjson::Value* const found = find_field(record, name);
  if (found == nullptr) throw DecodeError("an object has no field " + std::string(name));
  return *found;
}

template <Number T>
T number_of(const rapidjson::Value& value) {
  if constexpr (std::same_as<T, bool>) {
    expect(value.IsBool(), "true or false", value);
    return value.GetBool();
  } else if constexpr (DomainEnum<T>) {
    if constexpr (OpenEnum<T>) {
      if (!value.IsString()) return static_cast<T>(number_of<std::underlying_type_t<T>>(value));
    }
    return json::value_of<T>(text_of(value));
  } else if constexpr (std::is_enum_v<T>) {  // std::byte
    return static_cast<T>(number_of<std::underlying_type_t<T>>(value));
  } else if constexpr (std::floating_point<T>) {
    if (value.IsNumber()) [[likely]]
      return static_cast<T>(value.GetDouble());
    return static_cast<T>(json::named(text_of(value)));
  } else if constexpr (std::is_signed_v<T>) {
    expect(value.IsInt64() && std::in_range<T>(value.GetInt64()), "a whole number in the field's range",
           value);
    return static_cast<T>(value.GetInt64());
  } else {
    expect(value.IsUint64() && std::in_range<T>(value.GetUint64()), "a natural number in the field's range",
           value);
    return static_cast<T>(value.GetUint64());
  }
}

/// The only field of an object.
inline const rapidjson::Value::Member& only_field(const rapidjson::Value& value) {
  expect(value.IsObject() && value.MemberCount() == 1, "an object with one field", value);
  return *value.MemberBegin();
}

/// Overwrites a domain value by a value of the tree. `depth` counts the steps back that are inside each
/// other.
template <Back back = Back::no, class T>
void extract(const rapidjson::Value& from, T& to, unsigned& depth) {
  if constexpr (Number<T>) {
    to = number_of<T>(from);
  } else if constexpr (String<T>) {
    to.assign(text_of(from));
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth);
    extract(from, to, depth);
  } else if constexpr (Reflected<T>) {
    expect(from.IsObject(), "an object", from);
    for_each_named_part(to, [&]<class Member>(std::string_view name, Member& member, auto member_back) {
      if constexpr (Nullable<Member, member_back()>) {
        const rapidjson::Value* const found = find_field(from, name);
        if (found == nullptr) return member.reset();
        extract<member_back()>(*found, member, depth);
      } else {
        extract<member_back()>(field_of(from, name), member, depth);
      }
    });
  } else if constexpr (Union<T>) {
    const auto& [name, chosen] = only_field(from);
    choose_alternative(to, index_of<T>(text_of(name)), [&]<class A>(A& alternative) {
      if constexpr (Valued<A>) {
        extract<back_of<A>()>(chosen, alternative.value, depth);
      } else {
        expect(chosen.IsNull(), "null", chosen);
      }
    });
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (Nullable<T, back> && from.IsNull()) {
      to.reset();
    } else {
      extract<back>(from, glue::engaged(to), depth);
    }
  } else if constexpr (Map<T>) {
    expect(from.IsObject(), "an object", from);
    using Key = typename T::key_type;
    glue::FilledMap<Key, typename T::mapped_type, glue::Keys::unordered> filled(to);
    for (const auto& member : from.GetObject()) {
      extract<back>(member.value, filled[json::key_of<Key>(text_of(member.name))], depth);
    }
  } else {
    expect(from.IsArray(), "an array", from);
    if constexpr (Array<T>) {
      glue::check_count(from.Size(), to);
    } else {
      to.resize(from.Size());
    }
    auto item = from.Begin();
    for (auto&& each : to) {
      if constexpr (std::same_as<T, std::vector<bool>>) {
        each = number_of<bool>(*item++);
      } else {
        extract<back>(*item++, each, depth);
      }
    }
  }
}

/// The sum over a value of the tree that stands for a T.
template <class T, Back back = Back::no>
Checksum traverse(const rapidjson::Value& value) {
  if constexpr (Number<T>) {
    return checksum_of(number_of<T>(value));
  } else if constexpr (String<T>) {
    return checksum_of(text_of(value));
  } else if constexpr (Reflected<T>) {
    expect(value.IsObject(), "an object", value);
    Checksum sum = 0;
    for_each_field_type<T>(
        [&]<class Member>(std::string_view name, std::type_identity<Member>, auto member_back) {
          sum += traverse<Member, member_back()>(field_of(value, name));
        });
    return sum;
  } else if constexpr (Union<T>) {
    const auto& [name, chosen] = only_field(value);
    Checksum sum = index_of<T>(text_of(name));
    with_alternative<T>(sum, [&]<class A>(std::type_identity<A>) {
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
    expect(value.IsObject(), "an object", value);
    using Key = typename T::key_type;
    Checksum sum = value.MemberCount();
    for (const auto& member : value.GetObject()) {
      if constexpr (String<Key>) {
        sum += checksum_of(text_of(member.name));
      } else {
        sum += checksum_of(json::key_of<Key>(text_of(member.name)));
      }
      sum += traverse<typename T::mapped_type, back>(member.value);
    }
    return sum;
  } else {
    expect(value.IsArray(), "an array", value);
    Checksum sum = Array<T> && !FixedBytes<T> ? 0 : value.Size();
    for (const auto& item : value.GetArray()) sum += traverse<typename T::value_type, back>(item);
    return sum;
  }
}

}  // namespace serbench::rapidjson_codec
