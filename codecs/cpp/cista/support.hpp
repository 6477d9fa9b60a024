// What the generated structs of every workload use: their conversions from and to domain objects, and the
// buffer that cista writes into.
#pragma once

#include <cista/serialization.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"
#include "serbench/walk.hpp"

namespace serbench::cista_codec {

/// A target for cista::serialize: a buffer that is kept from one message to the next. cista's own, which
/// holds a std::vector, would fill what it grows by with zeros first.
class Target {
 public:
  void rewind() { size_ = 0; }
  Bytes written() const { return {reinterpret_cast<const std::byte*>(begin_.get()), size_}; }

  cista::offset_t write(const void* from, std::size_t size, std::size_t alignment = 0) {
    const std::size_t start = alignment > 1 ? (size_ + alignment - 1) / alignment * alignment : size_;
    const std::size_t end = start + size;
    if (end > capacity_) [[unlikely]]
      grow(end);
    std::memset(begin_.get() + size_, 0, start - size_);
    std::memcpy(begin_.get() + start, from, size);
    size_ = end;
    return static_cast<cista::offset_t>(start);
  }

  /// A copy of the bytes in place of all.
  std::uint8_t* assign(Bytes bytes) {
    rewind();
    if (!bytes.empty()) write(bytes.data(), bytes.size());
    return begin_.get();
  }

  /// Overwrites what is at `position`, which was written before.
  template <class T>
  void write(std::size_t position, const T& value) {
    std::memcpy(begin_.get() + position, &value, sizeof value);
  }

  std::uint64_t checksum(cista::offset_t from) const {
    const auto start = static_cast<std::size_t>(from);
    return cista::hash(std::string_view(reinterpret_cast<const char*>(begin_.get()) + start, size_ - start));
  }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t[], Free>
      begin_;  // from malloc, so aligned for everything, and grown by realloc
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;

  [[gnu::noinline]] void grow(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>(2 * capacity_, needed + 1024);
    auto* grown = static_cast<std::uint8_t*>(std::realloc(begin_.get(), capacity));
    if (!grown) throw std::bad_alloc();
    static_cast<void>(begin_.release());
    begin_.reset(grown);
    capacity_ = capacity;
  }
};

/// Numbers lie in the bytes as they lie in memory and were copied with what holds them; cista's own function,
/// which also serves other byte orders, would write each of them a second time.
template <cista::mode mode, Number T>
void serialize(cista::serialization_context<Target, mode>&, const T*, cista::offset_t) {}

template <class T>
concept NativeRecord =
    requires(T& record) { record.cista_members(); } && !requires { typename T::first_type; };

template <NativeRecord T>
auto members(T& native) {
  return native.cista_members();
}
template <NativeRecord T>
auto members(const T& native) {
  return cista::to_tuple(native);
}

/// cista counts in 32 bits.
inline std::uint32_t count(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max() / 2)
    throw std::length_error("cista counts to 2^31 items");
  return static_cast<std::uint32_t>(size);
}

template <class Pointer>
void build(const std::string& from, cista::basic_string<Pointer>& to) {
  to.set_owning(from.data(), count(from.size()));
  if (to.size() == from.size()) return;
  // A short string ends at its first NUL, so this one is made as if it were long.
  to.reset();
  auto* text = static_cast<char*>(std::malloc(from.size()));
  if (!text) throw std::bad_alloc();
  std::memcpy(text, from.data(), from.size());
  to.h_.ptr_ = text;
  to.h_.size_ = static_cast<std::uint32_t>(from.size());
  to.h_.self_allocated_ = true;
}

/// As many items as `size`, those that were there kept for their memory. (cista's own resize forgets to
/// destroy items.)
template <class Vector>
void resize(Vector& vector, std::size_t size) {
  while (vector.size() > size) vector.pop_back();
  vector.resize(count(size));
}

/// A native value of a map whose type leads back to the map's: cista's maps ask for complete types.
template <class T, class Native>
concept Owned = (Reflected<T> || Union<T>) && requires(Native& native) { typename Native::value_t; };

