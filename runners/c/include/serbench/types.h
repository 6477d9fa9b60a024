// The types that the domain types of all workloads share.
#ifndef SERBENCH_TYPES_H
#define SERBENCH_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "serbench/memory.h"

/// Steps of recursion that a value has inside each other at most; beyond, a reader has an error and not a
/// crash.
enum { serbench_most_steps = 1000 };

/// UTF-8 with the number of its bytes, any of which may be NUL; none stands behind them.
typedef struct {
  size_t length;
  char* data;
} serbench_text;

typedef struct {
  size_t length;
  uint8_t* data;
} serbench_bytes;

/// A copy in an arena; false where memory is out.
static inline bool serbench_copy_text(serbench_arena* arena, const void* from, size_t length,
                                      serbench_text* to) {
  to->length = length;
  to->data = serbench_allocate(arena, length, 1);
  if (to->data == NULL) return false;
  if (length != 0) memcpy(to->data, from, length);
  return true;
}

/// The same of bytes.
static inline bool serbench_copy_bytes(serbench_arena* arena, const void* from, size_t length,
                                       serbench_bytes* to) {
  to->length = length;
  to->data = serbench_allocate(arena, length, 1);
  if (to->data == NULL) return false;
  if (length != 0) memcpy(to->data, from, length);
  return true;
}

#endif
