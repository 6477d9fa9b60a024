// What the generated glue between domain objects and protobuf-c's messages uses.
#ifndef SERBENCH_PROTOBUF_C_CONVERT_H
#define SERBENCH_PROTOBUF_C_CONVERT_H

#include <math.h>
#include <protobuf-c/protobuf-c.h>

#include "serbench/checksum.h"
#include "serbench/types.h"

// --- messages refer to the strings and bytes of the domain object that they are built from ---

static inline ProtobufCBinaryData octets_of(const void* data, size_t length) {
  return (ProtobufCBinaryData){length, (uint8_t*)data};
}

static inline ProtobufCBinaryData text_of(const serbench_text* from) {
  return octets_of(from->data, from->length);
}
static inline ProtobufCBinaryData bytes_of(const serbench_bytes* from) {
  return octets_of(from->data, from->length);
}

// --- domain objects own what is extracted to them ---

typedef struct {
  serbench_arena* arena;  ///< where what is read goes
  const char* refused;    ///< why a message is none of the workload's, once it is found to be none
} reader;

static inline bool refuse(reader* in, const char* why) {
  in->refused = why;
  return false;
}

static inline bool out_of_memory(reader* in) { return refuse(in, "out of memory"); }
static inline bool refuse_number(reader* in) { return refuse(in, "a field has no room for a number"); }
static inline bool refuse_length(reader* in) { return refuse(in, "an array is not as long as expected"); }

static inline bool copy_text(reader* in, const ProtobufCBinaryData* from, serbench_text* to) {
  return serbench_copy_text(in->arena, from->data, from->len, to) || out_of_memory(in);
}

static inline bool copy_bytes(reader* in, const ProtobufCBinaryData* from, serbench_bytes* to) {
  return serbench_copy_bytes(in->arena, from->data, from->len, to) || out_of_memory(in);
}

/// Into an array of this length.
static inline bool copy_octets(reader* in, const ProtobufCBinaryData* from, uint8_t* to, size_t length) {
  if (from->len != length) return refuse_length(in);
  memcpy(to, from->data, length);
  return true;
}

static inline uint64_t sum_of_octets(const ProtobufCBinaryData* from) {
  return octet_sum(from->data, from->len);
}

#endif
