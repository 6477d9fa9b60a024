#include "serbench/guarded.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "serbench/sanitized.hpp"

namespace serbench {

GuardedBytes::GuardedBytes(Bytes bytes) : size_(bytes.size()) {
  constexpr std::size_t alignment = 16;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t aligned = (size_ + alignment - 1) / alignment * alignment;
  const std::size_t pages = (aligned + page - 1) / page * page;
  mapped_ = pages + page;
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(mapping_);
  mprotect(first + pages, page, PROT_NONE);
  data_ = first + pages - aligned;
  if (size_ != 0) std::memcpy(data_, bytes.data(), size_);
  forbid(data_ + size_, aligned - size_);
}

GuardedBytes::~GuardedBytes() {
  permit(mapping_, mapped_);
  munmap(mapping_, mapped_);
}

void limit_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(rlim_t{2} << 30, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace serbench
