// The floor: copies the canonical bytes, which no codec can undercut by doing its work better.
#pragma once

#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
struct MemcpyAdapter {
  static constexpr bool is_floor = true;
  using Native = canonical::Buffer;

  class Encoder {
   public:
    void build(const Root& root, Native& native) {
      native.clear();
      canonical::encode(root, native);
    }
    Bytes encode(const Native& native) {
      buffer_.assign(native.begin(), native.end());
      return buffer_;
    }

   private:
    canonical::Buffer buffer_;
  };

  struct Decoder {
    void decode(Bytes bytes, Native& view) { view.assign(bytes.begin(), bytes.end()); }
    void extract(const Native& view, Root& root) {
      canonical::Reader reader(view);
      reader.decode(root);
      reader.finish();
    }
  };
};

}  // namespace serbench
