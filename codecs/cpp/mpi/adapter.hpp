// MPI_Pack and MPI_Unpack: values one after the other in a buffer, as a program packs them for MPI_Send.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "serbench/adapter.hpp"
#include "serbench/depth.hpp"
#include "serbench/shapes.hpp"

namespace serbench {
namespace mpi {

inline void check(int status) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int size = 0;
  MPI_Error_string(status, text, &size);
  throw LibraryError(std::string(text, static_cast<std::size_t>(size)));
}

/// MPI is started before its first use and by nothing but the process itself.
inline MPI_Comm started() {
  static const int status = [] {
    const int found = MPI_Init(nullptr, nullptr);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // the default ends the process
    std::atexit([] { MPI_Finalize(); });
    return found;
  }();
  check(status);
  return MPI_COMM_SELF;
}

template <class T>
MPI_Datatype type_of();

template <class T>
MPI_Datatype struct_of() {
  return apply_members(*std::make_unique<T>(), []<class... Members>(Members&... members) {
    constexpr int count = sizeof...(Members);
    const int lengths[] = {(static_cast<void>(members), 1)...};
    MPI_Aint offsets[count];
    MPI_Aint offset = 0;
    int index = 0;
    ((offsets[index++] = std::exchange(offset, offset + static_cast<MPI_Aint>(sizeof(Members)))), ...);
    const MPI_Datatype types[] = {type_of<Members>()...};
    MPI_Datatype made;
    check(MPI_Type_create_struct(count, lengths, offsets, types, &made));
    check(MPI_Type_commit(&made));
    return made;
  });
}

template <class T>
MPI_Datatype type_of() {
  if constexpr (Reflected<T>) {
    static const MPI_Datatype made = struct_of<T>();
    return made;
  } else if constexpr (std::is_enum_v<T>) {
    return type_of<std::underlying_type_t<T>>();
  } else if constexpr (std::same_as<T, char>) {
    return MPI_CHAR;
  } else if constexpr (std::same_as<T, float>) {
    return MPI_FLOAT;
  } else if constexpr (std::same_as<T, double>) {
    return MPI_DOUBLE;
  } else if constexpr (sizeof(T) == 1) {
    return std::is_signed_v<T> ? MPI_INT8_T : MPI_UINT8_T;
  } else if constexpr (sizeof(T) == 2) {
    return std::is_signed_v<T> ? MPI_INT16_T : MPI_UINT16_T;
  } else if constexpr (sizeof(T) == 4) {
    return std::is_signed_v<T> ? MPI_INT32_T : MPI_UINT32_T;
  } else {
    return std::is_signed_v<T> ? MPI_INT64_T : MPI_UINT64_T;
  }
}

/// A type whose values one call packs, alone or many of them. A bool goes as a number, since from wrong bytes
/// it could get another value.
template <class T>
concept Item = (Number<T> && !std::same_as<T, bool>) || (Reflected<T> && Packed<T>);

/// Items that lie one after the other.
template <class T>
concept Block = String<T> || ((List<T> || Array<T>) && Item<typename T::value_type>);

class Packer {
 public:
  void rewind() { position_ = 0; }
  Bytes packed() const {
    return std::as_bytes(std::span(buffer_.get(), static_cast<std::size_t>(position_)));
  }

  template <Back back = Back::no, class T>
  void pack(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      pack(std::uint8_t{value});
    } else if constexpr (Item<T>) {
      pack_items(&value, 1);
    } else if constexpr (Block<T>) {
      if constexpr (!Array<T>) pack_count(value.size());
      pack_items(value.data(), value.size());
    } else if constexpr (Reflected<T> || Union<T>) {
      if constexpr (Union<T>) pack_count(value.value.index());
      for_each_part(value, [this](const auto& part, auto part_back) { pack<part_back()>(part); });
    } else if constexpr (Pointer<T> && back == Back::never_null) {
      pack<back>(*value);
    } else if constexpr (Optional<T> || Pointer<T>) {
      pack(static_cast<bool>(value));
      if (value) pack<back>(*value);
    } else if constexpr (Map<T>) {
      pack_count(value.size());
      for (const auto& [key, mapped] : value) {
        pack(key);
        pack<back>(mapped);
      }
    } else {
      if constexpr (!Array<T>) pack_count(value.size());
      for (const auto& item : value) pack<back>(static_cast<const typename T::value_type&>(item));
    }
  }

 private:
  MPI_Comm comm_ = started();
  std::unique_ptr<char[]> buffer_;
  int capacity_ = 0;
  int position_ = 0;

