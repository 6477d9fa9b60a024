// What the system counts of this process and machine, by which disturbed samples are told from others.
#pragma once

#include <cstdint>

namespace serbench {

struct Usage {
  std::int64_t involuntary_switches;  ///< times the kernel took the core away
  std::int64_t waited_ns;    ///< time that others had the core though we were ready; -1 where the OS does not tell
  std::int64_t page_faults;  ///< minor and major
  std::int64_t stolen_ns;    ///< time the hypervisor took, all cores together; -1 where the OS does not tell
};

/// Everything so far.
Usage usage();

/// What was added since `before`.
Usage operator-(const Usage& after, const Usage& before);

}  // namespace serbench
