// Sinks that the optimiser cannot see through, so that measured work is done.
//
// An empty assembly statement that takes the address and claims to read all memory: what was written before
// it must be in memory, and what is read after it must be read anew. tests/test_sink.py checks the emitted
// assembly.
#pragma once

#include <cstdint>

#include "serbench/bytes.hpp"

namespace serbench {

template <class T>
inline void consume(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// For an object whose type is not known.
inline void consume_object(const void* object) { asm volatile("" : : "r"(object) : "memory"); }

inline void consume(Bytes bytes) { asm volatile("" : : "r"(bytes.data()), "r"(bytes.size()) : "memory"); }

/// For a result that is a number: it is computed, and need not be stored.
inline void consume_number(std::uint64_t number) { asm volatile("" : : "r"(number) : "memory"); }

}  // namespace serbench
