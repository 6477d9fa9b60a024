// yas: binary archives without a header over memory or standard streams.
#pragma once

#include <yas/binary_iarchive.hpp>
#include <yas/binary_oarchive.hpp>
#include <yas/mem_streams.hpp>
#include <yas/std_streams.hpp>
#include <yas/types/std/array.hpp>
#include <yas/types/std/map.hpp>
#include <yas/types/std/optional.hpp>
#include <yas/types/std/string.hpp>
#include <yas/types/std/vector.hpp>

#include <memory>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"
#include "serbench/streams.hpp"

namespace serbench::domain {  // schemas may have a type of any name here, Union for one

template <class Archive, serbench::Reflected T>
void serialize(Archive& archive, T& record) {
  for_each_member(record, [&](auto& member) __attribute__((always_inline)) { archive & member; });
}

/// As yas writes a std::variant. Its own code knows at most 20 alternatives and passes over an index that is
/// none's.
template <class Archive, serbench::Union T>
void serialize(Archive& archive, T& value) {
  auto index = static_cast<std::uint8_t>(value.value.index());
  archive & index;
  const auto serialize_chosen = [&](auto& chosen, auto) { archive & chosen; };
  if constexpr (yas::is_readable_archive<Archive>::value) {
    choose(value, index, serialize_chosen);
  } else {
    for_each_part(value, serialize_chosen);
  }
}

}  // namespace serbench::domain

// These take the place of yas's own serializers where yas 7.1 and 7.2 leave what the destination held.
namespace yas::detail {

/// yas leaves a list as it was where the count is 0.
template <std::size_t F, class T>
struct serializer<type_prop::not_a_fundamental, ser_case::use_internal_serializer, F, std::vector<T>> {
  template <class Archive>
  static Archive& save(Archive& archive, const std::vector<T>& list) {
    return concepts::array::save<F>(archive, list);
  }
  template <class Archive>
  static Archive& load(Archive& archive, std::vector<T>& list) {
    constexpr bool is_block = can_be_processed_as_byte_array<F, T>::value && !std::is_same_v<T, bool>;
    list.resize(archive.read_seq_size());
    if (!list.empty()) concepts::array::load_array(archive, list, std::bool_constant<is_block>{});
    return archive;
  }
};

/// yas adds to what is in a map.
template <std::size_t F, class Key, class Value>
struct serializer<type_prop::not_a_fundamental, ser_case::use_internal_serializer, F, std::map<Key, Value>> {
  template <class Archive>
  static Archive& save(Archive& archive, const std::map<Key, Value>& map) {
    return concepts::keyval::save<F>(archive, map);
  }
  template <class Archive>
  static Archive& load(Archive& archive, std::map<Key, Value>& map) {
    map.clear();
    return concepts::keyval::load<F>(archive, map);
  }
};

/// yas knows no pointers.
template <std::size_t F, class T>
struct serializer<type_prop::not_a_fundamental, ser_case::use_internal_serializer, F, std::unique_ptr<T>> {
  template <class Archive>
  static Archive& save(Archive& archive, const std::unique_ptr<T>& pointer) {
    archive& static_cast<bool>(pointer);
    if (pointer) archive&* pointer;
    return archive;
  }
  template <class Archive>
  static Archive& load(Archive& archive, std::unique_ptr<T>& pointer) {
    bool present = false;
    archive & present;
    if (present) {
      archive& serbench::pointee(pointer);
    } else {
      pointer.reset();
    }
    return archive;
  }
};

/// yas leaves the upper bytes of an unsigned number as they were where compacted ones leave them out.
template <std::size_t F, class T>
  requires(bool(F & yas::compacted) && std::unsigned_integral<T> && sizeof(T) > 1)
struct serializer<type_prop::is_fundamental, ser_case::use_internal_serializer, F, T> {
  template <class Archive>
  static Archive& save(Archive& archive, T number) {
    archive.write(number);
    return archive;
  }
  template <class Archive>
  static Archive& load(Archive& archive, T& number) {
    number = 0;
    archive.read(number);
    return archive;
  }
};

}  // namespace yas::detail

namespace serbench {
namespace yas_codec {

/// yas reads the first byte of a compacted number even where there is none.
struct CheckedInput : yas::mem_istream {
  using yas::mem_istream::mem_istream;
  char getch() {
    if (empty()) throw DecodeError("the bytes end early");
    return yas::mem_istream::getch();
  }
};

/// A stream over memory that can be positioned, by which yas finds out its length.
class SeekableBuffer : public detail::InputBuffer {
 public:
  using detail::InputBuffer::InputBuffer;

 protected:
  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {
    char* base = from == std::ios::beg ? eback() : from == std::ios::cur ? gptr() : egptr();
    if (offset < eback() - base || offset > egptr() - base) return pos_type(off_type(-1));
    setg(eback(), base + offset, egptr());
    return gptr() - eback();
  }
  pos_type seekpos(pos_type position, std::ios::openmode mode) override {
    return seekoff(position, std::ios::beg, mode);
  }
};

template <std::size_t flags, class Stream, class Root>
void save(Stream& stream, const Root& root) {
  yas::binary_oarchive<Stream, flags> archive(stream);
  archive& unwrapped(root);
}

template <std::size_t flags, class Stream, class Root>
void load(Stream& stream, Root& root) {
  yas::binary_iarchive<Stream, flags> archive(stream);
  archive& unwrapped(root);
  if (!stream.empty()) throw DecodeError("bytes are left");
}

}  // namespace yas_codec

template <class Root, std::size_t flags>
struct YasMemoryAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      yas::mem_ostream stream(buffer_);
      yas::binary_oarchive<yas::mem_ostream, flags> archive(stream);
      archive& unwrapped(root);
      const auto written = stream.get_intrusive_buffer();
      if (written.data != buffer_.data.get()) [[unlikely]]
        buffer_ = stream.get_shared_buffer();  // it has grown
      return std::as_bytes(std::span(written.data, written.size));
    }

   private:
    yas::shared_buffer buffer_{20 * 1024};  // as much as yas reserves by default
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      yas_codec::CheckedInput stream(bytes.data(), bytes.size());
      yas_codec::load<flags>(stream, root);
    }
  };
};

template <class Root>
using YasAdapter = YasMemoryAdapter<Root, yas::binary | yas::no_header>;
template <class Root>
using YasCompactedAdapter = YasMemoryAdapter<Root, yas::binary | yas::no_header | yas::compacted>;

template <class Root>
struct YasStreamAdapter {
  static constexpr std::size_t flags = yas::binary | yas::no_header;

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      output_.rewind();
      yas::std_ostream_adapter stream(output_.stream());
      yas_codec::save<flags>(stream, root);
      return output_.written();
    }

   private:
    MemoryOutput output_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      yas_codec::SeekableBuffer buffer(bytes);
      std::istream input(&buffer);
      yas::std_istream_adapter stream(input);
      yas_codec::load<flags>(stream, root);
    }
  };
};

}  // namespace serbench
