// libcbor: the streaming encoder and decoder, item by item, without a tree between.
#pragma once

#include <cbor.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "serbench/adapter.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace libcbor {

class Writer {
 public:
  void rewind() { used_ = 0; }
  Bytes written() const { return std::as_bytes(std::span(bytes_.get(), used_)); }

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::same_as<T, bool>) {
      item(cbor_encode_bool, value);
    } else if constexpr (std::same_as<T, float>) {
      item(cbor_encode_single, value);
    } else if constexpr (std::same_as<T, double>) {
      item(cbor_encode_double, value);
    } else if constexpr (Number<T>) {
      if (value < 0) {
        item(cbor_encode_negint, static_cast<std::uint64_t>(-1 - static_cast<std::int64_t>(value)));
      } else {
        item(cbor_encode_uint, static_cast<std::uint64_t>(value));
      }
    } else if constexpr (String<T> || std::same_as<T, std::string_view>) {
      item(cbor_encode_string_start, value.size());
      raw(value.data(), value.size());
    } else if constexpr (OctetSequence<T>) {
      item(cbor_encode_bytestring_start, value.size());
      raw(value.data(), value.size());
    } else if constexpr (Reflected<T>) {
      item(cbor_encode_map_start, Reflect<T>::fields.size());
      for_each_field(value, [this](std::string_view name, const auto& member) {
        put(name);
        put(member);
      });
    } else if constexpr (Union<T>) {
      item(cbor_encode_map_start, 1);
      put(name_of(value));
      const auto put_chosen = [this]<class A>(const A& chosen) {
        if constexpr (Valued<A>) {
          put(chosen.value);
        } else {
          item(cbor_encode_null);
        }
      };
      std::visit(put_chosen, value.value);
    } else if constexpr (Optional<T> || Pointer<T>) {
      value ? put(*value) : item(cbor_encode_null);
    } else if constexpr (Map<T>) {
      item(cbor_encode_map_start, value.size());
      for (const auto& [key, mapped] : value) {
        put(key);
        put(mapped);
      }
    } else {
      static_assert(List<T> || Array<T>);
      item(cbor_encode_array_start, value.size());
      for (const auto& item : value) put(static_cast<const typename T::value_type&>(item));
    }
  }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;

  /// Calls one of the library's encoders, which return 0 where there is not enough room.
  template <class Encode, class... Value>
  void item(Encode encode, Value... value) {
    std::size_t size = encode(value..., bytes_.get() + used_, capacity_ - used_);
    if (size == 0) [[unlikely]] {
      grow(16);
      size = encode(value..., bytes_.get() + used_, capacity_ - used_);
    }
    used_ += size;
  }

  void raw(const void* from, std::size_t size) {
    if (size == 0) return;
    if (size > capacity_ - used_) grow(size);
    std::memcpy(bytes_.get() + used_, from, size);
    used_ += size;
  }

  void grow(std::size_t room) {
    capacity_ = 2 * capacity_ + room;
    auto grown = std::make_unique_for_overwrite<unsigned char[]>(capacity_);
    if (used_ != 0) std::memcpy(grown.get(), bytes_.get(), used_);
    bytes_ = std::move(grown);
  }
};

enum class Kind {
  other,
  uint,
  negint,
  boolean,
  null,
  single,
  wide,
  text,
  bytes,
  array,
  map,
  // the same of indefinite length: chunks, items or pairs follow up to a break
  open_text,
  open_bytes,
  open_array,
  open_map,
  end
};

constexpr Kind opened(Kind kind) {
  return Kind(static_cast<int>(kind) + static_cast<int>(Kind::open_text) - static_cast<int>(Kind::text));
}

/// The item that the decoder met: its head, and the bytes of a string.
struct Item {
  Kind kind = Kind::other;
  std::uint64_t number = 0;  ///< a value or a count
  double floating = 0;
  cbor_data data = nullptr;
};

inline constexpr auto ignore = [](void*, auto...) {};
template <Kind kind>
inline constexpr auto note = [](void* item, auto... number) {
  *static_cast<Item*>(item) = {kind, (std::uint64_t{0} | ... | static_cast<std::uint64_t>(number))};
};
template <Kind kind>
inline constexpr auto note_float =
    [](void* item, auto number) { *static_cast<Item*>(item) = {kind, 0, number}; };
