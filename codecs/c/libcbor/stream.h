// Values without parts to and from CBOR, item by item by libcbor's streaming encoder and decoder; the
// generated glue has the functions of those that have parts.
#ifndef SERBENCH_LIBCBOR_STREAM_H
#define SERBENCH_LIBCBOR_STREAM_H

#include <cbor.h>

#include "serbench/types.h"

// --- writing ---

enum { longest_head = 9 };  // bytes of an item without what follows a string's

static inline bool add_uint(serbench_buffer* out, uint64_t value) {
  uint8_t* to = serbench_reserve(out, longest_head);
  if (to == NULL) return false;
  out->size += cbor_encode_uint(value, to, longest_head);
  return true;
}

static inline bool add_int(serbench_buffer* out, int64_t value) {
  if (value >= 0) return add_uint(out, (uint64_t)value);
  uint8_t* to = serbench_reserve(out, longest_head);
  if (to == NULL) return false;
  out->size += cbor_encode_negint((uint64_t)(-1 - value), to, longest_head);
  return true;
}

#define PUT_ITEM(name, type, encode)                                \
  static inline bool add_##name(serbench_buffer* out, type value) { \
    uint8_t* to = serbench_reserve(out, longest_head);              \
    if (to == NULL) return false;                                   \
    out->size += encode(value, to, longest_head);                   \
    return true;                                                    \
  }
PUT_ITEM(bool, bool, cbor_encode_bool)
PUT_ITEM(f32, float, cbor_encode_single)
PUT_ITEM(f64, double, cbor_encode_double)
PUT_ITEM(array, size_t, cbor_encode_array_start)
PUT_ITEM(map, size_t, cbor_encode_map_start)
#undef PUT_ITEM

static inline bool add_null(serbench_buffer* out) {
  uint8_t* to = serbench_reserve(out, longest_head);
  if (to == NULL) return false;
  out->size += cbor_encode_null(to, longest_head);
  return true;
}

static inline bool add_characters(serbench_buffer* out, const char* data, size_t length) {
  uint8_t* to = serbench_reserve(out, longest_head + length);
  if (to == NULL) return false;
  const size_t head = cbor_encode_string_start(length, to, longest_head);
  if (length != 0) memcpy(to + head, data, length);
  out->size += head + length;
  return true;
}

static inline bool add_octets(serbench_buffer* out, const uint8_t* data, size_t length) {
  uint8_t* to = serbench_reserve(out, longest_head + length);
  if (to == NULL) return false;
  const size_t head = cbor_encode_bytestring_start(length, to, longest_head);
  if (length != 0) memcpy(to + head, data, length);
  out->size += head + length;
  return true;
}

static inline bool add_text(serbench_buffer* out, const serbench_text* from) {
  return add_characters(out, from->data, from->length);
}

static inline bool add_bytes(serbench_buffer* out, const serbench_bytes* from) {
  return add_octets(out, from->data, from->length);
}

// --- reading ---

typedef enum {
  other,
  unsigned_integer,
  negative_integer,
  boolean,
  null,
  single,
  wide,
  text,
  bytes,
  array,
  map,
  // the same of indefinite length
  open_text,
  open_bytes,
  open_array,
  open_map
} kind;

static inline kind opened(kind of) { return of + (open_text - text); }

/// What the decoder met: the head of an item, and the bytes of a string.
typedef struct {
  kind kind;
  uint64_t number;  ///< a value or a count
  double floating;  ///< of 64 bits where the kind is wide, and else of 16 or 32
  cbor_data data;
} item;

typedef struct {
  cbor_data at;
  cbor_data end;
  serbench_arena* arena;  ///< where what is read goes
  const char* refused;    ///< why the bytes are no message, once they are found to be none
  size_t steps;           ///< of recursion that lead to what is being read
} reader;

/// Into `to`, which the callbacks of adapter.c fill.
bool take(reader* in, item* to);

static inline bool refuse(reader* in, const char* why) {
  in->refused = why;
  return false;
}

static inline bool out_of_memory(reader* in) { return refuse(in, "out of memory"); }

static inline bool refuse_kind(reader* in) {
  return refuse(in, "an item is not of the CBOR type that is expected");
}

/// The next item, which has to be of this kind.
static inline bool take_one(reader* in, kind expected, item* to) {
  return take(in, to) && (to->kind == expected || refuse_kind(in));
}

/// Whether a break comes next, which is then taken.
static inline bool take_break(reader* in) {
  enum { break_byte = 0xff };
  item ignored;
  return in->at < in->end && *in->at == break_byte && take(in, &ignored);
}

/// Into `to`, all chunks of a string whose head was taken, one behind another.
bool join(reader* in, kind of, item* to);

/// The next item, which has to be a string of this kind.
static inline bool take_string(reader* in, kind expected, item* to) {
  if (!take(in, to)) return false;
  if (to->kind == expected) return true;
  return to->kind == opened(expected) ? join(in, expected, to) : refuse_kind(in);
}

