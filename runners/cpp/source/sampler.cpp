#include "serbench/sampler.hpp"

#include <algorithm>
#include <cstdlib>

#include "serbench/clock.hpp"
#include "serbench/place.hpp"

namespace serbench {
namespace {

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
    // A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from a batch
    // that is itself too short for scaling, at most ten times as many.
    const auto scaled =
        static_cast<std::int64_t>(1.1 * static_cast<double>(iterations) * static_cast<double>(wanted_ns) /
                                  static_cast<double>(elapsed));
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
  return previous != 0 && previous < options.sample_ns ? iterations * options.sample_ns / previous + 1
                                                       : iterations;
}

/// About as many passes as watching a sample costs: values change, and what was left is written down.
constexpr std::int64_t passes_of_watching = 5;
/// How many passes a sample needs for each of these. Where it has fewer, only drawn samples are watched.
constexpr std::int64_t passes_for_one = 10;
/// One of so many samples is watched on an average, or more.
constexpr std::uint64_t least_watched = 12;

bool is_watched(std::int64_t iterations) {
  const std::int64_t enough = passes_of_watching * passes_for_one;
  if (iterations >= enough) return true;
  return drawn_number() % least_watched == 0 ||
         drawn_number() % static_cast<std::uint64_t>(enough) < static_cast<std::uint64_t>(iterations);
}

Sample operator+(const Sample& one, const Sample& other) {
  return {.iterations = one.iterations + other.iterations,
          .elapsed_ns = one.elapsed_ns + other.elapsed_ns,
          .used = one.used + other.used,
          .left = one.left + other.left};
}

Sample timed_batch(const Pass& pass, std::int64_t iterations) {
  const Reading before = reading();
  const std::int64_t elapsed = time_batch(pass, iterations);
  return {.iterations = iterations, .elapsed_ns = elapsed, .used = reading() - before};
}

/// How many passes come before a change in the midst of `iterations`: any number, or all but the last, so
/// that the first pass after a change is looked at too.
std::int64_t drawn_part(std::int64_t iterations) {
  if (drawn_number() % 4 == 0) return iterations - 1;
  return 1 + static_cast<std::int64_t>(drawn_number() % static_cast<std::uint64_t>(iterations - 1));
}

/// Times some passes, and looks at what the last one left.
Sample looked_at(const Timed& timed, std::int64_t iterations) {
  Sample sample = timed_batch(timed.pass, iterations);
  timed.look();
  sample.left = 1;
  return sample;
}

/// Takes a sample before which and in the midst of which values change. It is looked at in its midst too, at
/// places that are drawn, since a codec could learn how many passes come until the end, and be honest there.
/// The object that is decoded into is spoiled later than the bytes change. Else a codec that only looks at
/// whether the bytes are new would write the object anew because of them, and not be found.
Sample watched_sample(const Timed& timed, std::int64_t iterations) {
  timed.renew();
  Sample sample{};
  for (const auto& change : {timed.shift, timed.spoil}) {
    const std::int64_t left = iterations - sample.iterations;
    if (left < 2) break;
    sample = sample + looked_at(timed, drawn_part(left));
    change();
  }
  return sample + looked_at(timed, iterations - sample.iterations);
}

}  // namespace

Sampler sampler = sample;

Sampling sample(const Timed& timed, const SamplerOptions& options) {
  Sampling result{{}, 0, false};
  const Pass& pass = timed.pass;
  const std::int64_t iterations =
      options.iterations > 0 ? options.iterations : warmed_up(pass, options, result);
  if (options.iterations > 0) time_batch(pass, std::max<std::int64_t>(iterations / 100, 1));
  for (int n = 0; n < options.samples; ++n) {
    const bool watched = timed.renew && is_watched(iterations);
    result.samples.push_back(watched ? watched_sample(timed, iterations) : timed_batch(pass, iterations));
  }
  return result;
}

}  // namespace serbench
