#include "serbench/threads.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "serbench/clock.hpp"

namespace serbench {
namespace {

/// Samples that are thrown away before the first, so that every thread is warm and its allocator has grown.
constexpr int warmups = 2;

/// The threads of one cell, and what they share with the one that directs them.
class Team {
 public:
  Team(const Subject& subject, const Ready& ready, std::size_t threads)
      : subject_(subject), ready_(ready), done_(threads), gate_(static_cast<std::ptrdiff_t>(threads) + 1) {
    threads_.reserve(threads);
    try {
      for (Done& done : done_) threads_.emplace_back([this, &done] { work(done); });
    } catch (const std::system_error& error) {
      const std::size_t started = threads_.size();
      for (std::size_t n = started; n < threads; ++n) gate_.arrive_and_drop();  // nobody waits for these
      gate_.arrive_and_wait();
      end();
      throw std::runtime_error("thread " + std::to_string(started + 1) + " of " + std::to_string(threads) +
                               " cannot be started: " + error.code().message());
    }
    gate_.arrive_and_wait();  // all are ready
  }
  ~Team() { end(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Throws what a thread has thrown.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  Sample sample(std::int64_t sample_ns) {
    sample_ns_ = sample_ns;
    is_time_up_ = false;
    gate_.arrive_and_wait();  // values have changed
    const Reading before = reading();
    gate_.arrive_and_wait();
    std::this_thread::sleep_for(std::chrono::nanoseconds(sample_ns));
    is_time_up_ = true;
    gate_.arrive_and_wait();  // all have done their last pass
    const Reading after = reading();
    Sample sample{.iterations = 0, .elapsed_ns = 0, .used = after - before};
    // Each thread has a core, so that none of them waits for another of ours.
    if (before.delayed_ns >= 0) sample.used.waited_ns = after.delayed_ns - before.delayed_ns;
    gate_.arrive_and_wait();  // what they left is written down
    check();
    for (const Done& done : done_) {
      sample.iterations += done.passes;
      sample.elapsed_ns += done.elapsed_ns;
      sample.left += done.left;
    }
    sample.elapsed_ns =
        std::max<std::int64_t>(sample.elapsed_ns / static_cast<std::int64_t>(done_.size()), 1);
    return sample;
  }

 private:
  /// The passes and time of a thread in a sample, in a cache line of their own.
  struct alignas(128) Done {
    std::int64_t passes = 0;
    std::int64_t elapsed_ns = 0;
    int left = 0;
  };

  const Subject& subject_;
  const Ready& ready_;
  std::vector<Done> done_;
  std::barrier<> gate_;
  std::int64_t sample_ns_ = 0;
  std::atomic<bool> is_time_up_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_failed_ = false;
  std::mutex one_at_a_time_;  // for what is not timed: places are drawn from one source, and left in one file
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last, since they use the rest

  /// Lets the threads return, which wait for the next sample.
  void end() {
    is_over_ = true;
    gate_.arrive_and_wait();
  }

  template <class Step>
  void carefully(Step&& step) {
    if (has_failed_) return;
    try {
      step();
    } catch (...) {
      const std::lock_guard lock(one_at_a_time_);
      if (!failure_) failure_ = std::current_exception();
      has_failed_ = true;
    }
  }
  template <class Step>
  void alone(Step&& step) {
    carefully([&] {
      const std::lock_guard lock(one_at_a_time_);
      step();
    });
  }

  void work(Done& done) {
    std::unique_ptr<Subject> own;
    Timed timed;
    alone([&] {
      own = subject_.another();
      timed = ready_(*own);
    });
    gate_.arrive_and_wait();
    for (;;) {
      if (timed.renew) alone(timed.renew);
      gate_.arrive_and_wait();
      if (is_over_) return;
      gate_.arrive_and_wait();
      done = {};
      carefully([&] {
        const std::int64_t start = now_ns();
        do {
          timed.pass();
          ++done.passes;
          // A thread that got a core late measures as long as the others; its time is its own.
        } while (!is_time_up_.load(std::memory_order_relaxed) || now_ns() - start < sample_ns_);
        done.elapsed_ns = now_ns() - start;
      });
      gate_.arrive_and_wait();
      if (timed.look)
        alone([&] {
          timed.look();
          done.left = 1;
        });
      gate_.arrive_and_wait();
    }
  }
};

}  // namespace

Sampling sample_together(const Subject& subject, const Ready& ready, const SamplerOptions& options,
                         std::size_t threads) {
  Team team(subject, ready, threads);
  team.check();
  for (int n = 0; n < warmups; ++n) team.sample(options.sample_ns);
  Sampling result{{}, warmups, true};
  for (int n = 0; n < options.samples; ++n) result.samples.push_back(team.sample(options.sample_ns));
  return result;
}

}  // namespace serbench
