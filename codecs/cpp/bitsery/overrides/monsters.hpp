// As in the published program: all components of Vec3 are in [-1, 1], with a precision of 0.01.
#pragma once

#include "quantised.hpp"

namespace serbench::bitsery_codec {

template <>
struct Quantised<domain::Vec3> {
  static constexpr float least = -1.0F;
  static constexpr float greatest = 1.0F;
  static constexpr float step = 0.01F;
};

}  // namespace serbench::bitsery_codec
