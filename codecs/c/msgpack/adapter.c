// msgpack-c, its C part: records as arrays, packed to an sbuffer; unpacked objects refer to the input.
#include <msgpack.h>

#include "glue.h"
#include "serbench/codec.h"

static void start_buffer(void* encoder) { msgpack_sbuffer_init(encoder); }
static void end_buffer(void* encoder) { msgpack_sbuffer_destroy(encoder); }

static const char* encode(void* encoder, const void* message, serbench_view* bytes) {
  msgpack_sbuffer* buffer = encoder;
  msgpack_packer packer;
  msgpack_sbuffer_clear(buffer);
  msgpack_packer_init(&packer, buffer, msgpack_sbuffer_write);
  if (pack_root(&packer, &((const serbench_message*)message)->root) != 0) return "out of memory";
  *bytes = (serbench_view){(const uint8_t*)buffer->data, buffer->size};
  return NULL;
}

static const char* refusal(msgpack_unpack_return returned) {
  switch (returned) {
    case MSGPACK_UNPACK_SUCCESS:
      return NULL;
    case MSGPACK_UNPACK_EXTRA_BYTES:
      return SERBENCH_LIBRARY "bytes are left over";
    case MSGPACK_UNPACK_CONTINUE:
      return SERBENCH_LIBRARY "the bytes end early";
    case MSGPACK_UNPACK_NOMEM_ERROR:
      // The library has one name for both.
      return SERBENCH_LIBRARY "out of memory, or more than 32 arrays and maps inside each other";
    default:
      return SERBENCH_LIBRARY "the bytes are no MessagePack";
  }
}

static const char* read_message(const msgpack_object* object, serbench_message* message) {
  serbench_arena_clear(&message->arena);
  reader in = {.arena = &message->arena};
  return read_root(&in, object, &message->root) ? NULL : in.refused;
}

// --- a zone that is kept ---

static void start_zone(void* decoder) { msgpack_zone_init(decoder, MSGPACK_ZONE_CHUNK_SIZE); }
static void end_zone(void* decoder) { msgpack_zone_destroy(decoder); }

static const char* decode_to_zone(void* decoder, serbench_view bytes, void* message) {
  msgpack_zone* zone = decoder;
  msgpack_object object;
  size_t offset = 0;
  msgpack_zone_clear(zone);
  const char* refused = refusal(msgpack_unpack((const char*)bytes.data, bytes.size, &offset, zone, &object));
  return refused != NULL ? refused : read_message(&object, message);
}

const serbench_codec msgpack_zone_codec = {
    .encoder = {sizeof(msgpack_sbuffer), start_buffer, end_buffer},
    .decoder = {sizeof(msgpack_zone), start_zone, end_zone},
    .encode = encode,
    .decode = decode_to_zone,
};

// --- a zone for each message ---

static void start_unpacked(void* decoder) { msgpack_unpacked_init(decoder); }
static void end_unpacked(void* decoder) { msgpack_unpacked_destroy(decoder); }

static const char* decode_next(void* decoder, serbench_view bytes, void* message) {
  msgpack_unpacked* unpacked = decoder;
  size_t offset = 0;
  const char* refused = refusal(msgpack_unpack_next(unpacked, (const char*)bytes.data, bytes.size, &offset));
  if (refused == NULL && offset != bytes.size) refused = "bytes are left over";
  return refused != NULL ? refused : read_message(&unpacked->data, message);
}

const serbench_codec msgpack_next_codec = {
    .encoder = {sizeof(msgpack_sbuffer), start_buffer, end_buffer},
    .decoder = {sizeof(msgpack_unpacked), start_unpacked, end_unpacked},
    .encode = encode,
    .decode = decode_next,
};
