// The code that a careful programmer writes without a library: numbers as they lie in memory, 8-byte counts,
// blocks copied whole; the size is computed first, so that writing needs room only once.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "serbench/adapter.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace handwritten {

using Count = std::uint64_t;
using Index = std::uint32_t;

/// Variable-length values whose items are copied as one block.
template <class T>
concept Block = String<T> || ByteString<T> || (List<T> && Packed<typename T::value_type>);

/// The most that can be written of a T, lists and maps with one item each, without the bytes of blocks and
/// what steps back lead to: what lies between two places that ask for room.
template <class T, Back back = Back::no>
constexpr std::size_t fixed_bytes() {
  if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
    return sizeof(T);
  } else if constexpr (Block<T> || std::same_as<T, std::vector<bool>>) {
    return sizeof(Count);
  } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
    return 0;
  } else if constexpr (Reflected<T>) {
    return []<class... Members, std::size_t... n>(std::type_identity<std::tuple<Members&...>>,
                                                  std::index_sequence<n...>) {
      return (fixed_bytes<Members, back_of<T, n>()>() + ... + 0);
    }(std::type_identity<decltype(tie(std::declval<T&>()))>{},
           std::make_index_sequence<Reflect<T>::fields.size()>{});
  } else if constexpr (Union<T>) {
    return []<class... Each>(std::type_identity<std::variant<Each...>>) {
      return sizeof(Index) + std::max({fixed_bytes<Each>()...});
    }(std::type_identity<VariantOf<T>>{});
  } else if constexpr (Alternative<T>) {
    if constexpr (Valued<T>) return fixed_bytes<decltype(T::value), back_of<T>()>();
    return 0;
  } else if constexpr (Pointer<T>) {
    return 1 + fixed_bytes<typename T::element_type, back>();
  } else if constexpr (Optional<T>) {
    return 1 + fixed_bytes<typename T::value_type, back>();
  } else if constexpr (Array<T>) {
    return std::tuple_size_v<T> * fixed_bytes<typename T::value_type, back>();
  } else if constexpr (Map<T>) {
    return sizeof(Count) + fixed_bytes<typename T::key_type>() + fixed_bytes<typename T::mapped_type, back>();
  } else {
    return sizeof(Count) + fixed_bytes<typename T::value_type, back>();
  }
}

/// Writes into a buffer that grows. Room is asked for where a size is known only then: before a block, before
/// each item of a list or map, and around each step back. Beyond what was asked for there is always room for
/// the numbers and counts up to the next such place.
template <class Root>
class Writer {
 public:
  Bytes write(const Root& root) {
    const std::byte* end = put(room(buffer_.get(), 0), root);
    return {buffer_.get(), end};
  }

 private:
  static constexpr std::size_t slack = fixed_bytes<Root>();

  std::unique_ptr<std::byte[]> buffer_;
  std::byte* limit_ = nullptr;  // the buffer's end less the slack

  std::byte* room(std::byte* at, std::size_t size) {
    if (limit_ - at < static_cast<std::ptrdiff_t>(size) || at == nullptr) [[unlikely]]
      return grow(at, size);
    return at;
  }

  [[gnu::noinline]] std::byte* grow(std::byte* at, std::size_t size) {
    const auto used = static_cast<std::size_t>(at - buffer_.get());
    const std::size_t capacity = 2 * used + size + slack + 1024;
    auto grown = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (used != 0) std::memcpy(grown.get(), buffer_.get(), used);
    buffer_ = std::move(grown);
    limit_ = buffer_.get() + capacity - slack;
    return buffer_.get() + used;
  }

  static std::byte* put_bytes(std::byte* at, const void* from, std::size_t size) {
    if (size != 0) std::memcpy(at, from, size);
    return at + size;
  }
  static std::byte* put_count(std::byte* at, Count count) { return put_bytes(at, &count, sizeof count); }

