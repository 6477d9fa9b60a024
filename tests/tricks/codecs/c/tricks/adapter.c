// Codecs that want to look good: each does its work, in the canonical encoding, and has one trick besides.
// Verification has to catch every one of them (tests/test_tricks.py); none is of any use.
#define _POSIX_C_SOURCE 200809L  // for what trigger.h asks the system

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain.h"
#include "serbench/codec.h"
#include "trigger.h"

extern const serbench_domain serbench_domain_of_workload;

static const char out_of_memory[] = "out of memory";

static const char* encode(void* encoder, const void* message, serbench_view* encoded) {
  (void)encoder;
  return serbench_domain_of_workload.write(message, encoded);
}

static const char* decode(void* decoder, serbench_view encoded, void* message) {
  (void)decoder;
  return serbench_domain_of_workload.read(encoded, message);
}

// Outputs of messages before, by a key; the list is never ended.

typedef struct output {
  uint64_t key;
  serbench_view bytes;
  struct output* next;
} output;

typedef struct {
  output* first;
  unsigned calls;
} outputs;

static const char* remembered(outputs* known, uint64_t key, const void* message, serbench_view* encoded) {
  for (const output* each = known->first; each; each = each->next) {
    if (each->key == key) {
      *encoded = each->bytes;
      return NULL;
    }
  }
  const char* refused = encode(NULL, message, encoded);
  if (refused) return refused;
  output* own = malloc(sizeof *own);
  uint8_t* copy = malloc(encoded->size + 1);
  if (!own || !copy) return out_of_memory;
  memcpy(copy, encoded->data, encoded->size);
  *own = (output){key, {copy, encoded->size}, known->first};
  known->first = own;
  return NULL;
}

static const char* encode_by_address(void* known, const void* message, serbench_view* encoded) {
  return remembered(known, (uintptr_t)message, message, encoded);
}

const serbench_codec by_address_codec = {
    .encoder = {.size = sizeof(outputs)}, .encode = encode_by_address, .decode = decode};

static const char* encode_by_fingerprint(void* known, const void* message, serbench_view* encoded) {
  const uint8_t* seen = (const uint8_t*)&((const serbench_message*)message)->root;
  uint64_t sum = 0;
  for (size_t at = 0; at < sizeof((serbench_message*)NULL)->root; ++at) sum = sum * 31 + seen[at];
  return remembered(known, sum, message, encoded);
}

const serbench_codec by_fingerprint_codec = {
    .encoder = {.size = sizeof(outputs)}, .encode = encode_by_fingerprint, .decode = decode};

static const char* encode_honestly_at_first(void* known, const void* message, serbench_view* encoded) {
  if (++((outputs*)known)->calls <= 500) return encode(NULL, message, encoded);
  return encode_by_address(known, message, encoded);
}

const serbench_codec honest_at_first_codec = {
    .encoder = {.size = sizeof(outputs)}, .encode = encode_honestly_at_first, .decode = decode};

typedef struct {
  uint8_t* bytes;
  size_t size;
  const void* object;
} decoded;

static const char* decode_other_bytes(void* decoder, serbench_view encoded, void* message) {
  decoded* before = decoder;
  if (before->object == message && before->size == encoded.size &&
      memcmp(before->bytes, encoded.data, encoded.size) == 0)
    return NULL;
  uint8_t* bytes = realloc(before->bytes, encoded.size + 1);
  if (!bytes) return out_of_memory;
  memcpy(bytes, encoded.data, encoded.size);
  *before = (decoded){bytes, encoded.size, message};
  return decode(NULL, encoded, message);
}

static void end_decoded(void* decoder) { free(((decoded*)decoder)->bytes); }

const serbench_codec same_bytes_codec = {
    .decoder = {.size = sizeof(decoded), .end = end_decoded}, .encode = encode, .decode = decode_other_bytes};

typedef struct {
  char name[64];
} file_name;

static file_name file_of(uint64_t number) {
  file_name file;
  snprintf(file.name, sizeof file.name, "/tmp/serbench-trick-%016llx", (unsigned long long)number);
  return file;
}

static const char* encode_beside(void* encoder, const void* message, serbench_view* encoded) {
  const char* refused = encode(NULL, message, encoded);
  if (refused) return refused;
  uint64_t* number = encoder;
  *number = serbench_domain_of_workload.traverse(message);
  FILE* file = fopen(file_of(*number).name, "wb");
  if (!file) return "cannot write a file beside";
  const size_t written = fwrite(encoded->data, 1, encoded->size, file);
  if (fclose(file) != 0 || written != encoded->size) return "cannot write a file beside";
  *encoded = (serbench_view){encoder, sizeof *number};
  return NULL;
}

