// The calls into an adapter, in a translation unit of their own: calls.cpp instantiates them and nothing
// else.
//
// So the optimiser cannot merge one operation into the next, and every codec is called across the boundary of
// a file, as in a program. And the harness takes nothing from the budget by which a compiler decides what to
// inline into the library's code (with both in one file, GCC 12 made msgpack's encode 20 % longer).
#pragma once

#include "serbench/adapter.hpp"
#include "serbench/codec.hpp"

namespace serbench {

namespace detail {

template <class T>
T& as(void* object) {
  return *static_cast<T*>(object);
}
template <class T>
const T& as(const void* object) {
  return *static_cast<const T*>(object);
}

template <class A, class Root>
struct CallsOf {
  static_assert(HasTwoSides<A>, "an adapter has the types Encoder and Decoder (docs/add-a-codec.md)");
  using Encoder = typename A::Encoder;
  using Decoder = typename A::Decoder;
  using Native = serbench::NativeOf<A, Root>;
  using View = serbench::ViewOf<A, Root>;

  static Bytes encode(void* encoder, const void* native) {
    return as<Encoder>(encoder).encode(as<Native>(native));
  }
  static void decode(void* decoder, Bytes bytes, void* view) {
    as<Decoder>(decoder).decode(bytes, as<View>(view));
  }
  static void build(void* encoder, const void* root, void* native) {
    as<Encoder>(encoder).build(as<Root>(root), as<Native>(native));
  }
  static void decode_fast(void* decoder, Bytes bytes, void* view) {
    as<Decoder>(decoder).decode_fast(bytes, as<View>(view));
  }
  static void extract(void* decoder, const void* view, void* root) {
    as<Decoder>(decoder).extract(as<View>(view), as<Root>(root));
  }
  static Checksum traverse(void* decoder, const void* view) {
    if constexpr (TraversesItself<A, Root>) {
      return as<Decoder>(decoder).traverse(as<View>(view));
    } else {
      return serbench::traverse(as<Root>(view));
    }
  }
  static Checksum walk(void* decoder, const void* view) {
    if constexpr (WalksItself<A, Root>) {
      return as<Decoder>(decoder).walk(as<View>(view));
    } else {
      return WalkDomain{}(as<Root>(view));
    }
  }
  static void update(void* decoder, std::span<std::byte> bytes) { as<Decoder>(decoder).update(bytes); }
  static Bytes relay(void* encoder, const void* view) { return as<Encoder>(encoder).relay(as<View>(view)); }
};

}  // namespace detail

/// The table of an adapter's calls.
template <class A, class Root>
constexpr Calls calls_of() {
  using Of = detail::CallsOf<A, Root>;
  Calls calls{.encode = Of::encode, .decode = Of::decode};
  if constexpr (Builds<A, Root>) calls.build = Of::build;
  if constexpr (DecodesFast<A, Root>) calls.decode_fast = Of::decode_fast;
  if constexpr (Extracts<A, Root>) calls.extract = Of::extract;
  if constexpr (Traverses<A, Root>) calls.traverse = Of::traverse;
  if constexpr (Walks<A, Root>) calls.walk = Of::walk;
  if constexpr (UpdatesItself<A>) calls.update = Of::update;
  if constexpr (RelaysItself<A, Root>) {
    calls.relay = Of::relay;
  } else if constexpr (std::same_as<NativeOf<A, Root>, ViewOf<A, Root>> && !OnlyReads<A>) {
    calls.relay = Of::encode;
  }
  return calls;
}

}  // namespace serbench
