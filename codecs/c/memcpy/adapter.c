// The floor: copies the canonical bytes, which no codec can undercut by doing its work better.
#include <stdlib.h>
#include <string.h>

#include "serbench/codec.h"

extern const serbench_domain serbench_domain_of_workload;

/// Bytes of its own, in memory that is kept for the next ones.
typedef struct {
  uint8_t* data;
  size_t size, room;
} bytes;

static void end_bytes(void* object) { free(((bytes*)object)->data); }

static const char* copy(serbench_view from, bytes* to) {
  if (from.size > to->room) {
    uint8_t* const grown = realloc(to->data, from.size);
    if (!grown) return "out of memory";
    to->data = grown;
    to->room = from.size;
  }
  if (from.size) memcpy(to->data, from.data, from.size);
  to->size = from.size;
  return NULL;
}

static serbench_view view_of(const bytes* own) { return (serbench_view){own->data, own->size}; }

static const char* build(void* encoder, const void* message, void* native) {
  (void)encoder;
  serbench_view canonical;
  const char* const refused = serbench_domain_of_workload.write(message, &canonical);
  return refused ? refused : copy(canonical, native);
}

static const char* encode(void* encoder, const void* native, serbench_view* encoded) {
  const char* const refused = copy(view_of(native), encoder);
  *encoded = view_of(encoder);
  return refused;
}

static const char* decode(void* decoder, serbench_view encoded, void* view) {
  (void)decoder;
  return copy(encoded, view);
}

static const char* extract(void* decoder, const void* view, void* message) {
  (void)decoder;
  return serbench_domain_of_workload.read(view_of(view), message);
}

const serbench_codec memcpy_codec = {
    .encoder = {.size = sizeof(bytes), .end = end_bytes},
    .native = {.size = sizeof(bytes), .end = end_bytes},
    .view = {.size = sizeof(bytes), .end = end_bytes},
    .build = build,
    .encode = encode,
    .decode = decode,
    .extract = extract,
    .relay = encode,
    .is_floor = true,
};
