// Times passes: calibrated batches on a monotonic clock, with what disturbed them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "serbench/runner.hpp"
#include "serbench/usage.hpp"

namespace serbench {

struct SamplerOptions {
  std::int64_t sample_ns = 20'000'000;  ///< a sample lasts at least this long
  std::int64_t iterations = 0;          ///< of every sample, in place of calibration; 0 for that
  int samples = 3;
  int max_warmups = 8;  ///< batches after calibration, at most, until two agree
};

struct Sample {
  std::int64_t iterations;  ///< passes over the dataset
  std::int64_t elapsed_ns;  ///< of all of them together
  Usage used;               ///< in the meantime
  int left = 0;             ///< how often what passes leave was written down
};

struct Sampling {
  std::vector<Sample> samples;
  int warmups;   ///< batches thrown away after calibration
  bool settled;  ///< whether the last two warm-up batches agreed
};

/// Calibrates, warms up until two batches agree within 2 %, and takes the samples. With a fixed number of
/// iterations, a hundredth of it warms up. What is watched is looked at; throws what its look throws.
Sampling sample(const Timed& timed, const SamplerOptions& options);

using Sampler = Sampling (*)(const Timed& timed, const SamplerOptions& options);

/// The sampler of a program: `sample`, unless a cross-check puts another one here (crosscheck.cpp).
extern Sampler sampler;

}  // namespace serbench
