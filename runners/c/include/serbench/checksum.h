// The sums of `traverse`; what they count is told in the C++ runner's checksum.hpp.
#ifndef SERBENCH_CHECKSUM_H
#define SERBENCH_CHECKSUM_H

#include "serbench/types.h"

static inline uint64_t octet_sum(const uint8_t* data, size_t size) {
  uint64_t sum = size;
  for (size_t n = 0; n < size; ++n) sum += data[n];
  return sum;
}

static inline uint64_t sum_of_text(const serbench_text* text) {
  return octet_sum((const uint8_t*)text->data, text->length);
}

static inline uint64_t sum_of_bytes(const serbench_bytes* bytes) {
  return octet_sum(bytes->data, bytes->length);
}

static inline uint64_t sum_of_bool(bool value) { return value; }
static inline uint64_t sum_of_i8(int8_t value) { return (uint64_t)value; }
static inline uint64_t sum_of_i16(int16_t value) { return (uint64_t)value; }
static inline uint64_t sum_of_i32(int32_t value) { return (uint64_t)value; }
static inline uint64_t sum_of_i64(int64_t value) { return (uint64_t)value; }
static inline uint64_t sum_of_u8(uint8_t value) { return value; }
static inline uint64_t sum_of_u16(uint16_t value) { return value; }
static inline uint64_t sum_of_u32(uint32_t value) { return value; }
static inline uint64_t sum_of_u64(uint64_t value) { return value; }

static inline uint64_t sum_of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t sum_of_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif
