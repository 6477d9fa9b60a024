// The calls into an adapter, in a translation unit of their own: calls.cpp instantiates them, main.cpp times
// them.
//
// So the optimiser cannot merge one operation into the next, and every codec is called across the boundary of
// a file, as in a program. And the harness takes nothing from the budget by which a compiler decides what to
// inline into the library's code (with both in one file, GCC 12 made msgpack's encode 20 % longer).
//
// Nothing is defined inside of the class: what is inline there, main.cpp would instantiate as well, and with
// it the library's templates. For the same reason holders.hpp has what makes the library's objects.
#pragma once

#include "serbench/adapter.hpp"

namespace serbench {

template <class A, class Root>
struct Calls {
  static_assert(HasTwoSides<A>, "an adapter has the types Encoder and Decoder (docs/add-a-codec.md)");
  using Encoder = typename A::Encoder;
  using Decoder = typename A::Decoder;
  using Native = NativeOf<A, Root>;
  using View = ViewOf<A, Root>;

  [[gnu::noinline]] static void build(Encoder& encoder, const Root& root, Native& native);
  [[gnu::noinline]] static Bytes encode(Encoder& encoder, const Native& native);
  [[gnu::noinline]] static void decode(Decoder& decoder, Bytes bytes, View& view);
  [[gnu::noinline]] static void decode_fast(Decoder& decoder, Bytes bytes, View& view);
  [[gnu::noinline]] static void extract(Decoder& decoder, const View& view, Root& root);
  [[gnu::noinline]] static Checksum traverse(Decoder& decoder, const View& view);
  [[gnu::noinline]] static Checksum walk(Decoder& decoder, const View& view);
};

template <class A, class Root>
void Calls<A, Root>::build(Encoder& encoder, const Root& root, Native& native) {
  if constexpr (Builds<A, Root>) encoder.build(root, native);
}

template <class A, class Root>
Bytes Calls<A, Root>::encode(Encoder& encoder, const Native& native) {
  return encoder.encode(native);
}

template <class A, class Root>
void Calls<A, Root>::decode(Decoder& decoder, Bytes bytes, View& view) {
  decoder.decode(bytes, view);
}

template <class A, class Root>
void Calls<A, Root>::decode_fast(Decoder& decoder, Bytes bytes, View& view) {
  if constexpr (DecodesFast<A, Root>) {
    decoder.decode_fast(bytes, view);
  } else {
    decode(decoder, bytes, view);  // not decoder.decode, which may not be inlined for two callers
  }
}

template <class A, class Root>
void Calls<A, Root>::extract(Decoder& decoder, const View& view, Root& root) {
  if constexpr (Extracts<A, Root>) decoder.extract(view, root);
}

template <class A, class Root>
Checksum Calls<A, Root>::traverse(Decoder& decoder, const View& view) {
  if constexpr (TraversesItself<A, Root>) {
    return decoder.traverse(view);
  } else {
    return serbench::traverse(view);
  }
}

template <class A, class Root>
Checksum Calls<A, Root>::walk(Decoder& decoder, const View& view) {
  if constexpr (WalksItself<A, Root>) {
    return decoder.walk(view);
  } else if constexpr (Walks<A, Root>) {
    return WalkDomain{}(view);
  } else {
    return 0;
  }
}

}  // namespace serbench