/// A count of items, each of which takes at least one byte; or none, and `open`, where a break ends them.
static inline bool take_count(reader* in, kind expected, size_t* to, bool* open) {
  item head;
  if (!take(in, &head)) return false;
  *open = head.kind == opened(expected);
  if (head.kind != expected && !*open) return refuse_kind(in);
  if (head.number > (size_t)(in->end - in->at)) return refuse(in, "a count exceeds the bytes left");
  *to = head.number;
  return true;
}

/// Memory of twice as many items as there are, with these.
void* larger(serbench_arena* arena, const void* items, size_t count, size_t size);

/// Whether no array of `count` items that doubles when it is full has room for one more.
static inline bool is_full(size_t count) { return (count & (count - 1)) == 0; }

/// The head of an array or a map of as many items as are known, or of indefinite length.
static inline bool take_exactly(reader* in, kind expected, size_t count, bool* open) {
  size_t found;
  return take_count(in, expected, &found, open) &&
         (*open || found == count || refuse(in, "an array or record is not as long as expected"));
}

/// The end of what `take_exactly` began.
static inline bool take_end(reader* in, bool open) {
  return !open || take_break(in) || refuse(in, "an array or record does not end where it is expected to");
}

static inline bool is_name(const item* found, const char* name, size_t length) {
  return found->number == length && memcmp(found->data, name, length) == 0;
}

static inline bool take_name(reader* in, const char* name, size_t length) {
  item found;
  if (!take_string(in, text, &found)) return false;
  return is_name(&found, name, length) || refuse(in, "a field has another name");
}

/// Whether there is a value; where there is, `to` is true and the value comes next.
static inline bool take_null(reader* in, bool* to) {
  enum { null_byte = 0xf6 };
  item ignored;
  *to = !(in->at < in->end && *in->at == null_byte);
  return !*to && take(in, &ignored);
}

/// A null where no value may be.
static inline bool take_nothing(reader* in) {
  item ignored;
  return take_one(in, null, &ignored);
}

/// What is read next is one step of recursion further.
static inline bool step_down(reader* in) {
  ++in->steps;
  return true;
}

static inline bool step_up(reader* in) {
  --in->steps;
  return true;
}

/// Whether what is to be read is not too many steps down; asked where steps lead to.
static inline bool may_be_read(reader* in) {
  return in->steps <= serbench_most_steps || refuse(in, "more than 1,000 steps of recursion");
}

static inline bool read_bool(reader* in, bool* to) {
  item found;
  if (!take_one(in, boolean, &found)) return false;
  *to = found.number != 0;
  return true;
}

static inline bool read_u64(reader* in, uint64_t* to) {
  item found;
  if (!take_one(in, unsigned_integer, &found)) return false;
  *to = found.number;
  return true;
}

static inline bool read_i64(reader* in, int64_t* to) {
  item found;
  if (!take(in, &found)) return false;
  if (found.kind != unsigned_integer && found.kind != negative_integer)
    return refuse(in, "an item is no integer");
  if (found.number > INT64_MAX) return refuse(in, "an integer does not fit its field");
  *to = found.kind == unsigned_integer ? (int64_t)found.number : -1 - (int64_t)found.number;
  return true;
}

#define READ_NARROW(name, type, wide_name, wide_type)                        \
  static inline bool read_##name(reader* in, type* to) {                     \
    wide_type number;                                                        \
    if (!read_##wide_name(in, &number)) return false;                        \
    *to = (type)number;                                                      \
    return *to == number || refuse(in, "an integer does not fit its field"); \
  }
READ_NARROW(i8, int8_t, i64, int64_t)
READ_NARROW(i16, int16_t, i64, int64_t)
READ_NARROW(i32, int32_t, i64, int64_t)
READ_NARROW(u8, uint8_t, u64, uint64_t)
READ_NARROW(u16, uint16_t, u64, uint64_t)
READ_NARROW(u32, uint32_t, u64, uint64_t)
#undef READ_NARROW

static inline bool read_f32(reader* in, float* to) {
  item found;
  if (!take_one(in, single, &found)) return false;
  *to = (float)found.floating;
  return true;
}

static inline bool read_f64(reader* in, double* to) {
  item found;
  if (!take(in, &found)) return false;
  if (found.kind != wide && found.kind != single) return refuse(in, "an item is no float");
  *to = found.floating;
  return true;
}

static inline bool read_text(reader* in, serbench_text* to) {
  item found;
  if (!take_string(in, text, &found)) return false;
  return serbench_copy_text(in->arena, found.data, found.number, to) || out_of_memory(in);
}

static inline bool read_bytes(reader* in, serbench_bytes* to) {
  item found;
  if (!take_string(in, bytes, &found)) return false;
  return serbench_copy_bytes(in->arena, found.data, found.number, to) || out_of_memory(in);
}

/// Bytes whose number is known.
static inline bool take_octets(reader* in, uint8_t* to, size_t length) {
  item found;
  if (!take_string(in, bytes, &found)) return false;
  if (found.number != length) return refuse(in, "an array is not as long as expected");
  memcpy(to, found.data, length);
  return true;
}

#endif