template <Kind kind>
inline constexpr auto note_string =
    [](void* item, cbor_data data, auto size) { *static_cast<Item*>(item) = {kind, size, 0, data}; };

/// An item that is never written is ignored here, and refused by code that expects something else.
inline constexpr cbor_callbacks callbacks{
    .uint8 = note<Kind::uint>,
    .uint16 = note<Kind::uint>,
    .uint32 = note<Kind::uint>,
    .uint64 = note<Kind::uint>,
    .negint64 = note<Kind::negint>,
    .negint32 = note<Kind::negint>,
    .negint16 = note<Kind::negint>,
    .negint8 = note<Kind::negint>,
    .byte_string_start = note<Kind::open_bytes>,
    .byte_string = note_string<Kind::bytes>,
    .string = note_string<Kind::text>,
    .string_start = note<Kind::open_text>,
    .indef_array_start = note<Kind::open_array>,
    .array_start = note<Kind::array>,
    .indef_map_start = note<Kind::open_map>,
    .map_start = note<Kind::map>,
    .tag = ignore,
    .float2 = note_float<Kind::single>,  // which has each number of 16 bits too
    .float4 = note_float<Kind::single>,
    .float8 = note_float<Kind::wide>,
    .undefined = ignore,
    .null = note<Kind::null>,
    .boolean = note<Kind::boolean>,
    .indef_break = note<Kind::end>,
};

