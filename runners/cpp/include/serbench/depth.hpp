// How deep values of recursive types may be.
#pragma once

#include "serbench/bytes.hpp"

namespace serbench {

/// Steps back that a value has inside each other at most; beyond, a reader has an error and not a crash.
inline constexpr unsigned max_depth = 1000;

/// One step deeper, for as long as it lives. Throws DecodeError where that is too deep.
class Step {
 public:
  explicit Step(unsigned& depth) : depth_(depth) {
    if (depth == max_depth)
      throw DecodeError("more than " + std::to_string(max_depth) + " steps of recursion");
    ++depth_;
  }
  ~Step() { --depth_; }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace serbench
