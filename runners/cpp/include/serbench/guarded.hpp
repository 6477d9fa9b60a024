// Memory that ends where the process may not read on, for messages that are cut off or wrong.
#pragma once

#include <cstddef>

#include "serbench/bytes.hpp"

namespace serbench {

/// A copy of a message, aligned to 16, with a page behind it that must not be touched: a process that reads
/// on is killed. The page begins right behind the message where its size is a multiple of 16, and up to 15
/// bytes later else.
class GuardedBytes {
 public:
  explicit GuardedBytes(Bytes bytes);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  operator Bytes() const { return {data_, size_}; }

 private:
  void* mapping_;
  std::size_t mapped_;
  std::byte* data_;
  std::size_t size_;
};

/// Lets this process have 2 GiB at most, so that a wrong count costs an exception and not the machine's
/// memory.
void limit_memory();

}  // namespace serbench
