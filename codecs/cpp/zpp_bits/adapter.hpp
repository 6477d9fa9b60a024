// zpp::bits: finds the members of structs by itself; records without padding are copied as blocks.
#pragma once

#include "glue.hpp"  // first, since it says how the next is compiled

#include <zpp_bits.h>

#include <array>
#include <memory>
#include <string>
#include <variant>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"

namespace serbench::zpp_bits_codec {

/// Structs with a step back.
template <class T>
concept LeadsBack = requires { Reflect<T>::back; } || requires { ReflectAlternative<T>::back; };

/// Structs that are written member by member: those with a step back, and those of more members than the
/// library visits by itself (max_visit_members).
template <class T>
concept WrittenOut = LeadsBack<T> || requires { requires(Reflect<T>::fields.size() > 50); };

template <class T, Back>
struct IsArrayOfClasses : std::false_type {};
template <class Item, std::size_t size, Back back>
struct IsArrayOfClasses<std::array<Item, size>, back> : std::is_class<Item> {};

/// Unions whose alternatives the library would make by `variant = T{}` of a T with an array of strings, maps
/// or structs of these inside, of which GCC 12 tells an internal error (check_noexcept_r, at cp/except.cc).
template <class T>
concept MadeInPlace = Union<T> && any_type<T, IsArrayOfClasses>();

/// Reads the alternative of a number in place; the same bytes as the library's.
template <std::size_t n = 0, class Archive, class... Types>
constexpr zpp::bits::errc read_alternative(Archive& archive, std::variant<Types...>& value,
                                           std::size_t number) {
  if constexpr (n == sizeof...(Types)) {
    return std::errc::bad_message;
  } else {
    if (number != n) return read_alternative<n + 1>(archive, value, number);
    return archive(value.index() == n ? *std::get_if<n>(&value) : value.template emplace<n>());
  }
}

/// A pointer that may be null, as the library has optional_ptr; it takes a std::unique_ptr for one that never
/// is.
template <class Archive, class Pointer>
constexpr zpp::bits::errc serialize_optional(Archive& archive, Pointer& pointer) {
  if constexpr (Archive::kind() == zpp::bits::kind::out) {
    return pointer ? archive(std::byte(true), *pointer) : archive(std::byte(false));
  } else {
    std::byte present{};
    if (const auto result = archive(present); failure(result)) return result;
    if (present != std::byte(false)) return archive(pointer);
    pointer.reset();
    return {};
  }
}

}  // namespace serbench::zpp_bits_codec

namespace serbench::domain {  // schemas may have a type of any name here, Union for one

/// How many members a struct has; without this the library tries every number.
template <serbench::Reflected T>
  requires(!zpp_bits_codec::WrittenOut<T>)
auto serialize(const T&) -> zpp::bits::members<serbench::Reflect<T>::fields.size()>;
template <serbench::Union T>
  requires(!zpp_bits_codec::MadeInPlace<T>)
auto serialize(const T&) -> zpp::bits::members<1>;
template <serbench::Alternative T>
  requires(!zpp_bits_codec::LeadsBack<T>)
auto serialize(const T&) -> zpp::bits::members<serbench::Valued<T>>;

/// The library has all of its calls inlined, which ends here.
template <class Archive, class T>
  requires zpp_bits_codec::WrittenOut<std::remove_const_t<T>>
[[gnu::noinline]] constexpr zpp::bits::errc serialize(Archive& archive, T& record) {
  zpp::bits::errc result;
  for_each_part(record, [&]<class Part>(Part& part, auto back) {
    if (failure(result)) return;
    if constexpr (serbench::Pointer<std::remove_const_t<Part>> && back() == serbench::Back::yes) {
      result = zpp_bits_codec::serialize_optional(archive, part);
    } else {
      result = archive(part);
    }
  });
  return result;
}

template <class Archive, class T>
  requires zpp_bits_codec::MadeInPlace<std::remove_const_t<T>>
[[gnu::noinline]] constexpr zpp::bits::errc serialize(Archive& archive, T& either) {
  if constexpr (Archive::kind() == zpp::bits::kind::out) {
    if (const auto result = archive(std::byte(either.value.index())); failure(result)) return result;
    return std::visit([&](const auto& alternative) { return zpp::bits::errc(archive(alternative)); },
                      either.value);
  } else {
    std::byte number{};
    if (const auto result = archive(number); failure(result)) return result;
    return zpp_bits_codec::read_alternative(archive, either.value, std::to_integer<std::size_t>(number));
  }
}

}  // namespace serbench::domain

