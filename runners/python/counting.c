/* Counts what the interpreter and the libraries that it loads ask of the allocator.
 *
 * It is preloaded into a runner that is never timed (LD_PRELOAD), so that its functions stand before those of
 * the C library, which it calls by the names that glibc has for that. Whatever is asked for counts, freed or
 * not; a realloc counts as an allocation of its size. Not seen is a library with an allocator of its own.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static atomic_uint_fast64_t allocations;
static atomic_uint_fast64_t allocated_bytes;

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t items, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static void count(size_t bytes) {
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&allocated_bytes, bytes, memory_order_relaxed);
}

/* The counts so far: counting.py asks for them. */
void serbench_counted(uint64_t* number, uint64_t* bytes) {
  *number = allocations;
  *bytes = allocated_bytes;
}

void* malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void* calloc(size_t items, size_t size) {
  count(items * size);
  return __libc_calloc(items, size);
}

void* realloc(void* block, size_t size) {
  count(size);
  return __libc_realloc(block, size);
}

void* memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  count(size);
  void* found = __libc_memalign(alignment, size);
  if (found == NULL) return ENOMEM;
  *block = found;
  return 0;
}
