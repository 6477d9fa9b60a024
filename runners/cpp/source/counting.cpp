// Counts what the program and its libraries ask of the allocator, and says it when the program ends.
//
// It is linked with the objects of a measuring program into a second executable, which is never timed. The
// linker turns every reference to malloc and its like, also those in static libraries and in operator new, to
// the functions here (--wrap in cmake/Serbench.cmake). Whatever is asked for counts, freed or not; a realloc
// counts as an allocation of its size.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "serbench/output.hpp"

namespace {

constinit std::atomic<std::uint64_t> allocations{0};
constinit std::atomic<std::uint64_t> allocated_bytes{0};

void count(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

[[gnu::destructor]] void say() {
  const std::uint64_t counted = allocations.load();  // without those of the line itself
  const std::uint64_t bytes = allocated_bytes.load();
  serbench::say(R"({"event":"allocated","allocations":)" + std::to_string(counted) +
                R"(,"allocated_bytes":)" + std::to_string(bytes) + "}");
}

}  // namespace

// The names are the linker's.
extern "C" {

void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t items, std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
void* __real_memalign(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** block, std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  count(size);
  return __real_malloc(size);
}

void* __wrap_calloc(std::size_t items, std::size_t size) {
  count(items * size);
  return __real_calloc(items, size);
}

void* __wrap_realloc(void* block, std::size_t size) {
  count(size);
  return __real_realloc(block, size);
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  count(size);
  return __real_aligned_alloc(alignment, size);
}

void* __wrap_memalign(std::size_t alignment, std::size_t size) {
  count(size);
  return __real_memalign(alignment, size);
}

int __wrap_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  count(size);
  return __real_posix_memalign(block, alignment, size);
}
}