class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  template <Back back = Back::no, class T>
  void get(T& value) {
    get<back>(next(), value);
  }

 private:
  Bytes rest_;
  unsigned depth_ = 0;
  std::string chunks_;  // of the string of indefinite length that was read last

  Item next() {
    Item item;
    const auto* bytes = reinterpret_cast<cbor_data>(rest_.data());
    const cbor_decoder_result result = cbor_stream_decode(bytes, rest_.size(), &callbacks, &item);
    if (result.status != CBOR_DECODER_FINISHED)
      throw LibraryError("libcbor refuses the bytes, or they end early");
    rest_ = rest_.subspan(result.read);
    return item;
  }

  static void expect(const Item& item, Kind kind) {
    if (item.kind != kind) [[unlikely]]
      throw DecodeError("an item is not of the CBOR type that is expected");
  }

  /// The bytes of a string; those of all its chunks where it is of indefinite length.
  std::string_view string(const Item& item, Kind kind) {
    if (item.kind == opened(kind)) [[unlikely]] {
      chunks_.clear();
      read_open([&](const Item& chunk) { chunks_ += string_of(chunk, kind); });
      return chunks_;
    }
    return string_of(item, kind);
  }

  static std::string_view string_of(const Item& item, Kind kind) {
    expect(item, kind);
    return {reinterpret_cast<const char*>(item.data), item.number};
  }

  /// Calls read() with each item up to a break.
  template <class Read>
  void read_open(Read&& read) {
    for (Item item = next(); item.kind != Kind::end; item = next()) read(item);
  }

  /// A count of items, each of which takes at least one byte.
  std::size_t count(const Item& item, Kind kind) const {
    expect(item, kind);
    if (item.number > rest_.size()) throw DecodeError("a count exceeds the bytes left");
    return item.number;
  }

  /// Reads, by read(), an array or map of as many items as are known, by check(count), or of indefinite
  /// length.
  template <class Check, class Read>
  void exactly(const Item& item, Kind kind, Check&& check, Read&& read) {
    const bool open = item.kind == opened(kind);
    if (!open) check(count(item, kind));
    read();
    if (open) expect(next(), Kind::end);
  }

  template <Number T>
  static T number_of(const Item& item) {
    if constexpr (std::is_enum_v<T>) {
      return glue::number<T>(number_of<std::underlying_type_t<T>>(item));
    } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
      if (std::same_as<T, float> || item.kind != Kind::wide) expect(item, Kind::single);
      return static_cast<T>(item.floating);
    } else if constexpr (std::same_as<T, bool>) {
      expect(item, Kind::boolean);
      return item.number != 0;
    } else if (item.kind == Kind::negint && item.number <= std::numeric_limits<std::int64_t>::max()) {
      const auto number = -1 - static_cast<std::int64_t>(item.number);
      if constexpr (std::unsigned_integral<T>) glue::refuse(number);
      return glue::number<T>(number);
    } else {
      expect(item, Kind::uint);
      if constexpr (std::signed_integral<T>) {
        if (item.number > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
          glue::refuse(item.number);
      }
      return glue::number<T>(item.number);
    }
  }

  /// The name of a field or alternative.
  std::string_view name() { return string(next(), Kind::text); }

  template <Back back = Back::no, class T>
  void get(const Item& item, T& value) {
    if constexpr (Number<T>) {
      value = number_of<T>(item);
    } else if constexpr (String<T>) {
      const std::string_view text = string(item, Kind::text);
      value.assign(text.data(), text.size());
    } else if constexpr (OctetSequence<T>) {
      const std::string_view bytes = string(item, Kind::bytes);
      const auto* items = reinterpret_cast<const typename T::value_type*>(bytes.data());
      if constexpr (Array<T>) {
        glue::check_count(bytes.size(), value);
        std::copy_n(items, value.size(), value.begin());
      } else {
        value.assign(items, items + bytes.size());
      }
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      const Step step(depth_);
      get(item, value);
    } else if constexpr (Reflected<T>) {
      const auto check = [](std::size_t count) { glue::check_length(count, Reflect<T>::fields.size()); };
      exactly(item, Kind::map, check, [&] {
        for_each_named_part(value, [this](std::string_view expected, auto& member, auto member_back) {
          if (name() != expected)
            throw DecodeError("a field has another name, expected " + std::string(expected));
          get<member_back()>(member);
        });
      });
    } else if constexpr (Union<T>) {
      const auto check = [](std::size_t count) { glue::check_length(count, 1); };
      exactly(item, Kind::map, check, [&] {
        choose_alternative(value, index_of<T>(name()), [this]<class A>(A& chosen) {
          if constexpr (Valued<A>) {
            get<back_of<A>()>(chosen.value);
          } else {
            expect(next(), Kind::null);
          }
        });
      });
    } else if constexpr (Optional<T> || Pointer<T>) {
      if (Nullable<T, back> && item.kind == Kind::null) {
        value.reset();
      } else {
        get<back>(item, glue::engaged(value));
      }
    } else if constexpr (Map<T>) {
      glue::FilledMap<typename T::key_type, typename T::mapped_type, glue::Keys::ascending> map(value);
      const auto get_pair = [&](const Item& first) {
        typename T::key_type key;
        get(first, key);
        get<back>(map[std::move(key)]);
      };
      if (item.kind == Kind::open_map) [[unlikely]] {
        read_open(get_pair);
      } else {
        for (std::size_t left = count(item, Kind::map); left > 0; --left) get_pair(next());
      }
    } else if constexpr (Array<T>) {
      const auto check = [&](std::size_t count) { glue::check_count(count, value); };
      exactly(item, Kind::array, check, [&] { get_each<back>(value); });
    } else if (item.kind == Kind::open_array) [[unlikely]] {
      value.clear();
      read_open([&](const Item& first) {
        typename T::value_type each{};
        get<back>(first, each);
        value.push_back(std::move(each));
      });
    } else {
      value.resize(count(item, Kind::array));
      get_each<back>(value);
    }
  }

  /// Into items that are there already.
  template <Back back, class T>
  void get_each(T& value) {
    if constexpr (Number<typename T::value_type>) {
      for (auto&& each : value) each = number_of<typename T::value_type>(next());
    } else {
      for (auto& each : value) get<back>(each);
    }
  }
};

}  // namespace libcbor

template <class Root>
struct LibcborAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      writer_.rewind();
      writer_.put(unwrapped(root));
      return writer_.written();
    }

   private:
    libcbor::Writer writer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      libcbor::Reader reader(bytes);
      reader.get(unwrapped(root));
      if (!reader.at_end()) throw DecodeError("bytes are left over");
    }
  };
};

}  // namespace serbench
