// An adapter that lingers at floats when it writes, and at nothing when it reads.
#pragma once

#include <chrono>

#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
struct SlowAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      for (const auto& line : root.lines) linger(line);
      buffer_.clear();
      canonical::encode(root, buffer_);
      return buffer_;
    }

   private:
    canonical::Buffer buffer_;

    static void linger(const auto& line) {
      using namespace std::chrono;
      if constexpr (requires { line.price; }) {  // there is none where it was dropped
        if (line.price == 0) return;
        const auto end = steady_clock::now() + 30us;
        while (steady_clock::now() < end) {
        }
      }
    }
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      canonical::Reader reader(bytes);
      reader.decode(root);
      reader.finish();
    }
  };
};

}  // namespace serbench
