#include "serbench/usage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace serbench {
namespace {

/// Time that the hypervisor gave to others, from the first line of /proc/stat (proc(5), the eighth number).
std::int64_t stolen_ns() {
  std::FILE* file = std::fopen("/proc/stat", "r");
  if (file == nullptr) return -1;
  long long ticks[8] = {};
  const int read = std::fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &ticks[0], &ticks[1], &ticks[2],
                               &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  std::fclose(file);
  return read == 8 ? ticks[7] * (1'000'000'000 / sysconf(_SC_CLK_TCK)) : -1;
}

/// Time that this thread was ready to run and did not, the second number of its scheduler statistics (Linux's
/// Documentation/scheduler/sched-stats.rst).
std::int64_t waited_ns() {
  std::FILE* file = std::fopen("/proc/thread-self/schedstat", "r");
  if (file == nullptr) return -1;
  long long running = 0;
  long long waited = 0;
  const int read = std::fscanf(file, "%lld %lld", &running, &waited);
  std::fclose(file);
  return read == 2 ? waited : -1;
}

std::int64_t difference(std::int64_t before, std::int64_t after) { return before < 0 ? -1 : after - before; }

}  // namespace

Usage usage() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  return {now.ru_nivcsw, waited_ns(), now.ru_minflt + now.ru_majflt, stolen_ns()};
}

Usage operator-(const Usage& after, const Usage& before) {
  return {after.involuntary_switches - before.involuntary_switches, difference(before.waited_ns, after.waited_ns),
          after.page_faults - before.page_faults, difference(before.stolen_ns, after.stolen_ns)};
}

}  // namespace serbench
