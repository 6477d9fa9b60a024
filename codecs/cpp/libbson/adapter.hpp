// libbson: documents are appended from domain objects and read with iterators.
#pragma once

#include <bson/bson.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "serbench/adapter.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace libbson {

template <Number T>
constexpr bson_type_t number_type() {
  if constexpr (std::is_enum_v<T>) return number_type<std::underlying_type_t<T>>();
  if constexpr (std::same_as<T, bool>) return BSON_TYPE_BOOL;
  if constexpr (std::floating_point<T>) return BSON_TYPE_DOUBLE;
  return sizeof(T) < 4 || std::same_as<T, std::int32_t> ? BSON_TYPE_INT32 : BSON_TYPE_INT64;
}

inline void check(bool appended) {
  if (!appended) [[unlikely]]
    throw std::length_error("a BSON document has at most 2 GiB");
}

template <class T>
void append(bson_t& to, std::string_view name, const T& value);

template <class Append>
void append_document(bson_t& to, std::string_view name, Append&& append_fields) {
  bson_t document;
  check(bson_append_document_begin(&to, name.data(), static_cast<int>(name.size()), &document));
  append_fields(document);
  check(bson_append_document_end(&to, &document));
}

/// An array; append_item(array, name, item) is called for each item.
template <class Items, class Append>
void append_array(bson_t& to, std::string_view name, const Items& items, Append&& append_item) {
  bson_t array;
  check(bson_append_array_begin(&to, name.data(), static_cast<int>(name.size()), &array));
  std::uint32_t index = 0;
  for (const auto& item : items) {
    char text[16];
    const char* digits = nullptr;
    const std::size_t length = bson_uint32_to_string(index++, &digits, text, sizeof text);
    append_item(array, std::string_view(digits, length), item);
  }
  check(bson_append_array_end(&to, &array));
}

template <Reflected T>
void append_fields(bson_t& to, const T& record) {
  for_each_field(record, [&](std::string_view name, const auto& member) { append(to, name, member); });
}

template <class T>
void append(bson_t& to, std::string_view name, const T& value) {
  const char* key = name.data();
  const int length = static_cast<int>(name.size());
  if constexpr (Number<T>) {
    constexpr bson_type_t type = number_type<T>();
    if constexpr (type == BSON_TYPE_BOOL) {
      check(bson_append_bool(&to, key, length, value));
    } else if constexpr (type == BSON_TYPE_DOUBLE) {
      check(bson_append_double(&to, key, length, value));
    } else if constexpr (type == BSON_TYPE_INT32) {
      check(bson_append_int32(&to, key, length, static_cast<std::int32_t>(value)));
    } else {
      check(bson_append_int64(&to, key, length, static_cast<std::int64_t>(value)));
    }
  } else if constexpr (String<T>) {
    check(bson_append_utf8(&to, key, length, value.data(), static_cast<int>(value.size())));
  } else if constexpr (OctetSequence<T>) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(value.data());
    check(bson_append_binary(&to, key, length, BSON_SUBTYPE_BINARY, bytes,
                             static_cast<std::uint32_t>(value.size())));
  } else if constexpr (Reflected<T>) {
    append_document(to, name, [&](bson_t& document) { append_fields(document, value); });
  } else if constexpr (Union<T>) {
    append_document(to, name, [&](bson_t& document) {
      const auto append_chosen = [&]<class A>(const A& chosen) {
        const std::string_view alternative = ReflectAlternative<A>::name;
        if constexpr (Valued<A>) {
          append(document, alternative, chosen.value);
        } else {
          check(bson_append_null(&document, alternative.data(), static_cast<int>(alternative.size())));
        }
      };
      std::visit(append_chosen, value.value);
    });
  } else if constexpr (Optional<T> || Pointer<T>) {
    value ? append(to, name, *value) : check(bson_append_null(&to, key, length));
  } else if constexpr (Map<T>) {
    append_array(to, name, value, [](bson_t& array, std::string_view index, const auto& entry) {
      append_document(array, index, [&](bson_t& document) {
        append(document, "key", entry.first);
        append(document, "value", entry.second);
      });
    });
  } else {
    static_assert(List<T> || Array<T>);
    append_array(to, name, value, [](bson_t& array, std::string_view index, const auto& item) {
      append(array, index, static_cast<const typename T::value_type&>(item));
    });
  }
}

inline void expect(const bson_iter_t& at, bson_type_t type) {
  if (bson_iter_type(&at) != type) [[unlikely]] {
    throw DecodeError("a field is of the BSON type " + std::to_string(bson_iter_type(&at)) + ", expected " +
                      std::to_string(type));
  }
}

/// The items in a document or an array.
inline bson_iter_t inside(const bson_iter_t& at, bson_type_t type) {
  expect(at, type);
  bson_iter_t items;
  if (!bson_iter_recurse(&at, &items)) throw LibraryError("libbson refuses a document or an array");
  return items;
}

/// Goes to the next item; false at the end.
inline bool next(bson_iter_t& items) {
  if (bson_iter_next(&items)) return true;
  if (items.err_off != 0) throw LibraryError("libbson refuses the bytes at " + std::to_string(items.err_off));
  return false;
}

