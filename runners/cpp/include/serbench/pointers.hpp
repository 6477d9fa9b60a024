// Functions that only recursive domain types need.
#pragma once

#include <algorithm>

#include "serbench/shapes.hpp"

namespace serbench {

/// Whether two values are equal, those behind pointers compared by what they point at.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (Pointer<T> || Optional<T>) {
    return a && b ? same(*a, *b) : !a && !b;
  } else if constexpr (Map<T>) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
      return one.first == other.first && same(one.second, other.second);
    });
  } else if constexpr (List<T> || Array<T>) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) { return same(one, other); });
  } else {
    return a == b;
  }
}

}  // namespace serbench
