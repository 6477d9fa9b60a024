// The calls into an adapter, in a translation unit of their own: calls.cpp instantiates them, main.cpp times them.
//
// The optimiser cannot merge one operation into the next, every codec has the boundary that a caller in another file
// has, and the harness around it takes nothing from the budget by which a compiler decides what to inline into the
// library's code (with both in one file, GCC 12 made msgpack's encode 20 % longer).
#pragma once

#include "serbench/adapter.hpp"

namespace serbench {

template <class A, class Root>
struct Calls {
  using Native = NativeOf<A, Root>;
  using View = ViewOf<A, Root>;

  [[gnu::noinline]] static void build(A& adapter, const Root& root, Native& native) {
    if constexpr (Builds<A, Root>) adapter.build(root, native);
  }
  [[gnu::noinline]] static Bytes encode(A& adapter, const Native& native) { return adapter.encode(native); }
  [[gnu::noinline]] static void decode(A& adapter, Bytes bytes, View& view) { adapter.decode(bytes, view); }
  [[gnu::noinline]] static void decode_fast(A& adapter, Bytes bytes, View& view) {
    if constexpr (DecodesFast<A, Root>) {
      adapter.decode_fast(bytes, view);
    } else {
      decode(adapter, bytes, view);  // a second caller of the adapter's own would be a reason not to inline it
    }
  }
  [[gnu::noinline]] static void extract(A& adapter, const View& view, Root& root) {
    if constexpr (Extracts<A, Root>) adapter.extract(view, root);
  }
  [[gnu::noinline]] static Checksum traverse(A& adapter, const View& view) {
    if constexpr (TraversesItself<A, Root>) {
      return adapter.traverse(view);
    } else {
      return serbench::traverse(view);
    }
  }
  [[gnu::noinline]] static Checksum walk(A& adapter, const View& view) {
    if constexpr (WalksItself<A, Root>) {
      return adapter.walk(view);
    } else if constexpr (Walks<A, Root>) {
      return WalkDomain{}(view);
    } else {
      return 0;
    }
  }
};

}  // namespace serbench
