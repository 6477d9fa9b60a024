#include "serbench/memory.h"

#include <stdlib.h>

enum { first_block = 4096 };

typedef struct block {
  struct block* before;
  size_t bytes;
} block;

void* serbench_arena_grow(serbench_arena* arena, size_t bytes) {
  size_t size = arena->taken < first_block ? first_block : arena->taken;  // blocks double what there is
  if (size < sizeof(block) + bytes) size = sizeof(block) + bytes;
  block* made = malloc(size);
  if (made == NULL) return NULL;
  *made = (block){.before = arena->blocks, .bytes = size};
  arena->blocks = made;
  arena->taken += size;
  arena->at = (char*)(made + 1) + bytes;
  arena->end = (char*)made + size;
  return made + 1;
}

void serbench_arena_clear(serbench_arena* arena) {
  block* newest = arena->blocks;
  if (newest == NULL) return;
  if (newest->before != NULL) {  // one block in place of several, as large as all of them
    const size_t bytes = arena->taken;
    serbench_arena_free(arena);
    if (serbench_arena_grow(arena, bytes) == NULL) return;  // the next that takes of it is told
    newest = arena->blocks;
  }
  arena->at = (char*)(newest + 1);
}

void serbench_arena_free(serbench_arena* arena) {
  for (block* each = arena->blocks; each != NULL;) {
    block* const before = each->before;
    free(each);
    each = before;
  }
  *arena = (serbench_arena){0};
}

uint8_t* serbench_buffer_grow(serbench_buffer* buffer, size_t room) {
  if (room > PTRDIFF_MAX - 2 * buffer->capacity) return NULL;
  const size_t capacity = 2 * buffer->capacity + room;
  uint8_t* grown = realloc(buffer->data, capacity);
  if (grown == NULL) return NULL;
  buffer->data = grown;
  buffer->capacity = capacity;
  return grown + buffer->size;
}

void serbench_buffer_free(serbench_buffer* buffer) {
  free(buffer->data);
  *buffer = (serbench_buffer){0};
}
