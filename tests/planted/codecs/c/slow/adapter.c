// An adapter that lingers at floats when it writes, and at nothing when it reads.
#define _POSIX_C_SOURCE 200809L  // for clock_gettime

#include <time.h>

#include "domain.h"
#include "glue.h"
#include "serbench/codec.h"

enum { lingers_ns = 30000 };

extern const serbench_domain serbench_domain_of_workload;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const char* encode(void* encoder, const void* message, serbench_view* encoded) {
  (void)encoder;
  const serbench_root* sale = &((const serbench_message*)message)->root;
  for (size_t n = 0; n < sale->lines.count; ++n) {
    if (PRICE(sale->lines.items[n]) == 0) continue;
    const int64_t end = now_ns() + lingers_ns;
    while (now_ns() < end) {
    }
  }
  return serbench_domain_of_workload.write(message, encoded);
}

static const char* decode(void* decoder, serbench_view encoded, void* message) {
  (void)decoder;
  return serbench_domain_of_workload.read(encoded, message);
}

const serbench_codec slow_codec = {.encode = encode, .decode = decode};