  /// Writes value at `at` and returns the end.
  template <Back back = Back::no, class T>
  std::byte* put(std::byte* at, const T& value) {
    if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
      return put_bytes(at, &value, sizeof value);
    } else if constexpr (Block<T>) {
      const std::size_t size = value.size() * sizeof(typename T::value_type);
      at = room(put_count(at, value.size()), size);
      return put_bytes(at, value.data(), size);
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      return room(put(room(at, 0), value), 0);
    } else if constexpr (Reflected<T> || Union<T>) {
      if constexpr (Union<T>) at = put(at, static_cast<Index>(value.value.index()));
      for_each_part(value, [&](const auto& part, auto part_back) { at = put<part_back()>(at, part); });
    } else if constexpr (Pointer<T> && back == Back::never_null) {
      at = put<back>(at, *value);
    } else if constexpr (Optional<T> || Pointer<T>) {
      at = put(at, static_cast<bool>(value));
      if (value) at = put<back>(at, *value);
    } else if constexpr (Map<T>) {
      at = put_count(at, value.size());
      for (const auto& [key, mapped] : value) at = put<back>(put(room(at, 0), key), mapped);
    } else if constexpr (std::same_as<T, std::vector<bool>>) {
      at = room(put_count(at, value.size()), value.size());
      for (const bool item : value) at = put(at, item);
    } else if constexpr (Array<T>) {
      for (const auto& item : value) at = put<back>(at, item);
    } else {
      at = put_count(at, value.size());
      for (const auto& item : value) at = put<back>(room(at, 0), item);
    }
    return at;
  }
};

/// Reads from front to back; `checked` refuses what does not fit the bytes that are left.
template <bool checked>
class Reader {
 public:
  explicit Reader(Bytes bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  template <Back back = Back::no, class T>
  void get(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = get_number<std::uint8_t>() != 0;
    } else if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
      value = get_number<T>();
    } else if constexpr (Block<T>) {
      const std::size_t size = get_count(sizeof(typename T::value_type));
      const std::byte* from = take(size * sizeof(typename T::value_type));
      if constexpr (String<T>) {
        value.assign(reinterpret_cast<const char*>(from), size);
      } else {
        value.resize(size);
        if (size != 0) std::memcpy(value.data(), from, size * sizeof(typename T::value_type));
      }
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      const Step step(depth_);
      get(value);
    } else if constexpr (Reflected<T>) {
      for_each_part(value, [this](auto& member, auto member_back) { get<member_back()>(member); });
    } else if constexpr (Union<T>) {
      choose(value, get_number<Index>(),
             [this](auto& chosen, auto chosen_back) { get<chosen_back()>(chosen); });
    } else if constexpr (Pointer<T>) {
      if (back == Back::never_null || get_number<std::uint8_t>() != 0) {
        get<back>(pointee(value));
      } else {
        value.reset();
      }
    } else if constexpr (Optional<T>) {
      if (get_number<std::uint8_t>() == 0) {
        value.reset();
      } else {
        if (!value) value.emplace();
        get<back>(*value);
      }
    } else if constexpr (Map<T>) {
      value.clear();
      for (std::size_t left = get_count(1); left > 0; --left) {
        typename T::key_type key;
        get(key);
        get<back>(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
      }
    } else if constexpr (std::same_as<T, std::vector<bool>>) {
      value.resize(get_count(1));
      for (auto item : value) item = get_number<std::uint8_t>() != 0;
    } else {
      if constexpr (!Array<T>) value.resize(get_count(is_empty<typename T::value_type>() ? 0 : 1));
      for (auto& item : value) get<back>(item);
    }
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  unsigned depth_ = 0;

  const std::byte* take(std::size_t size) {
    if constexpr (checked) {
      if (size > static_cast<std::size_t>(end_ - at_)) throw DecodeError("the bytes end early");
    }
    const std::byte* taken = at_;
    at_ += size;
    return taken;
  }

  template <class T>
  T get_number() {
    T number;
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }

  /// A count of items that take at least least_bytes each.
  std::size_t get_count(std::size_t least_bytes) {
    const auto count = get_number<Count>();
    if constexpr (checked) {
      const std::size_t most =
          least_bytes == 0 ? max_empty_items : static_cast<std::size_t>(end_ - at_) / least_bytes;
      if (count > most) throw DecodeError("a count exceeds the bytes left");
    }
    return count;
  }
};

}  // namespace handwritten

template <class Root, bool checked>
struct HandwrittenAdapterOf {
  class Encoder {
   public:
    Bytes encode(const Root& root) { return writer_.write(root); }

   private:
    handwritten::Writer<Root> writer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) { handwritten::Reader<checked>(bytes).get(root); }
  };
};

template <class Root>
using HandwrittenAdapter = HandwrittenAdapterOf<Root, true>;
template <class Root>
using HandwrittenUnsafeAdapter = HandwrittenAdapterOf<Root, false>;

}  // namespace serbench
