// Functions that make the library's objects and destroy them: main.cpp instantiates them.
//
// A file that makes an object instantiates the library's templates, and where several files have a copy of a
// function, the linker takes one copy for all. It must take that of calls.cpp, which is linked first, since
// in other files other calls are inlined: with the copies of the file that makes objects, Thrift took up to
// 14 % more instructions. But calls.cpp does not make the objects itself: the more types a compiler sees in a
// file, the less it can guess on which one a virtual function is called. cereal, which reads from a stream,
// took 42 % more where the encoder's stream was made in the same file.
#pragma once

#include <new>

#include "serbench/adapter.hpp"
#include "serbench/codec.hpp"

namespace serbench {

template <class T>
constexpr Kind kind_of() {
  return {.size = sizeof(T),
          .alignment = alignof(T),
          .make = [](void* block) { ::new (block) T(); },
          .destroy = [](void* object) { static_cast<T*>(object)->~T(); }};
}

/// The codec that an adapter makes of a library, with these calls and this domain.
template <class A, class Root>
Codec codec_of(const Calls& calls, const Domain& domain) {
  static_assert(IsAdapter<A, Root>, "an adapter has the members that serbench/adapter.hpp names");
  Codec codec{.domain = domain,
              .kinds = {.encoder = kind_of<typename A::Encoder>(), .decoder = kind_of<typename A::Decoder>()},
              .calls = calls,
              .is_floor = IsFloor<A>,
              .only_reads = OnlyReads<A>};
  if constexpr (!EncodesRoot<A, Root>) codec.kinds.native = kind_of<NativeOf<A, Root>>();
  if constexpr (!DecodesRoot<A, Root>) codec.kinds.view = kind_of<ViewOf<A, Root>>();
  return codec;
}

}  // namespace serbench
