// libcbor: the streaming encoder and decoder, item by item, without a tree between.
#include <cbor.h>

#include "glue.h"
#include "serbench/codec.h"

#define NOTE_NUMBER(name, type, of_kind) \
  static void name(void* to, type number) { *(item*)to = (item){.kind = of_kind, .number = number}; }
NOTE_NUMBER(note_uint8, uint8_t, unsigned_integer)
NOTE_NUMBER(note_uint16, uint16_t, unsigned_integer)
NOTE_NUMBER(note_uint32, uint32_t, unsigned_integer)
NOTE_NUMBER(note_uint64, uint64_t, unsigned_integer)
NOTE_NUMBER(note_negint8, uint8_t, negative_integer)
NOTE_NUMBER(note_negint16, uint16_t, negative_integer)
NOTE_NUMBER(note_negint32, uint32_t, negative_integer)
NOTE_NUMBER(note_negint64, uint64_t, negative_integer)
NOTE_NUMBER(note_array, uint64_t, array)
NOTE_NUMBER(note_map, uint64_t, map)
NOTE_NUMBER(note_boolean, bool, boolean)

static void note_single(void* to, float number) { *(item*)to = (item){.kind = single, .floating = number}; }
static void note_double(void* to, double number) { *(item*)to = (item){.kind = wide, .floating = number}; }
static void note_text(void* to, cbor_data data, uint64_t length) {
  *(item*)to = (item){text, length, 0, data};
}
static void note_bytes(void* to, cbor_data data, uint64_t length) {
  *(item*)to = (item){bytes, length, 0, data};
}
static void note_null(void* to) { ((item*)to)->kind = null; }

// Chunks, items or pairs of indefinite length follow, up to a break.
#define NOTE_OPEN(name, of_kind) \
  static void name(void* to) { *(item*)to = (item){.kind = of_kind}; }
NOTE_OPEN(note_open_text, open_text)
NOTE_OPEN(note_open_bytes, open_bytes)
NOTE_OPEN(note_open_array, open_array)
NOTE_OPEN(note_open_map, open_map)

// An item that is never written is of another kind, which code that expects something else refuses.
static void note_other(void* to) { ((item*)to)->kind = other; }
static void note_tag(void* to, uint64_t number) {
  (void)number;
  note_other(to);
}

static const struct cbor_callbacks callbacks = {
    .uint8 = note_uint8,
    .uint16 = note_uint16,
    .uint32 = note_uint32,
    .uint64 = note_uint64,
    .negint8 = note_negint8,
    .negint16 = note_negint16,
    .negint32 = note_negint32,
    .negint64 = note_negint64,
    .byte_string_start = note_open_bytes,
    .byte_string = note_bytes,
    .string = note_text,
    .string_start = note_open_text,
    .indef_array_start = note_open_array,
    .array_start = note_array,
    .indef_map_start = note_open_map,
    .map_start = note_map,
    .tag = note_tag,
    .float2 = note_single,
    .float4 = note_single,
    .float8 = note_double,
    .undefined = note_other,
    .null = note_null,
    .boolean = note_boolean,
    .indef_break = note_other,
};

bool take(reader* in, item* to) {
  const struct cbor_decoder_result result =
      cbor_stream_decode(in->at, (size_t)(in->end - in->at), &callbacks, to);
  if (result.status != CBOR_DECODER_FINISHED)
    return refuse(in, SERBENCH_LIBRARY "libcbor refuses the bytes, or they end early");
  in->at += result.read;
  return true;
}

/// The next chunk of a string of indefinite length; false at the break, and where there is none.
static bool take_chunk(reader* in, kind of, item* to) { return !take_break(in) && take_one(in, of, to); }

bool join(reader* in, kind of, item* to) {
  reader ahead = *in;
  size_t length = 0;
  item chunk;
  while (take_chunk(&ahead, of, &chunk)) length += chunk.number;
  if (ahead.refused != NULL) return refuse(in, ahead.refused);
  uint8_t* joined = serbench_allocate(in->arena, length, 1);
  if (joined == NULL) return out_of_memory(in);
  *to = (item){of, length, 0, joined};
  while (take_chunk(in, of, &chunk)) {
    memcpy(joined, chunk.data, chunk.number);
    joined += chunk.number;
  }
  return true;
}

void* larger(serbench_arena* arena, const void* items, size_t count, size_t size) {
  void* to = serbench_allocate(arena, count == 0 ? 1 : 2 * count, size);
  if (to != NULL && count != 0) memcpy(to, items, count * size);
  return to;
}

static const char* encode(void* encoder, const void* message, serbench_view* encoded) {
  serbench_buffer* out = encoder;
  out->size = 0;
  if (!put_root(out, &((const serbench_message*)message)->root)) return "out of memory";
  *encoded = (serbench_view){out->data, out->size};
  return NULL;
}

static const char* decode(void* decoder, serbench_view encoded, void* message) {
  (void)decoder;
  serbench_message* to = message;
  serbench_arena_clear(&to->arena);
  reader in = {.at = encoded.data, .end = encoded.data + encoded.size, .arena = &to->arena};
  if (!read_root(&in, &to->root)) return in.refused;
  return in.at == in.end ? NULL : "bytes are left over";
}

static void end_buffer(void* encoder) { serbench_buffer_free(encoder); }

const serbench_codec libcbor_codec = {
    .encoder = {.size = sizeof(serbench_buffer), .end = end_buffer},
    .encode = encode,
    .decode = decode,
};
