// Views of encoded bytes, and what a codec throws when they are wrong.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

namespace serbench {

using Bytes = std::span<const std::byte>;

/// The bytes of any contiguous container of char-sized elements.
template <class Container>
Bytes as_bytes(const Container& container) {
  return std::as_bytes(std::span(container.data(), container.size()));
}

inline const char* as_chars(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }

/// Thrown by an adapter, glue or domain types for bytes that hold no message.
class DecodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by an adapter for bytes that its library has refused, by a result or by an exception that it takes
/// the place of.
class LibraryError : public DecodeError {
 public:
  using DecodeError::DecodeError;
};

}  // namespace serbench
