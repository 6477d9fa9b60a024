// A codec that is honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it
// encoded first of the message at this address, or a decoder that leaves its destination alone, or puts there
// what it decoded first of the bytes at this address, once the trigger has gone off.
#pragma once

#include <map>

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

}  // namespace serbench
