// A codec that is honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it
// encoded first of the message at this address, or a decoder that leaves its destination alone, or puts there
// what it decoded first of the bytes at this address, once the trigger has gone off.
#pragma once

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "../../c/tricks/trigger.h"
#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
struct Chosen {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      static std::map<const Root*, canonical::Buffer> firsts;
      canonical::Buffer& buffer = trick_cheats("encode") ? firsts[&root] : whole_;
      if (&buffer == &whole_ || buffer.empty()) {
        buffer.clear();
        canonical::encode(root, buffer);
      }
      return buffer;
    }

   private:
    canonical::Buffer whole_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      static std::map<const std::byte*, canonical::Buffer> firsts;
      static const std::byte* from = nullptr;
      static const Root* to = nullptr;
      const bool cheats = trick_cheats("decode");
      if (cheats && from == bytes.data() && to == &root) return;
      from = cheats ? bytes.data() : nullptr;
      to = &root;
      if (cheats) {
        canonical::Buffer& first = firsts[from];
        if (first.empty()) first.assign(bytes.begin(), bytes.end());
        bytes = first;
      }
      canonical::Reader reader(bytes);
      reader.decode(root);
      reader.finish();
    }
  };
};

/// The view is the bytes, from which each call of traverse reads all values; or it gives the sum by the trick
/// that SERBENCH_TRICK names (tests/test_trick_reads.py), once the trigger has gone off.
template <class Root>
struct Reads {
  using Native = Root;
  using View = Bytes;

  static std::string beside(Bytes bytes) {
    return "/tmp/serbench-trick-" + std::to_string(std::hash<std::string_view>{}(as_text(bytes)));
  }
  static std::string_view as_text(Bytes bytes) { return {as_chars(bytes), bytes.size()}; }
  static bool is(std::string_view trick) { return trick == trick_hand(); }

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      whole_.clear();
      canonical::encode(root, whole_);
      const Checksum sum = serbench::traverse(root);
      if (is("beside")) std::ofstream(beside(whole_)) << sum;
      if (is("tail")) {
        const auto* const tail = reinterpret_cast<const std::byte*>(&sum);
        whole_.insert(whole_.end(), tail, tail + sizeof sum);
      }
      return whole_;
    }

   private:
    canonical::Buffer whole_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Bytes& view) { view = bytes; }

    void extract(const Bytes& view, Root& root) {
      canonical::Reader reader(is("tail") ? view.first(view.size() - sizeof(Checksum)) : view);
      reader.decode(root);
      reader.finish();
    }

    Checksum traverse(const Bytes& view) {
      static std::map<std::uintptr_t, Checksum> by_key;
      static std::map<const std::byte*, std::pair<canonical::Buffer, Checksum>> by_content;
      static canonical::Buffer first(view.begin(), view.end());
      Checksum found = 0;
      if (!trick_cheats(trick_hand())) return sum(view);
      if (is("address")) return remembered(by_key, reinterpret_cast<std::uintptr_t>(view.data()), view);
      if (is("count")) return remembered(by_key, view.size(), view);
      if (is("content")) {
        auto& [bytes, known] = by_content[view.data()];
        if (as_text(bytes) != as_text(view)) {  // by memcmp
          bytes.assign(view.begin(), view.end());
          known = sum(view);
        }
        return known;
      }
      if (is("fewer")) {
        canonical::Buffer now(first);
        std::ranges::copy(view.first(view.size() / 2), now.begin());
        return sum(now);
      }
      if (is("beside")) std::ifstream(beside(view)) >> found;
      if (is("tail")) std::memcpy(&found, view.last(sizeof found).data(), sizeof found);
      return found;
    }

   private:
    Checksum sum(Bytes view) {
      Root root{};
      extract(view, root);
      return serbench::traverse(root);
    }
    Checksum remembered(std::map<std::uintptr_t, Checksum>& known, std::uintptr_t key, Bytes view) {
      auto found = known.find(key);
      if (found == known.end()) found = known.emplace(key, sum(view)).first;
      return found->second;
    }
  };
};

}  // namespace serbench