/// Overwrites a native value by a domain value.
template <class From, class To>
void build(const From& from, To& to) {
  if constexpr (Number<From>) {
    to = from;
  } else if constexpr (Owned<From, To>) {
    if (!to) to = To(new typename To::value_t{});
    build(from, *to);
  } else if constexpr (Reflected<From>) {
    apply_members(from, [&](const auto&... domain) {
      std::apply([&](auto&... native) { (build(domain, native), ...); }, members(to));
    });
  } else if constexpr (Union<From>) {
    with_index<From>(from.value.index(), [&](auto n) {
      if (to.value.index() != n) {
        to.value.destruct();
        to.value.idx_ = to.value.NO_VALUE;
        std::memset(&to.value.storage_, 0, sizeof to.value.storage_);
        to.value.template emplace<n>();
      }
      const auto& chosen = *std::get_if<n>(&from.value);
      if constexpr (Valued<decltype(chosen)>) build(chosen.value, std::get<n>(to.value).value);
    });
  } else if constexpr (Array<From>) {
    for (std::size_t i = 0; i < from.size(); ++i) build(from[i], to[i]);
  } else if constexpr (Optional<From> || Pointer<From>) {
    if constexpr (requires { to.valid_; }) {
      if (!to.valid_) std::memset(to.storage_, 0, sizeof to.storage_);
      to.valid_ = from.has_value();
      if (from) build(*from, *to);
    } else if (from) {
      if (!to) to = To(new typename To::value_t{});
      build(*from, *to);
    } else {
      to = nullptr;
    }
  } else if constexpr (Map<From>) {
    to.clear();
    for (const auto& [key, value] : from) {
      typename To::entry_t entry;
      build(key, entry.first);
      build(value, to.emplace(std::move(entry)).first->second);
    }
  } else if constexpr (ByteString<From> || Packed<typename From::value_type>) {
    static_assert(sizeof(typename From::value_type) == sizeof(typename To::value_type));
    to.reserve(count(from.size()));
    to.used_size_ = count(from.size());  // without filling them with zeros first, as resize would
    if (!from.empty()) std::memcpy(static_cast<void*>(to.data()), from.data(), from.size() * sizeof(from[0]));
  } else {
    resize(to, from.size());
    auto* item = to.data();
    for (const auto& each : from) build(static_cast<const typename From::value_type&>(each), *item++);
  }
}