  template <class T>
  void pack_items(const T* items, std::size_t count) {
    if (count == 0) return;
    if (count * sizeof(T) > static_cast<std::size_t>(capacity_ - position_)) grow(count * sizeof(T));
    check(
        MPI_Pack(items, static_cast<int>(count), type_of<T>(), buffer_.get(), capacity_, &position_, comm_));
  }

  void pack_count(std::size_t count) {
    if (count > std::numeric_limits<int>::max()) throw std::length_error("MPI counts with an int");
    const int narrow = static_cast<int>(count);
    pack_items(&narrow, 1);
  }

  void grow(std::size_t size) {
    const std::size_t used = static_cast<std::size_t>(position_);
    const std::size_t limit = std::numeric_limits<int>::max();
    if (used + size > limit) throw std::length_error("MPI packs at most 2 GiB");
    const std::size_t capacity = std::min(2 * (used + size) + 1024, limit);
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(buffer_.get(), used, grown.get());
    buffer_ = std::move(grown);
    capacity_ = static_cast<int>(capacity);
  }
};

class Unpacker {
 public:
  explicit Unpacker(Bytes bytes) : from_(bytes.data()), size_(static_cast<int>(bytes.size())) {
    if (bytes.size() > std::numeric_limits<int>::max()) throw DecodeError("MPI unpacks at most 2 GiB");
    if (bytes.empty()) throw DecodeError("there are no bytes");  // Open MPI unpacks anything from these
  }

  template <Back back = Back::no, class T>
  void unpack(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = unpacked<std::uint8_t>() != 0;
    } else if constexpr (Item<T>) {
      unpack_items(&value, 1);
    } else if constexpr (Block<T>) {
      if constexpr (!Array<T>) value.resize(unpack_count(sizeof(typename T::value_type)));
      unpack_items(value.data(), value.size());
    } else if constexpr ((Reflected<T> || Union<T>) && back != Back::no) {
      const Step step(depth_);
      unpack(value);
    } else if constexpr (Reflected<T>) {
      for_each_part(value, [this](auto& member, auto member_back) { unpack<member_back()>(member); });
    } else if constexpr (Union<T>) {
      choose(value, static_cast<std::size_t>(unpacked<int>()),
             [this](auto& chosen, auto chosen_back) { unpack<chosen_back()>(chosen); });
    } else if constexpr (Pointer<T>) {
      if (back == Back::never_null || unpacked<bool>()) {
        unpack<back>(pointee(value));
      } else {
        value.reset();
      }
    } else if constexpr (Optional<T>) {
      if (!unpacked<bool>()) {
        value.reset();
      } else {
        unpack<back>(value ? *value : value.emplace());
      }
    } else if constexpr (Map<T>) {
      value.clear();
      for (std::size_t left = unpack_count(1); left > 0; --left) {
        auto key = unpacked<typename T::key_type>();
        unpack<back>(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
      }
    } else if constexpr (std::same_as<T, std::vector<bool>>) {
      value.resize(unpack_count(1));
      for (auto item : value) item = unpacked<bool>();
    } else {
      if constexpr (!Array<T>) value.resize(unpack_count(is_empty<typename T::value_type>() ? 0 : 1));
      for (auto& item : value) unpack<back>(item);
    }
  }

  void finish() const {
    if (position_ != size_) throw DecodeError("bytes are left over");
  }

 private:
  MPI_Comm comm_ = started();
  const std::byte* from_;
  int size_;
  int position_ = 0;
  unsigned depth_ = 0;

  template <class T>
  void unpack_items(T* items, std::size_t count) {
    if (count == 0) return;
    check(MPI_Unpack(from_, size_, &position_, items, static_cast<int>(count), type_of<T>(), comm_));
  }

  template <class T>
  T unpacked() {
    T value;
    unpack(value);
    return value;
  }

  /// A count of items that take at least least_bytes each.
  std::size_t unpack_count(std::size_t least_bytes) {
    const auto count = static_cast<std::size_t>(unpacked<int>());
    const std::size_t most =
        least_bytes == 0 ? max_empty_items : static_cast<std::size_t>(size_ - position_) / least_bytes;
    if (count > most) throw DecodeError("a count exceeds the bytes left");
    return count;
  }
};

}  // namespace mpi

template <class Root>
struct MpiAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      packer_.rewind();
      packer_.pack(root);
      return packer_.packed();
    }

   private:
    mpi::Packer packer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      mpi::Unpacker unpacker(bytes);
      unpacker.unpack(root);
      unpacker.finish();
    }
  };
};

}  // namespace serbench
