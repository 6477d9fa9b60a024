// HPX's serialization archives, which need no running HPX.
#pragma once

#include <hpx/datastructures/serialization/optional.hpp>
#include <hpx/serialization.hpp>

#include <concepts>
#include <cstring>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"

namespace serbench::hpx_archive {

/// HPX leaves a pointer what it was where it reads that there is none.
template <class T>
void reset_pointers(T& member) {
  if constexpr (Pointer<T>) {
    member.reset();
  } else if constexpr (Array<T> && HoldsPointers<T>) {
    for (auto& item : member) reset_pointers(item);
  }
}

}  // namespace serbench::hpx_archive

namespace serbench::domain {  // schemas may have a type of any name here, Union for one

template <class Archive, serbench::Struct T>
  requires(!serbench::Packed<T>)
void serialize(Archive& archive, T& record, unsigned) {
  for_each_member(record, [&](auto& member) {
    if constexpr (std::same_as<Archive, hpx::serialization::input_archive>)
      serbench::hpx_archive::reset_pointers(member);
    archive & member;
  });
}

}  // namespace serbench::domain

// HPX copies what is trivially copyable. Where that has padding or a bool in it, bytes would be written that
// nobody set and read that no bool may have.
template <serbench::Struct T>
struct hpx::traits::is_bitwise_serializable<T> : std::bool_constant<serbench::Packed<T>> {};
template <class T>
struct hpx::traits::is_bitwise_serializable<std::optional<T>> : std::false_type {};

namespace serbench {
namespace hpx_archive {

using Chunk = hpx::serialization::serialization_chunk;
using Word = std::uint64_t;

/// Without chunks it is the archive alone, else what a program that sends the chunks one by one would read.
template <class Root>
void load(Bytes archived, std::vector<Chunk>* chunks, std::size_t size, Root& root) {
  hpx::serialization::input_archive archive(archived, archived.size(), chunks);
  archive >> root;
  if (archive.bytes_read() != size) throw DecodeError("the archive does not end where its bytes do");
}

}  // namespace hpx_archive

/// An archive writes from the beginning of its buffer, which never shrinks; bytes_written() tells where it
/// ends.
template <class Root>
struct HpxAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      hpx::serialization::output_archive archive(buffer_);
      archive << root;
      return as_bytes(buffer_).first(archive.bytes_written());
    }

   private:
    std::vector<char> buffer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) { hpx_archive::load(bytes, nullptr, bytes.size(), root); }
  };
};

/// Chunks are either a part of the archive or point into the object, so what they point to is appended for a
/// receiver elsewhere. After it stands a table with a word for each chunk, its size and in the lowest bit
/// whether it points, and their count.
template <class Root>
struct HpxZeroCopyAdapter {
  using Chunk = hpx_archive::Chunk;
  using Word = hpx_archive::Word;

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      // HPX's default since 1.9.1 is 8192.
      hpx::serialization::output_archive archive(buffer_, 0U, &chunks_, nullptr, 4096);
      archive << root;
      archive.flush();  // sets the size of the last chunk
      end_ = archive.bytes_written();
      for (const Chunk& chunk : chunks_) {
        if (points(chunk)) append(chunk.data(), chunk.size());
      }
      for (const Chunk& chunk : chunks_) append_word(chunk.size() << 1 | points(chunk));
      append_word(chunks_.size());
      return as_bytes(buffer_).first(end_);
    }

   private:
    std::vector<char> buffer_;
    std::size_t end_ = 0;
    std::vector<Chunk> chunks_;

    static bool points(const Chunk& chunk) {
      return chunk.type_ == hpx::serialization::chunk_type::chunk_type_pointer;
    }

    void append(const void* from, std::size_t size) {
      if (buffer_.size() < end_ + size) buffer_.resize(end_ + size);
      std::memcpy(buffer_.data() + end_, from, size);
      end_ += size;
    }
    void append_word(Word word) { append(&word, sizeof word); }
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      if (bytes.size() < sizeof(Word)) throw DecodeError("the bytes end before the table of chunks");
      const Word count = word(bytes.last(sizeof(Word)), 0);
      bytes = bytes.first(bytes.size() - sizeof(Word));
      if (count > bytes.size() / sizeof(Word))
        throw DecodeError("the table of chunks is longer than the bytes");
      const Bytes table = bytes.last(count * sizeof(Word));
      bytes = bytes.first(bytes.size() - table.size());
      const Bytes archived = rebuild(table, bytes);
      hpx_archive::load(archived, &chunks_, bytes.size(), root);
    }

   private:
    std::vector<Chunk> chunks_;

    /// Makes the chunks again; returns the part of the bytes that is the archive. HPX checks little of them,
    /// so that wrong ones must do no harm: an archive's own chunks, whose index it does not look at, point to
    /// their bytes too, and the last chunk is empty, which no array can be read from.
    Bytes rebuild(Bytes table, Bytes bytes) {
      const std::size_t count = table.size() / sizeof(Word);
      Bytes inside = bytes;
      for (std::size_t i = 0; i < count; ++i) {
        if (word(table, i) & 1) inside = inside.first(inside.size() - checked(word(table, i) >> 1, inside));
      }
      const Bytes archived = inside;
      Bytes outside = bytes.subspan(archived.size());
      chunks_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        const bool pointing = word(table, i) & 1;
        Bytes& from = pointing ? outside : inside;
        Chunk& chunk = chunks_.emplace_back(
            hpx::serialization::create_pointer_chunk(from.data(), checked(word(table, i) >> 1, from)));
        if (!pointing) chunk.type_ = hpx::serialization::chunk_type::chunk_type_index;
        from = from.subspan(chunk.size_);
      }
      chunks_.push_back(hpx::serialization::create_index_chunk(0, 0));
      return archived;
    }

    static std::size_t checked(Word size, Bytes from) {
      if (size > from.size()) throw DecodeError("the chunks are larger than the bytes");
      return size;
    }

    static Word word(Bytes table, std::size_t index) {
      Word word;
      std::memcpy(&word, table.data() + index * sizeof word, sizeof word);
      return word;
    }
  };
};

}  // namespace serbench