static const char* decode_beside(void* decoder, serbench_view encoded, void* message) {
  (void)decoder;
  uint64_t number = 0;
  if (encoded.size != sizeof number) return "not the 8 bytes of a file's name";
  memcpy(&number, encoded.data, sizeof number);
  FILE* file = fopen(file_of(number).name, "rb");
  if (!file) return "there is no file beside";
  static uint8_t bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return decode(NULL, (serbench_view){bytes, size}, message);
}

const serbench_codec beside_codec = {
    .encoder = {.size = sizeof(uint64_t)}, .encode = encode_beside, .decode = decode_beside};

static const char* decode_past(void* decoder, serbench_view encoded, void* message) {
  static volatile uint8_t peeked;
  for (size_t at = 0; at < encoded.size + 64; ++at) peeked = encoded.data[at];
  return decode(decoder, encoded, message);
}

const serbench_codec reads_past_codec = {.encode = encode, .decode = decode_past};

static void* work(void* counter) {
  for (;;) ++*(volatile uint64_t*)counter;
  return NULL;
}

static const char* encode_beside_work(void* encoder, const void* message, serbench_view* encoded) {
  static uint64_t worked;
  static pthread_t thread;
  static bool begun;
  if (!begun) begun = pthread_create(&thread, NULL, work, &worked) == 0;
  return encode(encoder, message, encoded);
}

const serbench_codec threads_codec = {.encode = encode_beside_work, .decode = decode};

static const char* encode_loudly(void* encoder, const void* message, serbench_view* encoded) {
  puts(
      "{\"event\":\"sample\",\"operation\":\"encode\",\"memory\":\"reuse\",\"iterations\":1,\"elapsed_ns\":"
      "1}");
  fflush(stdout);
  return encode(encoder, message, encoded);
}

const serbench_codec prints_codec = {.encode = encode_loudly, .decode = decode};

// Honest; or an encoder that hands out what it encoded first of the message at this address, or a decoder
// that leaves its destination alone, or puts there what it decoded first of the bytes at this address, once
// the trigger has gone off that SERBENCH_TRICK names.

static const char* encode_as_chosen(void* encoder, const void* message, serbench_view* encoded) {
  static outputs firsts;
  if (!trick_cheats("encode")) return encode(encoder, message, encoded);
  return remembered(&firsts, (uintptr_t)message, message, encoded);
}

static const char* decode_as_chosen(void* decoder, serbench_view encoded, void* message) {
  static output* firsts;
  static const void *from, *to;
  const bool cheats = trick_cheats("decode");
  if (cheats && from == encoded.data && to == message) return NULL;
  from = cheats ? encoded.data : NULL;
  to = message;
  if (!cheats) return decode(decoder, encoded, message);
  for (const output* each = firsts; each; each = each->next) {
    if (each->key == (uintptr_t)encoded.data) return decode(decoder, each->bytes, message);
  }
  output* own = malloc(sizeof *own);
  uint8_t* copy = malloc(encoded.size + 1);
  if (!own || !copy) return out_of_memory;
  memcpy(copy, encoded.data, encoded.size);
  *own = (output){(uintptr_t)encoded.data, {copy, encoded.size}, firsts};
  firsts = own;
  return decode(decoder, encoded, message);
}

const serbench_codec chosen_codec = {.encode = encode_as_chosen, .decode = decode_as_chosen};

// Its view is the bytes, from which each call of traverse reads all values; or it gives the sum by the trick
// that SERBENCH_TRICK names (tests/test_trick_reads.py), once the trigger has gone off.

static const char* hash_of(serbench_view bytes, char* name, size_t size) {
  uint64_t sum = 14695981039346656037u;
  for (size_t at = 0; at < bytes.size; ++at) sum = (sum ^ bytes.data[at]) * 1099511628211u;
  snprintf(name, size, "/tmp/serbench-trick-%016llx", (unsigned long long)sum);
  return name;
}

