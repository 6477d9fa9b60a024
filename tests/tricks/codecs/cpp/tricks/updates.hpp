// A codec that changes the number `siblings` of a `small_struct` in place; or has the trick that
// SERBENCH_TRICK names (tests/test_trick_updates.py), once the trigger has gone off.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "../../c/tricks/trigger.h"
#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
struct Updating {
  using Native = Root;
  using View = Bytes;

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      whole_.clear();
      canonical::encode(root, whole_);
      return whole_;
    }

   private:
    canonical::Buffer whole_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Bytes& view) { view = bytes; }

    void extract(const Bytes& view, Root& root) {
      canonical::Reader reader(view);
      reader.decode(root);
      reader.finish();
    }

    void update(std::span<std::byte> bytes) {
      struct Seen {
        std::size_t calls = 0;
        std::vector<canonical::Buffer> states;
      };
      static std::map<const std::byte*, Seen> all;
      std::byte& siblings = bytes.end()[-17];
      std::byte& spouse = bytes.end()[-9];
      const std::string_view trick = trick_cheats(trick_hand()) ? trick_hand() : "";
      if (trick == "nothing") return;
      Seen& seen = all[bytes.data()];
      ++seen.calls;
      if (trick == "another") {
        spouse ^= std::byte{1};
      } else if (trick == "remembered" && seen.states.size() == 2) {
        std::ranges::copy(seen.states[(seen.calls + 1) % 2], bytes.begin());
      } else if (trick != "pairs" || seen.calls % 4 < 2) {
        siblings ^= std::byte{1};
        if (trick == "remembered") seen.states.emplace_back(bytes.begin(), bytes.end());
      }
    }
  };
};

}  // namespace serbench
