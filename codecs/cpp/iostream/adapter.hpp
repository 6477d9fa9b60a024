// The standard library's streams, by hand: a string stream, and write and read for every value.
#pragma once

#include <sstream>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace iostream {

inline void put_raw(std::ostream& out, const void* from, std::size_t size) {
  out.write(static_cast<const char*>(from), static_cast<std::streamsize>(size));
}

inline void put_count(std::ostream& out, std::size_t size) {
  const auto count = static_cast<std::uint32_t>(size);
  put_raw(out, &count, sizeof count);
}

template <class T>
void put(std::ostream& out, const T& value) {
  if constexpr (Number<T>) {
    put_raw(out, &value, sizeof value);
  } else if constexpr (String<T> || ByteString<T>) {
    put_count(out, value.size());
    put_raw(out, value.data(), value.size());
  } else if constexpr (Reflected<T>) {
    for_each_member(value, [&](const auto& member) { put(out, member); });
  } else if constexpr (Optional<T>) {
    put(out, value.has_value());
    if (value) put(out, *value);
  } else if constexpr (Map<T>) {
    put_count(out, value.size());
    for (const auto& [key, mapped] : value) {
      put(out, key);
      put(out, mapped);
    }
  } else {
    if constexpr (!Array<T>) put_count(out, value.size());
    for (const auto& item : value) put(out, static_cast<const typename T::value_type&>(item));
  }
}

inline void get_raw(std::istream& in, void* to, std::size_t size) {
  if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(size))) throw DecodeError("the stream ends early");
}

template <class T>
T get_number(std::istream& in) {
  T number;
  get_raw(in, &number, sizeof number);
  return number;
}

template <class T>
void get(std::istream& in, T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = get_number<std::uint8_t>(in) != 0;
  } else if constexpr (Number<T>) {
    value = get_number<T>(in);
  } else if constexpr (String<T> || ByteString<T>) {
    value.resize(get_number<std::uint32_t>(in));
    get_raw(in, value.data(), value.size());
  } else if constexpr (Reflected<T>) {
    for_each_member(value, [&](auto& member) { get(in, member); });
  } else if constexpr (Optional<T>) {
    if (get_number<std::uint8_t>(in) == 0) {
      value.reset();
    } else {
      get(in, value ? *value : value.emplace());
    }
  } else if constexpr (Map<T>) {
    value.clear();
    for (auto left = get_number<std::uint32_t>(in); left > 0; --left) {
      typename T::key_type key;
      get(in, key);
      get(in, value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
    }
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    value.resize(get_number<std::uint32_t>(in));
    for (auto item : value) item = get_number<std::uint8_t>(in) != 0;
  } else {
    if constexpr (!Array<T>) value.resize(get_number<std::uint32_t>(in));
    for (auto& item : value) get(in, item);
  }
}

}  // namespace iostream

template <class Root>
struct IostreamAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      output_.seekp(0);
      iostream::put(output_, root);
      // What a longer message left behind stays in the stream; this message ends where writing ended.
      return as_bytes(output_.view().substr(0, static_cast<std::size_t>(output_.tellp())));
    }

   private:
    std::ostringstream output_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      input_.clear();
      input_.str({as_chars(bytes), bytes.size()});
      iostream::get(input_, root);
    }

   private:
    std::istringstream input_;
  };
};

}  // namespace serbench
