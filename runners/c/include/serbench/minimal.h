// The least program that uses a codec, for the metrics compile_time and binary_size: one message comes in as
// bytes, becomes a domain object, and goes out as bytes. There is nothing in it but the codec and the
// workload's types.
#ifndef SERBENCH_MINIMAL_H
#define SERBENCH_MINIMAL_H

#include <stdio.h>
#include <stdlib.h>

#include "serbench/codec.h"
#include "serbench/memory.h"

/// Everything on standard input; NULL where memory is out.
static inline const uint8_t* serbench_read_input(serbench_buffer* input) {
  for (;;) {
    uint8_t* to = serbench_reserve(input, 65536);
    if (to == NULL) return NULL;
    const size_t read = fread(to, 1, 65536, stdin);
    if (read == 0) return input->data;
    input->size += read;
  }
}

/// An object that lives as long as the program.
static inline void* serbench_started(const serbench_object* kind) {
  void* object = calloc(1, kind->size + 1);
  if (object == NULL) abort();
  if (kind->start != NULL) kind->start(object);
  return object;
}

/// Returns the exit status of the program.
static inline int serbench_copy_message(const serbench_codec* codec, size_t message_size) {
  serbench_buffer input = {0};
  if (serbench_read_input(&input) == NULL) return 1;
  void* encoder = serbench_started(&codec->encoder);
  void* decoder = serbench_started(&codec->decoder);
  void* message = calloc(1, message_size);
  const int natives = codec->native.size != 0;
  void* native = natives ? serbench_started(&codec->native) : message;
  void* view = natives ? serbench_started(&codec->view) : message;
  serbench_view bytes = {input.data, input.size};
  if (message == NULL || codec->decode(decoder, bytes, view) != NULL) return 1;
  if (natives &&
      (codec->extract(decoder, view, message) != NULL || codec->build(encoder, message, native) != NULL))
    return 1;
  if (codec->encode(encoder, native, &bytes) != NULL) return 1;
  return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size ? 0 : 1;
}

#endif