/// Goes on to the field of this name.
inline const bson_iter_t& find(bson_iter_t& fields, std::string_view name) {
  if (!bson_iter_find_w_len(&fields, name.data(), static_cast<int>(name.size()))) {
    throw DecodeError("no field is called " + std::string(name));
  }
  return fields;
}

template <Number T>
T number_of(const bson_iter_t& at) {
  constexpr bson_type_t type = number_type<T>();
  expect(at, type);
  if constexpr (type == BSON_TYPE_BOOL) {
    return bson_iter_bool(&at);
  } else if constexpr (type == BSON_TYPE_DOUBLE) {
    return glue::number<T>(bson_iter_double(&at));
  } else if constexpr (type == BSON_TYPE_INT32) {
    return glue::number<T>(bson_iter_int32(&at));
  } else {
    return glue::number<T>(bson_iter_int64(&at));
  }
}

/// Reads values, and counts the steps back that are inside each other.
class Reader {
 public:
  template <Reflected T>
  void read_fields(bson_iter_t fields, T& record) {
    for_each_named_part(record, [&](std::string_view name, auto& member, auto back) {
      read<back()>(find(fields, name), member);
    });
  }

 private:
  unsigned depth_ = 0;

  template <Back back = Back::no, class T>
  void read(const bson_iter_t& at, T& value) {
    if constexpr (Number<T>) {
      value = number_of<T>(at);
    } else if constexpr (String<T>) {
      expect(at, BSON_TYPE_UTF8);
      std::uint32_t length = 0;
      const char* text = bson_iter_utf8(&at, &length);
      value.assign(text, length);
    } else if constexpr (OctetSequence<T>) {
      read_binary(at, value);
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      const Step step(depth_);
      read(at, value);
    } else if constexpr (Reflected<T>) {
      read_fields(inside(at, BSON_TYPE_DOCUMENT), value);
    } else if constexpr (Union<T>) {
      bson_iter_t chosen = inside(at, BSON_TYPE_DOCUMENT);
      if (!next(chosen)) throw DecodeError("a union has no alternative");
      choose_alternative(value, index_of<T>(bson_iter_key(&chosen)), [&]<class A>(A& alternative) {
        if constexpr (Valued<A>) {
          read<back_of<A>()>(chosen, alternative.value);
        } else {
          expect(chosen, BSON_TYPE_NULL);
        }
      });
    } else if constexpr (Optional<T> || Pointer<T>) {
      if (Nullable<T, back> && bson_iter_type(&at) == BSON_TYPE_NULL) {
        value.reset();
      } else {
        read<back>(at, glue::engaged(value));
      }
    } else if constexpr (Map<T>) {
      glue::FilledMap<typename T::key_type, typename T::mapped_type, glue::Keys::ascending> map(value);
      bson_iter_t entries = inside(at, BSON_TYPE_ARRAY);
      while (next(entries)) {
        bson_iter_t entry = inside(entries, BSON_TYPE_DOCUMENT);
        typename T::key_type key;
        read(find(entry, "key"), key);
        read<back>(find(entry, "value"), map[std::move(key)]);
      }
    } else {
      read_items<back>(inside(at, BSON_TYPE_ARRAY), value);
    }
  }

  /// Items of a list or an array, in place of those that it had.
  template <Back back, class T>
  void read_items(bson_iter_t items, T& value) {
    using Item = typename T::value_type;
    std::size_t count = 0;
    for (; next(items); ++count) {
      if constexpr (Array<T>) {
        if (count < value.size()) read<back>(items, value[count]);
      } else if constexpr (Number<Item>) {
        if (count == value.size()) value.emplace_back();
        value[count] = number_of<Item>(items);
      } else {
        read<back>(items, count < value.size() ? value[count] : value.emplace_back());
      }
    }
    if constexpr (Array<T>) {
      glue::check_count(count, value);
    } else {
      value.resize(count);
    }
  }

  template <class T>
  static void read_binary(const bson_iter_t& at, T& value) {
    expect(at, BSON_TYPE_BINARY);
    std::uint32_t length = 0;
    const std::uint8_t* bytes = nullptr;
    bson_iter_binary(&at, nullptr, &length, &bytes);
    const auto* items = reinterpret_cast<const typename T::value_type*>(bytes);
    if constexpr (Array<T>) {
      glue::check_count(length, value);
      std::copy_n(items, value.size(), value.begin());
    } else {
      value.assign(items, items + length);
    }
  }
};

}  // namespace libbson

template <class Root>
struct LibbsonAdapter {
  class Encoder {
   public:
    Encoder() { bson_init(&document_); }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;
    ~Encoder() { bson_destroy(&document_); }

    Bytes encode(const Root& root) {
      bson_reinit(&document_);
      libbson::append_fields(document_, root);
      return std::as_bytes(std::span(bson_get_data(&document_), document_.len));
    }

   private:
    bson_t document_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      bson_t document;
      bson_iter_t fields;
      if (!bson_init_static(&document, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) ||
          !bson_iter_init(&fields, &document)) {
        throw LibraryError("the bytes are no BSON document");
      }
      libbson::Reader().read_fields(fields, root);
    }
  };
};

}  // namespace serbench
