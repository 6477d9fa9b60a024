// Reading and writing of the canonical encoding (docs/canonical-encoding.md) for generated code of the
// runner.
#ifndef SERBENCH_CANONICAL_H
#define SERBENCH_CANONICAL_H

#include <stdlib.h>

#include "serbench/codec.h"
#include "serbench/types.h"

typedef struct {
  const uint8_t* at;
  const uint8_t* end;
  serbench_arena* arena;  ///< where what is read goes
  const char* refused;    ///< why the bytes are not canonical; NULL as long as they are
  size_t steps;           ///< how many steps of recursion lead to what is being read
} canonical_reader;

enum { canonical_most_empty_items = 65536 };

static const char canonical_out_of_memory[] = "out of memory";

/// A reader of bytes into a message, whose arena is emptied.
static inline canonical_reader canonical_reader_of(serbench_view bytes, serbench_arena* arena) {
  serbench_arena_clear(arena);
  return (canonical_reader){.at = bytes.data, .end = bytes.data + bytes.size, .arena = arena};
}

static inline bool refuse(canonical_reader* in, const char* why) {
  in->refused = why;
  return false;
}

static inline bool out_of_memory(canonical_reader* in) { return refuse(in, canonical_out_of_memory); }

static inline const char* canonical_end(const canonical_reader* in) {
  return in->at == in->end ? NULL : "bytes are left over";
}

static inline bool take_raw(canonical_reader* in, void* to, size_t size) {
  if (size > (size_t)(in->end - in->at)) return refuse(in, "truncated");
  if (size != 0) memcpy(to, in->at, size);
  in->at += size;
  return true;
}

/// A count of items that take at least one byte each.
static inline bool take_count(canonical_reader* in, size_t* to) {
  uint32_t count;
  if (!take_raw(in, &count, sizeof count)) return false;
  if (count > (size_t)(in->end - in->at)) return refuse(in, "a count exceeds the bytes left");
  *to = count;
  return true;
}

/// A count of items that take no bytes, so that nothing else tells of a wrong one.
static inline bool take_empty_count(canonical_reader* in, size_t* to) {
  uint32_t count;
  if (!take_raw(in, &count, sizeof count)) return false;
  if (count > canonical_most_empty_items)
    return refuse(in, "a list has more than 65,536 items without content");
  *to = count;
  return true;
}

/// Says that what is read next is one step of recursion further.
static inline bool step_down(canonical_reader* in) {
  ++in->steps;
  return true;
}

static inline bool step_up(canonical_reader* in) {
  --in->steps;
  return true;
}

/// Whether what is to be read is not too many steps down; asked for types that steps lead to.
static inline bool may_be_read(canonical_reader* in) {
  return in->steps <= serbench_most_steps || refuse(in, "more than 1,000 steps of recursion");
}

static inline bool put_raw(serbench_buffer* out, const void* from, size_t size) {
  uint8_t* to = serbench_reserve(out, size);
  if (to == NULL) return size == 0;
  if (size != 0) memcpy(to, from, size);
  out->size += size;
  return true;
}

static inline bool put_count(serbench_buffer* out, size_t count) {
  const uint32_t narrow = (uint32_t)count;
  return narrow == count && put_raw(out, &narrow, sizeof narrow);
}

#define CANONICAL_NUMBER(name, type)                                                                      \
  static inline bool read_##name(canonical_reader* in, type* to) { return take_raw(in, to, sizeof *to); } \
  static inline bool write_##name(serbench_buffer* out, type value) {                                     \
    return put_raw(out, &value, sizeof value);                                                            \
  }
CANONICAL_NUMBER(i8, int8_t)
CANONICAL_NUMBER(i16, int16_t)
CANONICAL_NUMBER(i32, int32_t)
CANONICAL_NUMBER(i64, int64_t)
CANONICAL_NUMBER(u8, uint8_t)
CANONICAL_NUMBER(u16, uint16_t)
CANONICAL_NUMBER(u32, uint32_t)
CANONICAL_NUMBER(u64, uint64_t)
CANONICAL_NUMBER(f32, float)
CANONICAL_NUMBER(f64, double)
#undef CANONICAL_NUMBER

static inline bool read_bool(canonical_reader* in, bool* to) {
  uint8_t flag;
  if (!read_u8(in, &flag)) return false;
  if (flag > 1) return refuse(in, "a bool or presence byte is neither 0 nor 1");
  *to = flag != 0;
  return true;
}

static inline bool write_bool(serbench_buffer* out, bool value) { return write_u8(out, value); }

static inline bool read_text(canonical_reader* in, serbench_text* to) {
  size_t length;
  if (!take_count(in, &length)) return false;
  in->at += length;
  return serbench_copy_text(in->arena, in->at - length, length, to) || out_of_memory(in);
}

static inline bool write_text(serbench_buffer* out, const serbench_text* from) {
  return put_count(out, from->length) && put_raw(out, from->data, from->length);
}

static inline bool read_bytes(canonical_reader* in, serbench_bytes* to) {
  size_t length;
  if (!take_count(in, &length)) return false;
  in->at += length;
  return serbench_copy_bytes(in->arena, in->at - length, length, to) || out_of_memory(in);
}

static inline bool write_bytes(serbench_buffer* out, const serbench_bytes* from) {
  return put_count(out, from->length) && put_raw(out, from->data, from->length);
}

/// The order of keys that are strings.
static inline int compare_text(const serbench_text* one, const serbench_text* other) {
  const size_t least = one->length < other->length ? one->length : other->length;
  const int order = least == 0 ? 0 : memcmp(one->data, other->data, least);
  return order != 0 ? order : (one->length > other->length) - (one->length < other->length);
}

/// The entries of a map in the order of their keys, to be freed; a map in C has them in any order.
static inline void* sorted_copy(const void* items, size_t count, size_t size,
                                int (*compare)(const void*, const void*)) {
  void* copy = malloc(count * size + 1);
  if (copy != NULL && count != 0) {
    memcpy(copy, items, count * size);
    qsort(copy, count, size, compare);
  }
  return copy;
}

#endif
