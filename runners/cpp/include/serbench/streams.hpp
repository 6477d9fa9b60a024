// Standard streams over bytes, for libraries that read and write streams.
//
// Such libraries call sputn and sgetn for every value. std::stringbuf inherits the general versions of these;
// a stream over memory that overrides them is what a program that cares for speed hands to its archive.
#pragma once

#include <algorithm>
#include <climits>
#include <cstring>
#include <istream>
#include <memory>
#include <ostream>
#include <streambuf>

#include "serbench/bytes.hpp"

namespace serbench {

namespace detail {

/// Most of what an archive reads and writes is a single number: these need no call.
inline void copy(char* to, const char* from, std::size_t size) {
  switch (size) {
    case 1:
      *to = *from;
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      if (size != 0) std::memcpy(to, from, size);
  }
}

class InputBuffer : public std::streambuf {
 public:
  explicit InputBuffer(Bytes bytes) {
    char* begin = const_cast<char*>(as_chars(bytes));  // never written through: there is no put area
    setg(begin, begin, begin + bytes.size());
  }

 protected:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    const std::streamsize taken = std::min<std::streamsize>(size, egptr() - gptr());
    copy(to, gptr(), static_cast<std::size_t>(taken));
    if (taken <= INT_MAX) [[likely]] {
      gbump(static_cast<int>(taken));  // takes an int; a message may be longer
    } else {
      setg(eback(), gptr() + taken, egptr());
    }
    return taken;
  }
};

class OutputBuffer : public std::streambuf {
 public:
  void rewind() { setp(begin_.get(), begin_.get() + capacity_); }
  Bytes written() const { return {reinterpret_cast<const std::byte*>(pbase()), used()}; }

 protected:
  std::streamsize xsputn(const char* from, std::streamsize size) override {
    const auto count = static_cast<std::size_t>(size);
    if (static_cast<std::size_t>(epptr() - pptr()) < count) grow(count);
    copy(pptr(), from, count);
    advance(count);
    return size;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    xsputn(&byte, 1);
    return c;
  }

 private:
  std::unique_ptr<char[]> begin_;
  std::size_t capacity_ = 0;

  std::size_t used() const { return static_cast<std::size_t>(pptr() - pbase()); }

  /// pbump takes an int; a message may be longer.
  void advance(std::size_t count) {
    while (count > INT_MAX) [[unlikely]] {
      pbump(INT_MAX);
      count -= INT_MAX;
    }
    pbump(static_cast<int>(count));
  }

  void grow(std::size_t more) {
    const std::size_t kept = used();
    capacity_ = std::max<std::size_t>(2 * capacity_ + more, 1024);
    auto grown = std::make_unique_for_overwrite<char[]>(capacity_);
    if (kept != 0) std::memcpy(grown.get(), begin_.get(), kept);
    begin_ = std::move(grown);
    rewind();
    advance(kept);
  }
};

}  // namespace detail

/// An input stream that reads the bytes where they are.
class MemoryInput {
 public:
  explicit MemoryInput(Bytes bytes) : buffer_(bytes), stream_(&buffer_) {}
  std::istream& stream() { return stream_; }
  std::streambuf& buffer() { return buffer_; }

 private:
  detail::InputBuffer buffer_;
  std::istream stream_;
};

/// An output stream into memory that is kept from one message to the next.
class MemoryOutput {
 public:
  /// Starts a message: what was written before is forgotten, its memory kept.
  void rewind() { buffer_.rewind(); }
  std::ostream& stream() { return stream_; }
  std::streambuf& buffer() { return buffer_; }
  /// The bytes that were written since rewind, valid until the next write.
  Bytes written() const { return buffer_.written(); }

 private:
  detail::OutputBuffer buffer_;
  std::ostream stream_{&buffer_};
};

}  // namespace serbench
