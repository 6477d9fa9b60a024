// The memory that messages and encoders live in.
#ifndef SERBENCH_MEMORY_H
#define SERBENCH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/// Memory that is given back all at once; all zeros is an empty arena. What is taken of it is aligned to 8
/// bytes.
typedef struct {
  char* at;  ///< what is free of the newest block
  char* end;
  void* blocks;  ///< the newest first
  size_t taken;  ///< bytes of all blocks
} serbench_arena;

/// More memory; NULL where there is none.
void* serbench_arena_grow(serbench_arena* arena, size_t bytes);

/// Room for `count` items of `size` bytes each; NULL only where memory is out.
static inline void* serbench_allocate(serbench_arena* arena, size_t count, size_t size) {
  if (count > PTRDIFF_MAX / 2 / size) return NULL;
  const size_t bytes = (count * size + 7) & ~(size_t)7;
  if (bytes >= (size_t)(arena->end - arena->at)) return serbench_arena_grow(arena, bytes);
  void* allocated = arena->at;
  arena->at += bytes;
  return allocated;
}

/// Forgets all that was taken and keeps the memory: what fitted once fits again without another call of
/// malloc.
void serbench_arena_clear(serbench_arena* arena);

/// Gives everything back.
void serbench_arena_free(serbench_arena* arena);

/// Bytes that are added to; all zeros is an empty buffer.
typedef struct {
  uint8_t* data;
  size_t size;
  size_t capacity;
} serbench_buffer;

/// Makes room for so many more bytes; NULL where memory is out.
uint8_t* serbench_buffer_grow(serbench_buffer* buffer, size_t room);

/// The place of the next `room` bytes, which `size` does not count yet; NULL where memory is out.
static inline uint8_t* serbench_reserve(serbench_buffer* buffer, size_t room) {
  if (room > buffer->capacity - buffer->size) return serbench_buffer_grow(buffer, room);
  return buffer->data + buffer->size;
}

/// Gives everything back.
void serbench_buffer_free(serbench_buffer* buffer);

#endif
