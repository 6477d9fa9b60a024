// The domain objects of a workload as a table: shared.cpp instantiates it.
#pragma once

#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"
#include "serbench/checksum.hpp"
#include "serbench/codec.hpp"
#include "serbench/edits.hpp"
#include "serbench/kinds.hpp"
#include "serbench/update.hpp"

namespace serbench {

/// The table of a workload's domain objects.
template <class Root>
constexpr Domain domain_of() {
  Domain domain{
      .root = kind_of<Root>(),
      .read =
          [](Bytes canonical, void* root) {
            canonical::Reader reader(canonical);
            reader.decode(*static_cast<Root*>(root));
            reader.finish();
          },
      .write = [](const void* root,
                  canonical::Buffer& out) { canonical::encode(*static_cast<const Root*>(root), out); },
      .traverse = [](const void* root) { return traverse(*static_cast<const Root*>(root)); }};
  if constexpr (Graph<Root>)
    domain.walk = [](const void* root) { return WalkDomain{}(*static_cast<const Root*>(root)); };
  if constexpr (Reflected<Root>)
    domain.places = [](void* root, std::span<const Edit> edits) {
      return places_of(*static_cast<Root*>(root), edits);
    };
  if constexpr (Updated<Root>) domain.update = [](void* root) { update(*static_cast<Root*>(root)); };
  return domain;
}

}  // namespace serbench
