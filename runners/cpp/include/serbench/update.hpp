// Changes of values in domain objects, which undo themselves: the lowest bit of an integer is the other one,
// a float has the other sign (one that is not a number stays), and a bool is the other one.
#pragma once

#include <cmath>
#include <concepts>
#include <vector>

#include "serbench/shapes.hpp"

namespace serbench {

/// Changes a record or union in those parts that a program is made to change; the specialisations are
/// generated beside the domain types.
template <class T>
struct Updates;

template <class T>
void update(T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = !value;
  } else if constexpr (std::integral<T>) {
    value = static_cast<T>(value ^ 1);
  } else if constexpr (std::floating_point<T>) {
    if (!std::isnan(value)) value = -value;
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    value.flip();
  } else if constexpr (Pointer<T> || Optional<T>) {
    if (value) update(*value);
  } else if constexpr (Map<T>) {
    for (auto& entry : value) update(entry.second);
  } else if constexpr (Array<T> || List<T>) {
    for (auto& item : value) update(item);
  } else {
    Updates<T>::update(value);
  }
}

/// A program is made to change values of the root.
template <class Root>
concept Updated = requires(Root& root) { Updates<Root>::update(root); };

}  // namespace serbench