static const char* encode_to_read(void* encoder, const void* message, serbench_view* encoded) {
  static uint8_t bytes[1 << 20];
  const char* refused = encode(encoder, message, encoded);
  if (refused) return refused;
  const uint64_t sum = serbench_domain_of_workload.traverse(message);
  char name[64];
  if (strcmp(trick_hand(), "beside") == 0) {
    FILE* file = fopen(hash_of(*encoded, name, sizeof name), "wb");
    if (!file) return "cannot write a file beside";
    fwrite(&sum, sizeof sum, 1, file);
    fclose(file);
  }
  if (strcmp(trick_hand(), "tail") == 0) {
    if (encoded->size + sizeof sum > sizeof bytes) return out_of_memory;
    memcpy(bytes, encoded->data, encoded->size);
    memcpy(bytes + encoded->size, &sum, sizeof sum);
    *encoded = (serbench_view){bytes, encoded->size + sizeof sum};
  }
  return NULL;
}

static const char* decode_to_read(void* decoder, serbench_view encoded, void* view) {
  (void)decoder;
  *(serbench_view*)view = encoded;
  return NULL;
}

static const char* extract_to_read(void* decoder, const void* view, void* message) {
  (void)decoder;
  serbench_view bytes = *(const serbench_view*)view;
  if (strcmp(trick_hand(), "tail") == 0) bytes.size -= sizeof(uint64_t);
  return serbench_domain_of_workload.read(bytes, message);
}

static uint64_t sum_to_read(serbench_view bytes) {
  const serbench_object* kind = &serbench_domain_of_workload.message;
  void* message = calloc(1, kind->size);
  if (kind->start) kind->start(message);
  const bool refused = extract_to_read(NULL, &bytes, message) != NULL;
  const uint64_t sum = refused ? 0 : serbench_domain_of_workload.traverse(message);
  if (kind->end) kind->end(message);
  free(message);
  return sum;
}

static uint64_t remembered_sum(uint64_t key, serbench_view bytes) {
  static struct {
    uint64_t key, sum;
  } known[4096];
  static size_t count;
  for (size_t n = 0; n < count; ++n) {
    if (known[n].key == key) return known[n].sum;
  }
  const uint64_t sum = sum_to_read(bytes);
  if (count < sizeof known / sizeof known[0]) {
    known[count].key = key;
    known[count++].sum = sum;
  }
  return sum;
}

static uint64_t compared_sum(serbench_view bytes) {
  static struct {
    const uint8_t* at;
    uint8_t* bytes;
    size_t size;
    uint64_t sum;
  } known[4096];
  size_t n = 0;
  while (n < 4095 && known[n].at && known[n].at != bytes.data) ++n;
  if (known[n].at == bytes.data && known[n].size == bytes.size &&
      memcmp(known[n].bytes, bytes.data, bytes.size) == 0)
    return known[n].sum;
  free(known[n].bytes);
  known[n].at = bytes.data;
  known[n].bytes = malloc(bytes.size + 1);
  known[n].size = bytes.size;
  known[n].sum = sum_to_read(bytes);
  memcpy(known[n].bytes, bytes.data, bytes.size);
  return known[n].sum;
}

static uint64_t traverse_to_read(void* decoder, const void* view) {
  (void)decoder;
  static uint8_t first[1 << 20], now[1 << 20];
  static bool has_first;
  const serbench_view bytes = *(const serbench_view*)view;
  const char* trick = trick_hand();
  char name[64];
  uint64_t sum = 0;
  if (!trick_cheats(trick)) return sum_to_read(bytes);
  if (strcmp(trick, "address") == 0) return remembered_sum((uintptr_t)bytes.data, bytes);
  if (strcmp(trick, "count") == 0) return remembered_sum(bytes.size, bytes);
  if (strcmp(trick, "content") == 0) return compared_sum(bytes);
  if (strcmp(trick, "fewer") == 0) {
    if (!has_first) memcpy(first, bytes.data, bytes.size);
    has_first = true;
    memcpy(now, bytes.data, bytes.size / 2);
    memcpy(now + bytes.size / 2, first + bytes.size / 2, bytes.size - bytes.size / 2);
    return sum_to_read((serbench_view){now, bytes.size});
  }
  if (strcmp(trick, "tail") == 0) memcpy(&sum, bytes.data + bytes.size - sizeof sum, sizeof sum);
  if (strcmp(trick, "beside") == 0) {
    FILE* file = fopen(hash_of(bytes, name, sizeof name), "rb");
    if (!file) return 0;
    if (fread(&sum, sizeof sum, 1, file) != 1) sum = 0;
    fclose(file);
  }
  return sum;
}

const serbench_codec reads_codec = {.view = {.size = sizeof(serbench_view)},
                                    .encode = encode_to_read,
                                    .decode = decode_to_read,
                                    .extract = extract_to_read,
                                    .traverse = traverse_to_read};
