// Calls into AddressSanitizer, which do nothing where a program is built without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SERBENCH_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SERBENCH_SANITIZED
#endif
#endif

#ifdef SERBENCH_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace serbench {

/// Says that these bytes are in a block and belong to nobody, so that reading or writing them is reported.
/// They have to reach to the end of the block, or from its beginning to a multiple of 8.
inline void forbid([[maybe_unused]] const void* bytes, [[maybe_unused]] std::size_t size) {
#ifdef SERBENCH_SANITIZED
  ASAN_POISON_MEMORY_REGION(bytes, size);
#endif
}

/// Says that these bytes, all of which were forbidden, may be used again.
inline void permit([[maybe_unused]] const void* bytes, [[maybe_unused]] std::size_t size) {
#ifdef SERBENCH_SANITIZED
  ASAN_UNPOISON_MEMORY_REGION(bytes, size);
#endif
}

/// Says that this block is lost on purpose.
inline void* meant_to_leak(void* block) {
#ifdef SERBENCH_SANITIZED
  __lsan_ignore_object(block);
#endif
  return block;
}

}  // namespace serbench
