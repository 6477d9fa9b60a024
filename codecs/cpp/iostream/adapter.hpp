// The standard library's streams, by hand: a string stream, and write and read for every value.
#pragma once

#include <sstream>

#include "serbench/adapter.hpp"
#include "serbench/depth.hpp"
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

template <Back back = Back::no, class T>
void put(std::ostream& out, const T& value) {
  if constexpr (Number<T> || FixedBytes<T>) {
    put_raw(out, &value, sizeof value);
  } else if constexpr (String<T> || ByteString<T>) {
    put_count(out, value.size());
    put_raw(out, value.data(), value.size());
  } else if constexpr (Reflected<T> || Union<T>) {
    if constexpr (Union<T>) put_count(out, value.value.index());
    for_each_part(value, [&](const auto& part, auto part_back) { put<part_back()>(out, part); });
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    put<back>(out, *value);
  } else if constexpr (Optional<T> || Pointer<T>) {
    put(out, static_cast<bool>(value));
    if (value) put<back>(out, *value);
  } else if constexpr (Map<T>) {
    put_count(out, value.size());
    for (const auto& [key, mapped] : value) {
      put(out, key);
      put<back>(out, mapped);
    }
  } else {
    if constexpr (!Array<T>) put_count(out, value.size());
    for (const auto& item : value) put<back>(out, static_cast<const typename T::value_type&>(item));
  }
}

inline void get_raw(std::istream& in, void* to, std::size_t size) {
  if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(size)))
    throw DecodeError("the stream ends early");
}

template <class T>
T get_number(std::istream& in) {
  T number;
  get_raw(in, &number, sizeof number);
  return number;
}

/// The count of items that take at least one byte each, where they take any: room is made for no more than
/// there are.
template <class T>
std::size_t get_count(std::istream& in) {
  const auto count = get_number<std::uint32_t>(in);
  const auto most = is_empty<T>() ? std::streamsize{max_empty_items} : in.rdbuf()->in_avail();
  if (count > most) throw DecodeError("a count exceeds the bytes left");
  return count;
}

/// `depth` counts the steps back that are inside each other.
template <Back back = Back::no, class T>
void get(std::istream& in, T& value, unsigned& depth) {
  if constexpr (std::same_as<T, bool>) {
    value = get_number<std::uint8_t>(in) != 0;
  } else if constexpr (Number<T> || FixedBytes<T>) {
    value = get_number<T>(in);
  } else if constexpr (String<T> || ByteString<T>) {
    value.resize(get_count<char>(in));
    get_raw(in, value.data(), value.size());
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth);
    get(in, value, depth);
  } else if constexpr (Reflected<T>) {
    for_each_part(value, [&](auto& member, auto member_back) { get<member_back()>(in, member, depth); });
  } else if constexpr (Union<T>) {
    choose(value, get_number<std::uint32_t>(in),
           [&](auto& chosen, auto chosen_back) { get<chosen_back()>(in, chosen, depth); });
  } else if constexpr (Pointer<T>) {
    if (back == Back::never_null || get_number<std::uint8_t>(in) != 0) {
      get<back>(in, pointee(value), depth);
    } else {
      value.reset();
    }
  } else if constexpr (Optional<T>) {
    if (get_number<std::uint8_t>(in) == 0) {
      value.reset();
    } else {
      get<back>(in, value ? *value : value.emplace(), depth);
    }
  } else if constexpr (Map<T>) {
    value.clear();
    for (auto left = get_number<std::uint32_t>(in); left > 0; --left) {
      typename T::key_type key;
      get(in, key, depth);
      get<back>(in, value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second,
                depth);
    }
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    value.resize(get_count<bool>(in));
    for (auto item : value) item = get_number<std::uint8_t>(in) != 0;
  } else {
    if constexpr (!Array<T>) value.resize(get_count<typename T::value_type>(in));
    for (auto& item : value) get<back>(in, item, depth);
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
      // The rest of a longer message stays in the stream; this message ends where writing ended.
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
      unsigned depth = 0;
      iostream::get(input_, root, depth);
    }

   private:
    std::istringstream input_;
  };
};

}  // namespace serbench
