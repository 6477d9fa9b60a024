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
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace xdr {

/// A type that XDR has as bytes which it does not look into.
template <class T>
concept Opaque = String<T> || OctetSequence<T>;

/// The type that XDR has for a number.
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

template <Back back = Back::no, class T>
bool put(XDR* stream, const T& value) {
  if constexpr (Number<T>) {
    auto number = static_cast<Coded<T>>(value);
    return code(stream, number);
  } else if constexpr (Reflected<T> || Union<T>) {
    bool is_put = true;
    if constexpr (Union<T>) is_put = put(stream, static_cast<std::uint32_t>(value.value.index()));
    for_each_part(
        value, [&](const auto& part, auto part_back) { is_put = is_put && put<part_back()>(stream, part); });
    return is_put;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return put<back>(stream, *value);
  } else if constexpr (Optional<T> || Pointer<T>) {
    return put(stream, static_cast<bool>(value)) && (!value || put<back>(stream, *value));
  } else {
    const auto count = static_cast<std::uint32_t>(value.size());
    if constexpr (!Array<T>) {
      if (!put(stream, count)) return false;
    }
    if constexpr (Opaque<T>) {
      return xdr_opaque(stream, reinterpret_cast<char*>(const_cast<typename T::value_type*>(value.data())),
                        count);
    } else if constexpr (Map<T>) {
      for (const auto& [key, mapped] : value) {
        if (!put(stream, key) || !put<back>(stream, mapped)) return false;
      }
    } else {
      for (const auto& item : value) {
        if (!put<back>(stream, static_cast<const typename T::value_type&>(item))) return false;
      }
    }
    return true;
  }
}

inline void check(bool read) {
  if (!read) [[unlikely]]
    throw LibraryError("the bytes end early");
}

template <Number T>
T get_number(XDR* stream) {
  Coded<T> number;
  check(code(stream, number));
  return glue::number<T>(number);
}

/// A count of items. Each takes at least one byte, unless it is empty.
template <class T>
std::uint32_t get_count(XDR* stream) {
  const auto count = get_number<std::uint32_t>(stream);
  if (count > (is_empty<typename T::value_type>() ? max_empty_items : stream->x_handy)) {
    throw DecodeError("a count exceeds the bytes left");
  }
  return count;
}

/// `depth` counts the steps back that are inside each other.
template <Back back = Back::no, class T>
void get(XDR* stream, T& value, unsigned& depth) {
  if constexpr (Number<T>) {
    value = get_number<T>(stream);
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    const Step step(depth);
    get(stream, value, depth);
  } else if constexpr (Reflected<T>) {
    for_each_part(value, [&](auto& member, auto member_back) { get<member_back()>(stream, member, depth); });
  } else if constexpr (Union<T>) {
    choose(value, get_number<std::uint32_t>(stream),
           [&](auto& chosen, auto chosen_back) { get<chosen_back()>(stream, chosen, depth); });
  } else if constexpr (Pointer<T>) {
    if (back == Back::never_null || get_number<bool>(stream)) {
      get<back>(stream, pointee(value), depth);
    } else {
      value.reset();
    }
  } else if constexpr (Optional<T>) {
    if (get_number<bool>(stream)) {
      get<back>(stream, glue::engaged(value), depth);
    } else {
      value.reset();
    }
  } else if constexpr (Map<T>) {
    glue::FilledMap<typename T::key_type, typename T::mapped_type, glue::Keys::ascending> map(value);
    for (std::uint32_t left = get_count<T>(stream); left > 0; --left) {
      typename T::key_type key;
      get(stream, key, depth);
      get<back>(stream, map[std::move(key)], depth);
    }
  } else {
    if constexpr (!Array<T>) value.resize(get_count<T>(stream));
    if constexpr (Opaque<T>) {
      check(xdr_opaque(stream, reinterpret_cast<char*>(value.data()), static_cast<u_int>(value.size())));
    } else if constexpr (Number<typename T::value_type>) {
      for (auto&& item : value) item = get_number<typename T::value_type>(stream);
    } else {
      for (auto& item : value) get<back>(stream, item, depth);
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
      capacity_ =
          static_cast<u_int>(xdr_sizeof(reinterpret_cast<xdrproc_t>(routine), const_cast<Root*>(&root)));
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      if (bytes.size() > UINT_MAX) throw DecodeError("an XDR stream over memory has at most 4 GiB");
      XDR stream;
      xdrmem_create(&stream, const_cast<char*>(as_chars(bytes)), static_cast<u_int>(bytes.size()),
                    XDR_DECODE);
      unsigned depth = 0;
      xdr::get(&stream, root, depth);
      if (stream.x_handy != 0) throw DecodeError("bytes are left over");
    }
  };
};

}  // namespace serbench
