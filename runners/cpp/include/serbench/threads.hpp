// Samples of several threads that do the same operation at once, each with a codec and messages of its own.
#pragma once

#include <cstddef>
#include <functional>

#include "serbench/runner.hpp"
#include "serbench/sampler.hpp"

namespace serbench {

/// Loads messages into the subject of a thread, and prepares the operation that the thread does.
using Ready = std::function<Timed(Subject&)>;

/// Takes samples of so many threads, which begin together and do passes until the time of a sample is over.
/// Each thread makes what it works with itself, so that its allocator can keep it apart from the others'. A
/// sample has the passes of all threads, and the mean of the times that they took. Where values are watched,
/// they change before each sample, and what every thread left is written down after it. Throws what a thread
/// throws.
Sampling sample_together(const Subject& subject, const Ready& ready, const SamplerOptions& options,
                         std::size_t threads);

}  // namespace serbench
