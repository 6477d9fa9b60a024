// The floor: copies the canonical bytes, which no codec can undercut by doing its work better.
#pragma once

#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
class MemcpyAdapter {
 public:
  static constexpr bool is_floor = true;
  using Native = canonical::Buffer;

  void build(const Root& root, Native& native) {
    native.clear();
    canonical::encode(root, native);
  }
  Bytes encode(const Native& native) {
    buffer_.assign(native.begin(), native.end());
    return buffer_;
  }
  void decode(Bytes bytes, Native& view) { view.assign(bytes.begin(), bytes.end()); }
  void extract(const Native& view, Root& root) {
    canonical::Reader reader(view);
    reader.decode(root);
    reader.finish();
  }

 private:
  canonical::Buffer buffer_;
};

}  // namespace serbench
