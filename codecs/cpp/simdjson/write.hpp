// Writes compact JSON, for simdjson to have something to read. It is never measured.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "serbench/json.hpp"
#include "serbench/shapes.hpp"

namespace serbench::simdjson_codec {

template <class T>
void write_number(std::string& out, T number) {
  static constexpr char marks[] = {'.', 'e'};
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out.append(digits, end);
  // Without a fraction the DOM reads a whole number, which has no negative zero.
  if (std::floating_point<T> && std::find_first_of(digits, end, std::begin(marks), std::end(marks)) == end)
    out += ".0";
}

/// A text as it stands between quotes.
inline std::string escaped(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += hex[byte / 16];
      out += hex[byte % 16];
    } else {
      out += c;
    }
  }
  return out;
}

inline void write_string(std::string& out, std::string_view text) {
  out += '"';
  out += escaped(text);
  out += '"';
}

template <class T>
void write(std::string& out, const T& value);

/// What write_item(item) writes for each item, with commas between.
template <class Items, class WriteItem>
void write_all(std::string& out, const Items& items, char begin, char end, WriteItem write_item) {
  out += begin;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    write_item(item);
  }
  out += end;
}

template <class T>
void write(std::string& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (DomainEnum<T>) {
    if (!OpenEnum<T> || json::find_name(value)) {
      write_string(out, json::name_of(value));
    } else {
      write_number(out, static_cast<std::underlying_type_t<T>>(value));
    }
  } else if constexpr (std::is_enum_v<T>) {  // std::byte
    write_number(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) {
      write_string(out, json::name_of(value));
      return;
    }
    // The digits that are enough for a float are too few to be read as a double and rounded.
    write_number(out, static_cast<double>(value));
  } else if constexpr (Number<T>) {
    write_number(out, value);
  } else if constexpr (String<T>) {
    write_string(out, value);
  } else if constexpr (Reflected<T>) {
    out += '{';
    bool first = true;
    for_each_field(value, [&](std::string_view name, const auto& member) {
      if (!first) out += ',';
      first = false;
      write_string(out, name);
      out += ':';
      write(out, member);
    });
    out += '}';
  } else if constexpr (Union<T>) {
    out += '{';
    write_string(out, name_of(value));
    out += ':';
    const std::size_t start = out.size();
    for_each_part(value, [&](const auto& chosen, auto) { write(out, chosen); });
    if (out.size() == start) out += "null";
    out += '}';
  } else if constexpr (Optional<T> || Pointer<T>) {
    if (value) {
      write(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (Map<T>) {
    write_all(out, value, '{', '}', [&](const auto& pair) {
      char digits[24];
      write_string(out, json::text_of(pair.first, digits));
      out += ':';
      write(out, pair.second);
    });
  } else {
    write_all(out, value, '[', ']', [&](const typename T::value_type& item) { write(out, item); });
  }
}

}  // namespace serbench::simdjson_codec
