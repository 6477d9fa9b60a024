// What the generated glue of every workload uses.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/convert.hpp"
#include "serbench/shapes.hpp"

namespace serbench::glue {

/// How many tables may be inside each other; glue raises it for types that lead back to themselves.
template <class Root>
inline constexpr int nesting_limit = flatbuffers::Verifier::Options().max_depth;

/// An absent vector is an empty one.
template <class Item>
const flatbuffers::Vector<Item>& or_empty(const flatbuffers::Vector<Item>* vector) {
  static constexpr flatbuffers::uoffset_t none = 0;  // a vector begins with its length
  return vector ? *vector : *reinterpret_cast<const flatbuffers::Vector<Item>*>(&none);
}

template <class Items>
concept Contiguous = List<Items> || Array<Items>;

/// A builder that also keeps room for the offsets of tables which wait for their vector.
class Builder : public flatbuffers::FlatBufferBuilder {
 public:
  /// A vector of tables; create(item) makes each and may itself make vectors.
  template <class Table, class Items, class Create>
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>> CreateVectorOfTables(
      const Items& items, Create&& create) {
    const std::size_t first = offsets_.size();
    for (const auto& item : items) {
      const flatbuffers::Offset<Table> offset = create(item);
      offsets_.push_back(offset.o);
    }
    const std::size_t count = offsets_.size() - first;
    StartVector(count, sizeof(flatbuffers::uoffset_t));
    for (std::size_t left = count; left > 0; --left) {
      PushElement(flatbuffers::Offset<Table>(offsets_.back()));
      offsets_.pop_back();
    }
    return flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>>(EndVector(count));
  }

  /// A vector of structs; create(item) makes each.
  template <class Struct, class Items, class Create>
  flatbuffers::Offset<flatbuffers::Vector<const Struct*>> CreateVectorOfStructsFrom(const Items& items,
                                                                                    Create create) {
    auto item = items.begin();
    const auto fill = [create](std::size_t, Struct* to, auto* from) { *to = create(*(*from)++); };
    return CreateVectorOfStructs<Struct>(items.size(), fill, &item);
  }

  /// A vector of structs that lie in memory as they do in the buffer.
  template <class Struct, Contiguous Items>
  flatbuffers::Offset<flatbuffers::Vector<const Struct*>> CreateVectorOfPackedStructs(const Items& items) {
    static_assert(Packed<typename Items::value_type> && sizeof(Struct) == sizeof(typename Items::value_type));
    return CreateVectorOfStructs(reinterpret_cast<const Struct*>(items.data()), items.size());
  }

  template <class Enum, Contiguous Items>
  flatbuffers::Offset<flatbuffers::Vector<Enum>> CreateVectorOfEnums(const Items& items) {
    static_assert(sizeof(Enum) == sizeof(typename Items::value_type));
    return CreateVector(reinterpret_cast<const Enum*>(items.data()), items.size());
  }

  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> CreateBytes(const std::vector<std::byte>& bytes) {
    return CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }

 private:
  std::vector<flatbuffers::uoffset_t> offsets_;
};

/// -0.0 equals the default 0.0, which the builder leaves out unless it is told to keep defaults.
template <class Float>
bool is_negative_zero(Float number) {
  return number == 0 && std::signbit(number);
}

/// The value of an optional, made where it is absent.
template <class T>
T& present(std::optional<T>& value) {
  return value ? *value : value.emplace();
}

template <class T>
T& present(std::unique_ptr<T>& value) {
  return pointee(value);
}

/// A struct that holds bytes of a fixed number.
template <class Struct, std::size_t N>
Struct make_fixed(const std::array<std::byte, N>& bytes) {
  return Struct(
      flatbuffers::span<const std::uint8_t, N>(reinterpret_cast<const std::uint8_t*>(bytes.data()), N));
}

/// create(item) for each item of an array.
template <class To, class From, std::size_t N, class Create>
std::array<To, N> each(const std::array<From, N>& items, Create create) {
  std::array<To, N> made;
  for (std::size_t i = 0; i < N; ++i) made[i] = create(items[i]);
  return made;
}

/// The numbers or enums of a vector, which lie in the buffer as they lie in memory; none where it is absent.
template <class T>
std::span<const T> numbers_of(const flatbuffers::Vector<T>* items) {
  return items ? std::span(items->data(), items->size()) : std::span<const T>();
}

inline void assign(const flatbuffers::String* from, std::string& to) {
  if (from) {
    to.assign(from->data(), from->size());
  } else {
    to.clear();
  }
}

inline void assign(const flatbuffers::Vector<std::uint8_t>* from, std::vector<std::byte>& to) {
  const auto bytes = std::as_bytes(numbers_of(from));
  to.assign(bytes.begin(), bytes.end());
}

template <class From, class To>
void assign(const flatbuffers::Vector<From>* from, std::vector<To>& to) {
  const auto items = numbers_of(from);
  to.assign(items.begin(), items.end());
}

/// Structs of numbers without padding lie in the buffer as the domain's do in memory.
template <class From, Packed To>
void assign(const flatbuffers::Vector<const From*>* from, std::vector<To>& to) {
  static_assert(sizeof(From) == sizeof(To));
  to.resize(flatbuffers::VectorLength(from));
  if (!to.empty()) std::memcpy(to.data(), from->Data(), to.size() * sizeof(To));
}

template <class T>
void require_length(const flatbuffers::Vector<T>* items, std::size_t length) {
  check_length(flatbuffers::VectorLength(items), length);
}

template <class To, class From>
flatbuffers::Optional<To> optional_enum(std::optional<From> from) {
  return from ? flatbuffers::Optional<To>(static_cast<To>(*from)) : flatbuffers::nullopt;
}

/// The number as the domain's enum, which the verifier does not check.
template <class To, class From>
To enum_cast(From from) {
  const auto number = static_cast<std::underlying_type_t<To>>(from);
  if (!ReflectEnum<To>::contains(number))
    throw DecodeError("an enum has the value " + std::to_string(number));
  return static_cast<To>(number);
}

inline Checksum traverse(const flatbuffers::String* text) {
  return text ? checksum_of(std::string_view(text->data(), text->size())) : 0;
}

/// The sum of numbers, without their count.
template <class T>
Checksum traverse_numbers(const flatbuffers::Vector<T>* items) {
  Checksum sum = 0;
  for (const auto item : numbers_of(items)) sum += checksum_of(item);
  return sum;
}

template <class T>
Checksum traverse(const flatbuffers::Vector<T>* numbers) {
  return flatbuffers::VectorLength(numbers) + traverse_numbers(numbers);
}

}  // namespace serbench::glue
