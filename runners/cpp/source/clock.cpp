#include "serbench/clock.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <chrono>
#include <stdexcept>

namespace serbench {
namespace {

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * second_ns + time.tv_nsec; }

}  // namespace

std::int64_t now_ns() {
#if defined(__linux__) && defined(__x86_64__)
  timespec time{};
  std::int64_t status = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(status) : "D"(CLOCK_MONOTONIC), "S"(&time) : "rcx", "r11", "memory");
  return nanoseconds(time);
#elif defined(__linux__) && defined(__aarch64__)
  timespec time{};
  register std::int64_t number asm("x8") = SYS_clock_gettime;
  register std::int64_t which asm("x0") = CLOCK_MONOTONIC;
  register timespec* to asm("x1") = &time;
  asm volatile("svc 0" : "+r"(which) : "r"(number), "r"(to) : "memory");
  return nanoseconds(time);
#else
  using namespace std::chrono;
  static_assert(steady_clock::is_steady);
  return duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
#endif
}

void check_clock() {
  timespec time{};
  const std::int64_t before = now_ns();
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t after = now_ns();
  if (nanoseconds(time) < before || nanoseconds(time) > after) {
    throw std::runtime_error(
        "clock_gettime disagrees with the system's clock: something in this program has replaced it");
  }
}

}  // namespace serbench
