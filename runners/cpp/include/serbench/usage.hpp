// The system's counters of this process and of its core, by which disturbed samples are told from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace serbench {

/// The counters so far; -1 stands for one that the system does not tell.
struct Reading {
  std::int64_t involuntary_switches;  ///< times the kernel took the core away
  std::int64_t delayed_ns;      ///< time that a thread of ours was ready and did not run, over all threads
  std::int64_t page_faults;     ///< minor and major
  std::int64_t stolen_ns;       ///< time that the hypervisor took of the cores that we may run on
  std::int64_t clock_ns;        ///< monotonic
  std::int64_t own_ns;          ///< processor time of all our threads and of child processes
  std::int64_t resident_bytes;  ///< memory of this process that is in the machine's
};

/// The differences between two readings.
struct Usage {
  std::int64_t involuntary_switches;
  std::int64_t waited_ns;  ///< a thread of ours was ready, and another process had the core
  std::int64_t page_faults;
  std::int64_t stolen_ns;
  std::int64_t own_ns;
  std::int64_t grown_bytes;  ///< by how much more memory is resident; not below 0
};

inline Usage operator+(const Usage& one, const Usage& other) {
  return {.involuntary_switches = one.involuntary_switches + other.involuntary_switches,
          .waited_ns = one.waited_ns < 0 || other.waited_ns < 0 ? -1 : one.waited_ns + other.waited_ns,
          .page_faults = one.page_faults + other.page_faults,
          .stolen_ns = one.stolen_ns < 0 || other.stolen_ns < 0 ? -1 : one.stolen_ns + other.stolen_ns,
          .own_ns = one.own_ns + other.own_ns,
          .grown_bytes = one.grown_bytes + other.grown_bytes};
}

/// The threads of this process; 0 where the system does not tell.
std::size_t count_threads();

/// The threads of this process that run, or wait for nothing but a core: how often each has gone to sleep so
/// far. Empty where the system does not tell.
using ReadyThreads = std::map<std::string, std::int64_t>;
ReadyThreads ready_threads();

/// Whether a thread had something to do all the time. One that sleeps and happens to wake up with the caller,
/// as timers do that fire together, is ready at both times, and has slept in between.
bool some_stayed_ready(const ReadyThreads& before, const ReadyThreads& after);

/// Everything so far.
Reading reading();

/// The differences since `before`. No more time counts as waiting than our own threads and children did not
/// use: a thread that waits for another of ours on the same core does not wait for others.
Usage operator-(const Reading& after, const Reading& before);

}  // namespace serbench