// The library has no std::vector<bool>, whose items are no references.
namespace zpp::bits {

template <class Archive, class List>
  requires std::same_as<std::remove_const_t<List>, std::vector<bool>>
constexpr errc serialize(Archive& archive, List& list) {
  std::vector<std::uint8_t> bytes;
  if constexpr (Archive::kind() == kind::out) {
    bytes.assign(list.begin(), list.end());
    return archive(bytes);
  } else {
    const errc result = archive(bytes);
    list.assign(bytes.begin(), bytes.end());
    return result;
  }
}
namespace traits {
using bits::serialize;  // the library looks for it here when it tells lists from types with a function
}

}  // namespace zpp::bits

namespace serbench {
namespace zpp_bits_codec {

/// Reads all bytes by read(archive).
template <class Read, class... Options>
void decode(Bytes bytes, Read read, Options... options) {
  zpp::bits::in in(bytes, std::move(options)...);
  read(in).or_throw();
  if (in.position() != bytes.size()) throw DecodeError("bytes are left");
}

template <class Root, class... Options>
struct Decoder {
  void decode(Bytes bytes, Root& root) {
    zpp_bits_codec::decode(bytes, [&](auto& in) { return in(unwrapped(root)); }, Options{}...);
  }
};

}  // namespace zpp_bits_codec

/// A buffer that grows.
template <class Root, class... Options>
struct ZppBitsAdapterOf {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      zpp::bits::out out(buffer_, Options{}...);
      out(unwrapped(root)).or_throw();
      return as_bytes(buffer_).first(out.position());
    }

   private:
    std::vector<std::byte> buffer_;
  };

  using Decoder = zpp_bits_codec::Decoder<Root, Options...>;
};

template <class Root>
using ZppBitsAdapter = ZppBitsAdapterOf<Root>;

/// Memory that never grows, more than any message takes. Its pages cost nothing until they are written.
template <class Root>
struct ZppBitsFixedAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      zpp::bits::out out(std::span(buffer_.get(), size));
      out(unwrapped(root)).or_throw();
      return Bytes(buffer_.get(), out.position());
    }

   private:
    static constexpr std::size_t size = 1 << 30;

    std::unique_ptr<std::byte[]> buffer_ = std::make_unique_for_overwrite<std::byte[]>(size);
  };

  using Decoder = zpp_bits_codec::Decoder<Root>;
};

#ifdef ZPP_BITS_INLINE_DECODE_VARINT  // of version 4; the versions before it have nothing of what follows

template <class Root>
using ZppBitsVarintAdapter = ZppBitsAdapterOf<Root, zpp::bits::size_varint>;

/// The members of a root, which the library takes for a struct that is declared a message of Protocol
/// Buffers. The domain type itself cannot be: it would be written so in every variant.
template <class Root>
struct ZppBitsMessage : decltype(tie(std::declval<Root&>())) {
  using Members = decltype(tie(std::declval<Root&>()));
  using serialize = zpp::bits::pb_members<std::tuple_size_v<Members>>;
  explicit ZppBitsMessage(Root & root) : Members(tie(root)) {}
};

template <class Root>
struct ZppBitsProtobufAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      zpp::bits::out out(buffer_);
      out(zpp::bits::unsized(ZppBitsMessage(root))).or_throw();
      return as_bytes(buffer_).first(out.position());
    }

   private:
    std::vector<std::byte> buffer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      ZppBitsMessage message(root);
      zpp_bits_codec::decode(bytes, [&](auto& in) { return in(zpp::bits::unsized(message)); });
    }
  };
};

#endif

}  // namespace serbench

#ifdef ZPP_BITS_INLINE_DECODE_VARINT
template <class Root>
struct std::tuple_size<serbench::ZppBitsMessage<Root>>
    : std::tuple_size<typename serbench::ZppBitsMessage<Root>::Members> {};
template <std::size_t index, class Root>
struct std::tuple_element<index, serbench::ZppBitsMessage<Root>>
    : std::tuple_element<index, typename serbench::ZppBitsMessage<Root>::Members> {};
#endif
