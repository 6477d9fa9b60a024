#include "serbench/sampler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace serbench {
namespace {

std::int64_t now_ns() {
  using namespace std::chrono;
  static_assert(steady_clock::is_steady);
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

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

/// What the system counts of this process and machine; -1 for what it does not.
struct Usage {
  std::int64_t involuntary_switches;
  std::int64_t page_faults;
  std::int64_t waited_ns;
  std::int64_t stolen_ns;
};

Usage usage() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  return {now.ru_nivcsw, now.ru_minflt + now.ru_majflt, waited_ns(), stolen_ns()};
}

std::int64_t difference(std::int64_t before, std::int64_t after) { return before < 0 ? -1 : after - before; }

std::int64_t time_batch(const Pass& pass, std::int64_t iterations) {
  const std::int64_t start = now_ns();
  for (std::int64_t n = 0; n < iterations; ++n) pass();
  return now_ns() - start;
}

/// How many iterations last at least the wanted time: doubled until a batch is long enough to scale from.
std::int64_t calibrate(const Pass& pass, std::int64_t wanted_ns) {
  std::int64_t iterations = 1;
  for (;;) {
    const std::int64_t elapsed = std::max<std::int64_t>(time_batch(pass, iterations), 1);
    if (elapsed >= wanted_ns) return iterations;
    // A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from a batch that is
    // itself too short for scaling, at most ten times as many.
    const auto scaled = static_cast<std::int64_t>(1.1 * static_cast<double>(iterations) *
                                                  static_cast<double>(wanted_ns) / static_cast<double>(elapsed));
    if (elapsed >= wanted_ns / 4) return std::max(scaled, iterations + 1);
    iterations = std::clamp(scaled, iterations * 2, iterations * 10);
  }
}

/// Calibrates and runs batches until two agree; returns the iterations of a sample.
std::int64_t warmed_up(const Pass& pass, const SamplerOptions& options, Sampling& result) {
  const std::int64_t iterations = calibrate(pass, options.sample_ns);
  std::int64_t previous = 0;
  // A pass that is itself longer than a few samples is warm after two.
  const auto enough = [&] { return result.warmups >= 2 && previous > 4 * options.sample_ns; };
  while (result.warmups < options.max_warmups && !result.settled && !enough()) {
    const std::int64_t elapsed = time_batch(pass, iterations);
    ++result.warmups;
    result.settled = previous != 0 && std::llabs(elapsed - previous) * 50 <= previous;
    previous = elapsed;
  }
  // Warm code may be faster than it was at calibration.
  return previous != 0 && previous < options.sample_ns ? iterations * options.sample_ns / previous + 1 : iterations;
}

}  // namespace

Sampling sample(const Pass& pass, const SamplerOptions& options) {
  Sampling result{{}, 0, false};
  const std::int64_t iterations = options.iterations > 0 ? options.iterations : warmed_up(pass, options, result);
  if (options.iterations > 0) time_batch(pass, std::max<std::int64_t>(iterations / 100, 1));
  for (int n = 0; n < options.samples; ++n) {
    const Usage before = usage();
    const std::int64_t elapsed = time_batch(pass, iterations);
    const Usage after = usage();
    result.samples.push_back({.iterations = iterations,
                              .elapsed_ns = elapsed,
                              .involuntary_switches = after.involuntary_switches - before.involuntary_switches,
                              .waited_ns = difference(before.waited_ns, after.waited_ns),
                              .page_faults = after.page_faults - before.page_faults,
                              .stolen_ns = difference(before.stolen_ns, after.stolen_ns)});
  }
  return result;
}

}  // namespace serbench