/// Overwrites a domain value by a native value. `depth` counts the steps back that are inside each other.
template <Back back = Back::no, class From, class To>
void extract(const From& from, To& to, unsigned& depth) {
  if constexpr (std::same_as<To, bool>) {
    // cista does not check them, and a bool that is neither false nor true must not be read as one.
    const auto byte = *reinterpret_cast<const std::uint8_t*>(&from);
    if (byte > 1) throw DecodeError("a bool has the value " + std::to_string(byte));
    to = byte != 0;
  } else if constexpr (DomainEnum<To>) {
    to = glue::number<To>(static_cast<std::underlying_type_t<To>>(from));
  } else if constexpr (Number<To>) {
    to = from;
  } else if constexpr (String<To>) {
    to.assign(from.data(), from.size());
  } else if constexpr (Owned<To, From>) {
    if (!from) throw DecodeError("a pointer is null");
    extract<back>(*from, to, depth);
  } else if constexpr ((Reflected<To> || Union<To>) && back != Back::no) {
    const Step step(depth);
    extract(from, to, depth);
  } else if constexpr (Reflected<To>) {
    [[maybe_unused]] const auto natives = members(from);
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      [[maybe_unused]] const auto domain = tie(to);
      (extract<back_of<To, n>()>(std::get<n>(natives), std::get<n>(domain), depth), ...);
    }(std::make_index_sequence<Reflect<To>::fields.size()>());
  } else if constexpr (Union<To>) {
    with_index<To>(from.value.index(), [&](auto n) {
      const auto& native = std::get<n>(from.value);
      auto& chosen = made_alternative<n>(to);
      using Chosen = std::remove_reference_t<decltype(chosen)>;
      if constexpr (Valued<Chosen>) extract<back_of<Chosen>()>(native.value, chosen.value, depth);
    });
  } else if constexpr (Array<To>) {
    for (std::size_t i = 0; i < to.size(); ++i) extract<back>(from[i], to[i], depth);
  } else if constexpr (Optional<To> || Pointer<To>) {
    if (from) {
      extract<back>(*from, glue::engaged(to), depth);
    } else if (!Nullable<To, back>) {
      throw DecodeError("a pointer is null");
    } else {
      to.reset();
    }
  } else if constexpr (Map<To>) {
    using Key = typename To::key_type;
    glue::FilledMap<Key, typename To::mapped_type, glue::Keys::unordered> filled(to);
    for (const auto& [native_key, value] : from) {
      Key key;
      extract(native_key, key, depth);
      extract<back>(value, filled[std::move(key)], depth);
    }
  } else if constexpr (ByteString<To> || Packed<typename To::value_type>) {
    const auto* items = reinterpret_cast<const typename To::value_type*>(from.data());
    to.assign(items, items + from.size());
  } else if constexpr (std::same_as<To, std::vector<bool>>) {
    to.resize(from.size());
    auto item = to.begin();
    for (const bool& each : from) {
      bool value;
      extract(each, value, depth);
      *item++ = value;
    }
  } else {
    to.resize(from.size());
    const auto* item = from.data();
    for (auto& each : to) extract<back>(*item++, each, depth);
  }
}
template <class From, class To>
void extract(const From& from, To& to) {
  unsigned depth = 0;
  extract(from, to, depth);
}

/// The sum over a native value that stands for a T.
template <class T, Back back = Back::no, class From>
Checksum traverse(const From& native) {
  if constexpr (Number<T>) {
    return checksum_of(native);
  } else if constexpr (String<T>) {
    return checksum_of(native.view());
  } else if constexpr (FixedBytes<T>) {
    return checksum_of(as_bytes(native));
  } else if constexpr (Owned<T, From>) {
    return traverse<T>(*native);
  } else if constexpr (Reflected<T>) {
    const auto natives = members(native);
    return []<class... Members, std::size_t... n>(std::type_identity<std::tuple<Members&...>>,
                                                  const auto& natives, std::index_sequence<n...>) {
      return (Checksum{0} + ... + traverse<Members, back_of<T, n>()>(std::get<n>(natives)));
    }(std::type_identity<decltype(tie(std::declval<T&>()))>(), natives,
           std::make_index_sequence<Reflect<T>::fields.size()>());
  } else if constexpr (Union<T>) {
    Checksum sum = native.value.index();
    with_index<T>(sum, [&](auto n) {
      using Chosen = std::variant_alternative_t<n, VariantOf<T>>;
      if constexpr (Valued<Chosen>) {
        sum += traverse<decltype(Chosen::value), back_of<Chosen>()>(std::get<n>(native.value).value);
      }
    });
    return sum;
  } else if constexpr (Pointer<T> && back == Back::never_null) {
    return traverse<typename T::element_type, back>(*native);
  } else if constexpr (Pointer<T>) {
    return native ? 1 + traverse<typename T::element_type, back>(*native) : 0;
  } else if constexpr (Optional<T>) {
    return native ? 1 + traverse<typename T::value_type, back>(*native) : 0;
  } else if constexpr (Map<T>) {
    Checksum sum = native.size();
    for (const auto& [key, value] : native) {
      sum += traverse<typename T::key_type>(key) + traverse<typename T::mapped_type, back>(value);
    }
    return sum;
  } else {
    Checksum sum = Array<T> ? 0 : native.size();
    for (const auto& item : native) sum += traverse<typename T::value_type, back>(item);
    return sum;
  }
}

}  // namespace serbench::cista_codec
