// XDR over memory: the library's primitives in the order in which routines of rpcgen's would call them.
#pragma once

#include <rpc/types.h>
// xdr.h needs what is above.
#include <rpc/xdr.h>

#include <climits>
#include <memory>
#include <stdexcept>

#include "serbench/adapter.hpp"
#include "serbench/convert.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace xdr {

/// What XDR has as bytes that it does not look into.
template <class T>
concept Opaque = String<T> || OctetSequence<T>;

/// What XDR has for a number.
template <Number T>
auto coded() {
  if constexpr (std::is_enum_v<T>) {
    return coded<std::underlying_type_t<T>>();
  } else if constexpr (std::integral<T> && sizeof(T) <= 4) {
    return std::conditional_t<std::is_signed_v<T> || std::same_as<T, bool>, std::int32_t, std::uint32_t>{};
  } else {
    return T{};
  }
}
template <Number T>
using Coded = decltype(coded<T>());

// As all of the library's routines, these write or read, and are false at the end of the memory.
inline bool code(XDR* stream, std::int32_t& value) { return xdr_int32_t(stream, &value); }
inline bool code(XDR* stream, std::uint32_t& value) { return xdr_uint32_t(stream, &value); }
inline bool code(XDR* stream, std::int64_t& value) { return xdr_int64_t(stream, &value); }
inline bool code(XDR* stream, std::uint64_t& value) { return xdr_uint64_t(stream, &value); }
inline bool code(XDR* stream, float& value) { return xdr_float(stream, &value); }
inline bool code(XDR* stream, double& value) { return xdr_double(stream, &value); }

template <class T>
bool put(XDR* stream, const T& value) {
  if constexpr (Number<T>) {
    auto number = static_cast<Coded<T>>(value);
    return code(stream, number);
  } else if constexpr (Reflected<T>) {
    return apply_members(value, [&](const auto&... members) { return (put(stream, members) && ...); });
  } else if constexpr (Optional<T>) {
    return put(stream, value.has_value()) && (!value || put(stream, *value));
  } else {
    const auto count = static_cast<std::uint32_t>(value.size());
    if constexpr (!Array<T>) {
      if (!put(stream, count)) return false;
    }
    if constexpr (Opaque<T>) {
      return xdr_opaque(stream, reinterpret_cast<char*>(const_cast<typename T::value_type*>(value.data())), count);
    } else if constexpr (Map<T>) {
      for (const auto& [key, mapped] : value) {
        if (!put(stream, key) || !put(stream, mapped)) return false;
      }
    } else {
      for (const auto& item : value) {
        if (!put(stream, static_cast<const typename T::value_type&>(item))) return false;
      }
    }
    return true;
  }
}

inline void check(bool read) {
  if (!read) [[unlikely]]
    throw DecodeError("the bytes end early");
}

template <Number T>
T get_number(XDR* stream) {
  Coded<T> number;
  check(code(stream, number));
  return glue::number<T>(number);
}

/// A count of items, each of which takes at least one byte.
inline std::uint32_t get_count(XDR* stream) {
  const auto count = get_number<std::uint32_t>(stream);
  if (count > stream->x_handy) throw DecodeError("a count exceeds the bytes left");
  return count;
}

template <class T>
void get(XDR* stream, T& value) {
  if constexpr (Number<T>) {
    value = get_number<T>(stream);
  } else if constexpr (Reflected<T>) {
    for_each_member(value, [&](auto& member) { get(stream, member); });
  } else if constexpr (Optional<T>) {
    if (get_number<bool>(stream)) {
      get(stream, glue::engaged(value));
    } else {
      value.reset();
    }
  } else if constexpr (Map<T>) {
    glue::FilledMap<typename T::key_type, typename T::mapped_type, glue::Keys::ascending> map(value);
    for (std::uint32_t left = get_count(stream); left > 0; --left) {
      typename T::key_type key;
      get(stream, key);
      get(stream, map[std::move(key)]);
    }
  } else {
    if constexpr (!Array<T>) value.resize(get_count(stream));
    if constexpr (Opaque<T>) {
      check(xdr_opaque(stream, reinterpret_cast<char*>(value.data()), static_cast<u_int>(value.size())));
    } else if constexpr (Number<typename T::value_type>) {
      for (auto&& item : value) item = get_number<typename T::value_type>(stream);
    } else {
      for (auto& item : value) get(stream, item);
    }
  }
}

}  // namespace xdr

template <class Root>
struct XdrAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      XDR stream;
      xdrmem_create(&stream, buffer_.get(), capacity_, XDR_ENCODE);
      if (!xdr::put(&stream, root)) {  // there is not enough room
        grow(root);
        xdrmem_create(&stream, buffer_.get(), capacity_, XDR_ENCODE);
        if (!xdr::put(&stream, root)) throw std::length_error("an XDR stream over memory has at most 4 GiB");
      }
      return std::as_bytes(std::span(buffer_.get(), xdr_getpos(&stream)));
    }

   private:
    std::unique_ptr<char[]> buffer_;
    u_int capacity_ = 0;

    void grow(const Root& root) {
      // The library calls a routine with a stream that counts.
      const auto routine =
          +[](XDR* stream, void* root) -> bool_t { return xdr::put(stream, *static_cast<Root*>(root)); };
      capacity_ = static_cast<u_int>(xdr_sizeof(reinterpret_cast<xdrproc_t>(routine), const_cast<Root*>(&root)));
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      if (bytes.size() > UINT_MAX) throw DecodeError("an XDR stream over memory has at most 4 GiB");
      XDR stream;
      xdrmem_create(&stream, const_cast<char*>(as_chars(bytes)), static_cast<u_int>(bytes.size()), XDR_DECODE);
      xdr::get(&stream, root);
      if (stream.x_handy != 0) throw DecodeError("bytes are left over");
    }
  };
};

}  // namespace serbench
