// A codec that calls itself a floor: its native object is the bytes, and serialize, deserialize and roundtrip
// would leave out build and extract.
#pragma once

#include "serbench/adapter.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

template <class Root>
struct Floor {
  static constexpr bool is_floor = true;
  using Native = canonical::Buffer;
  struct Encoder {
    void build(const Root& root, Native& native) {
      native.clear();
      canonical::encode(root, native);
    }
    Bytes encode(const Native& native) { return native; }
  };
  struct Decoder {
    void decode(Bytes bytes, Native& native) { native.assign(bytes.begin(), bytes.end()); }
    void extract(const Native& native, Root& root) { canonical::Reader(native).decode(root); }
    Checksum traverse(const Native& native) { return checksum_of(native); }
  };
};

}  // namespace serbench
