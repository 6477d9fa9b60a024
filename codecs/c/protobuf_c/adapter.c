// protobuf-c: the native object is the generated message, which refers to the domain object that it is built
// from.
#include <protobuf-c/protobuf-c.h>

#include "glue.h"
#include "serbench/codec.h"

/// A message that was built, and the memory of its parts.
typedef struct {
  serbench_arena arena;
  native_root message;
} built;

static void end_built(void* native) { serbench_arena_free(&((built*)native)->arena); }

static const char* build(void* encoder, const void* message, void* native) {
  (void)encoder;
  built* to = native;
  serbench_arena_clear(&to->arena);
  return build_root(&to->arena, &((const serbench_message*)message)->root, &to->message) ? NULL
                                                                                         : "out of memory";
}

static inline const char* pack(serbench_buffer* buffer, const ProtobufCMessage* message,
                               serbench_view* bytes) {
  buffer->size = 0;
  uint8_t* to = serbench_reserve(
      buffer, protobuf_c_message_get_packed_size(message) + 1);  // an empty message too has a place
  if (to == NULL) return "out of memory";
  *bytes = (serbench_view){to, protobuf_c_message_pack(message, to)};
  return NULL;
}

static const char* encode(void* encoder, const void* native, serbench_view* bytes) {
  return pack(encoder, &((const built*)native)->message.base, bytes);
}

static void end_buffer(void* encoder) { serbench_buffer_free(encoder); }

// --- messages on the heap ---

typedef struct {
  ProtobufCMessage* message;
} unpacked;

static void end_unpacked(void* view) { protobuf_c_message_free_unpacked(((unpacked*)view)->message, NULL); }

static const char* heap_decode(void* decoder, serbench_view bytes, void* view) {
  (void)decoder;
  unpacked* to = view;
  end_unpacked(to);
  to->message = protobuf_c_message_unpack(native_descriptor, NULL, bytes.size, bytes.data);
  return to->message != NULL ? NULL : SERBENCH_LIBRARY "protobuf-c cannot unpack the bytes";
}

static const char* extract_message(const ProtobufCMessage* from, serbench_message* to) {
  serbench_arena_clear(&to->arena);
  reader in = {.arena = &to->arena};
  return extract_root(&in, (const native_root*)from, &to->root) ? NULL : in.refused;
}

static const char* heap_extract(void* decoder, const void* view, void* message) {
  (void)decoder;
  return extract_message(((const unpacked*)view)->message, message);
}

static uint64_t heap_traverse(void* decoder, const void* view) {
  (void)decoder;
  return traverse_root((const native_root*)((const unpacked*)view)->message);
}

static const char* heap_relay(void* encoder, const void* view, serbench_view* bytes) {
  return pack(encoder, ((const unpacked*)view)->message, bytes);
}

static uint64_t heap_walk(void* decoder, const void* view) {
  (void)decoder;
  return walk_root((const native_root*)((const unpacked*)view)->message);
}

const serbench_codec protobuf_c_heap_codec = {
    .encoder = {.size = sizeof(serbench_buffer), .end = end_buffer},
    .native = {.size = sizeof(built), .end = end_built},
    .view = {.size = sizeof(unpacked), .end = end_unpacked},
    .build = build,
    .encode = encode,
    .decode = heap_decode,
    .extract = heap_extract,
    .traverse = heap_traverse,
    .walk = heap_walk,
    .relay = heap_relay,
};

// --- messages on an arena ---

typedef struct {
  serbench_arena arena;
  ProtobufCMessage* message;
} on_arena;

static void* allocate_on_arena(void* arena, size_t size) { return serbench_allocate(arena, size, 1); }

static void leave_on_arena(void* arena, void* block) {
  (void)arena;
  (void)block;
}

static void end_on_arena(void* view) { serbench_arena_free(&((on_arena*)view)->arena); }

static const char* arena_decode(void* decoder, serbench_view bytes, void* view) {
  (void)decoder;
  on_arena* to = view;
  serbench_arena_clear(&to->arena);
  ProtobufCAllocator allocator = {allocate_on_arena, leave_on_arena, &to->arena};
  to->message = protobuf_c_message_unpack(native_descriptor, &allocator, bytes.size, bytes.data);
  return to->message != NULL ? NULL : SERBENCH_LIBRARY "protobuf-c cannot unpack the bytes";
}

static const char* arena_extract(void* decoder, const void* view, void* message) {
  (void)decoder;
  return extract_message(((const on_arena*)view)->message, message);
}

static uint64_t arena_traverse(void* decoder, const void* view) {
  (void)decoder;
  return traverse_root((const native_root*)((const on_arena*)view)->message);
}

static const char* arena_relay(void* encoder, const void* view, serbench_view* bytes) {
  return pack(encoder, ((const on_arena*)view)->message, bytes);
}

static uint64_t arena_walk(void* decoder, const void* view) {
  (void)decoder;
  return walk_root((const native_root*)((const on_arena*)view)->message);
}

const serbench_codec protobuf_c_arena_codec = {
    .encoder = {.size = sizeof(serbench_buffer), .end = end_buffer},
    .native = {.size = sizeof(built), .end = end_built},
    .view = {.size = sizeof(on_arena), .end = end_on_arena},
    .build = build,
    .encode = encode,
    .decode = arena_decode,
    .extract = arena_extract,
    .traverse = arena_traverse,
    .walk = arena_walk,
    .relay = arena_relay,
};
