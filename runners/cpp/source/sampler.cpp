#include "serbench/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace serbench {
namespace {

std::int64_t now_ns() {
  using namespace std::chrono;
  static_assert(steady_clock::is_steady);
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

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

Sampler sampler = sample;

Sampling sample(const Pass& pass, const SamplerOptions& options) {
  Sampling result{{}, 0, false};
  const std::int64_t iterations = options.iterations > 0 ? options.iterations : warmed_up(pass, options, result);
  if (options.iterations > 0) time_batch(pass, std::max<std::int64_t>(iterations / 100, 1));
  for (int n = 0; n < options.samples; ++n) {
    const Reading before = reading();
    const std::int64_t elapsed = time_batch(pass, iterations);
    result.samples.push_back({.iterations = iterations, .elapsed_ns = elapsed, .used = reading() - before});
  }
  return result;
}

}  // namespace serbench
