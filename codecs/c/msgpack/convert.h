// Values without parts to and from MessagePack; the generated glue has the functions of those that have
// parts.
#ifndef SERBENCH_MSGPACK_CONVERT_H
#define SERBENCH_MSGPACK_CONVERT_H

#include <msgpack.h>

#include "serbench/codec.h"
#include "serbench/types.h"

// --- packing: 0 where it went well, as the library's own functions have it ---

static inline int pack_bool(msgpack_packer* to, bool value) {
  return value ? msgpack_pack_true(to) : msgpack_pack_false(to);
}

static inline int pack_text(msgpack_packer* to, const serbench_text* from) {
  return msgpack_pack_str(to, from->length) || msgpack_pack_str_body(to, from->data, from->length);
}

static inline int add_octets(msgpack_packer* to, const uint8_t* data, size_t size) {
  return msgpack_pack_bin(to, size) || msgpack_pack_bin_body(to, data, size);
}

static inline int pack_bytes(msgpack_packer* to, const serbench_bytes* from) {
  return add_octets(to, from->data, from->length);
}

// --- reading what was unpacked, whose strings are still in the input ---

typedef struct {
  serbench_arena* arena;  ///< where what is read goes
  const char* refused;    ///< why the bytes are no message, once they are found to be none
} reader;

static inline bool refuse(reader* in, const char* why) {
  in->refused = why;
  return false;
}

static inline bool out_of_memory(reader* in) { return refuse(in, "out of memory"); }

static inline bool refuse_type(reader* in) {
  return refuse(in, "an object is not of the type that is expected");
}

static inline bool is_array(reader* in, const msgpack_object* from, size_t count) {
  if (from->type != MSGPACK_OBJECT_ARRAY) return refuse_type(in);
  return from->via.array.size == count || refuse(in, "an array is not as long as expected");
}

/// Whether a value is there; where it is, `to` is true.
static inline bool is_nil(const msgpack_object* from, bool* to) {
  *to = from->type != MSGPACK_OBJECT_NIL;
  return !*to;
}

/// Whether no value is there where none may be.
static inline bool is_nothing(reader* in, const msgpack_object* from) {
  return from->type == MSGPACK_OBJECT_NIL || refuse_type(in);
}

static inline bool read_bool(reader* in, const msgpack_object* from, bool* to) {
  if (from->type != MSGPACK_OBJECT_BOOLEAN) return refuse_type(in);
  *to = from->via.boolean;
  return true;
}

static inline bool read_u64(reader* in, const msgpack_object* from, uint64_t* to) {
  if (from->type != MSGPACK_OBJECT_POSITIVE_INTEGER) return refuse_type(in);
  *to = from->via.u64;
  return true;
}

static inline bool read_i64(reader* in, const msgpack_object* from, int64_t* to) {
  if (from->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
    *to = from->via.i64;
    return true;
  }
  if (from->type != MSGPACK_OBJECT_POSITIVE_INTEGER) return refuse_type(in);
  if (from->via.u64 > INT64_MAX) return refuse(in, "an integer is too large");
  *to = (int64_t)from->via.u64;
  return true;
}

#define READ_NARROW(name, type, wide_name, wide)                                     \
  static inline bool read_##name(reader* in, const msgpack_object* from, type* to) { \
    wide number;                                                                     \
    if (!read_##wide_name(in, from, &number)) return false;                          \
    *to = (type)number;                                                              \
    return *to == number || refuse(in, "an integer does not fit its field");         \
  }
READ_NARROW(i8, int8_t, i64, int64_t)
READ_NARROW(i16, int16_t, i64, int64_t)
READ_NARROW(i32, int32_t, i64, int64_t)
READ_NARROW(u8, uint8_t, u64, uint64_t)
READ_NARROW(u16, uint16_t, u64, uint64_t)
READ_NARROW(u32, uint32_t, u64, uint64_t)
#undef READ_NARROW

/// Some writers pack a float without a fraction as an integer.
static inline bool read_f64(reader* in, const msgpack_object* from, double* to) {
  switch (from->type) {
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
      *to = from->via.f64;
      return true;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
      *to = (double)from->via.u64;
      return true;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
      *to = (double)from->via.i64;
      return true;
    default:
      return refuse_type(in);
  }
}

static inline bool read_f32(reader* in, const msgpack_object* from, float* to) {
  double wide;
  if (!read_f64(in, from, &wide)) return false;
  *to = (float)wide;
  return true;
}

static inline bool read_text(reader* in, const msgpack_object* from, serbench_text* to) {
  if (from->type != MSGPACK_OBJECT_STR) return refuse_type(in);
  return serbench_copy_text(in->arena, from->via.str.ptr, from->via.str.size, to) || out_of_memory(in);
}

/// Bytes in the input; also those from before there was bin, when MessagePack had raw for bytes and for text.
static inline bool find_octets(reader* in, const msgpack_object* from, serbench_view* to) {
  switch (from->type) {
    case MSGPACK_OBJECT_BIN:
      *to = (serbench_view){(const uint8_t*)from->via.bin.ptr, from->via.bin.size};
      return true;
    case MSGPACK_OBJECT_STR:
      *to = (serbench_view){(const uint8_t*)from->via.str.ptr, from->via.str.size};
      return true;
    default:
      return refuse_type(in);
  }
}

static inline bool read_bytes(reader* in, const msgpack_object* from, serbench_bytes* to) {
  serbench_view octets;
  if (!find_octets(in, from, &octets)) return false;
  return serbench_copy_bytes(in->arena, octets.data, octets.size, to) || out_of_memory(in);
}

/// Bytes whose number is known.
static inline bool take_octets(reader* in, const msgpack_object* from, uint8_t* to, size_t size) {
  serbench_view octets;
  if (!find_octets(in, from, &octets)) return false;
  if (octets.size != size) return refuse(in, "an array is not as long as expected");
  memcpy(to, octets.data, size);
  return true;
}

#endif
