// The least program that uses a codec, for the metrics compile_time and binary_size: one message comes in as bytes,
// becomes a domain object, and goes out as bytes. There is nothing in it but the codec and the workload's types.
#pragma once

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "serbench/adapter.hpp"

namespace serbench {

inline std::vector<std::byte> read_input() {
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  do {
    bytes.resize(size + 65536);
    size += std::fread(bytes.data() + size, 1, bytes.size() - size, stdin);
  } while (size == bytes.size());
  bytes.resize(size);
  return bytes;
}

/// Returns the exit status of the program.
template <class A, class Root>
int copy_message() {
  const std::vector<std::byte> input = read_input();
  A adapter;
  ViewOf<A, Root> view{};
  adapter.decode(input, view);
  const auto write = [](Bytes bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
  };
  if constexpr (IsFloor<A> || (EncodesRoot<A, Root> && DecodesRoot<A, Root>)) {
    return write(adapter.encode(view));
  } else {
    Root root{};
    if constexpr (DecodesRoot<A, Root>) {
      root = std::move(view);
    } else {
      adapter.extract(view, root);
    }
    if constexpr (EncodesRoot<A, Root>) {
      return write(adapter.encode(root));
    } else {
      NativeOf<A, Root> native{};
      adapter.build(root, native);
      return write(adapter.encode(native));
    }
  }
}

}  // namespace serbench
