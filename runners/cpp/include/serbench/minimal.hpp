// The least program that uses a codec, for the metrics compile_time and binary_size: one message comes in as
// bytes, becomes a domain object, and goes out as bytes where the library writes. There is nothing in it but
// the codec and the workload's types.
#pragma once

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/sink.hpp"

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

template <class A, class Root>
bool write(typename A::Encoder& encoder, const NativeOf<A, Root>& native) {
  const Bytes bytes = encoder.encode(native);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
}

/// Writes the decoded message again: by way of the domain object, if that is another object.
template <class A, class Root>
bool write_again(typename A::Decoder& decoder, ViewOf<A, Root>& view) {
  typename A::Encoder encoder;
  if constexpr (IsFloor<A> || (EncodesRoot<A, Root> && DecodesRoot<A, Root>)) {
    return write<A, Root>(encoder, view);
  } else {
    Root root{};
    if constexpr (DecodesRoot<A, Root>) {
      root = std::move(view);
    } else {
      decoder.extract(view, root);
    }
    if constexpr (EncodesRoot<A, Root>) {
      return write<A, Root>(encoder, root);
    } else {
      NativeOf<A, Root> native{};
      encoder.build(root, native);
      return write<A, Root>(encoder, native);
    }
  }
}

/// Returns the exit status of the program.
template <class A, class Root>
int copy_message() {
  const std::vector<std::byte> input = read_input();
  typename A::Decoder decoder;
  ViewOf<A, Root> view{};
  decoder.decode(input, view);
  if constexpr (OnlyReads<A>) {
    if constexpr (!DecodesRoot<A, Root>) {
      Root root{};
      decoder.extract(view, root);
      consume(root);
    }
    consume(view);
    return 0;
  } else {
    return write_again<A, Root>(decoder, view) ? 0 : 1;
  }
}

}  // namespace serbench
