// What holds the library's objects: main.cpp has encoders, decoders, native objects and views by these, whose
// constructors and destructors it only calls. holders.cpp instantiates them.
//
// A file that makes an object instantiates the library's templates, and where several files have a copy of a
// function, the linker takes one copy for all. It must take that of calls.cpp, which is linked first, since
// in other files other calls are inlined: with the copies of main.cpp, Thrift took up to 14 % more
// instructions. But calls.cpp does not make the objects either: the more types a compiler sees in a file, the
// less it can guess on which one a virtual function is called. cereal, which reads from a stream, took 42 %
// more where the encoder's stream was made in the same file.
#pragma once

#include <type_traits>

#include "serbench/adapter.hpp"

namespace serbench {

template <class A, class Root>
struct Holders {
  class Encoder {
   public:
    [[gnu::noinline]] Encoder();
    [[gnu::noinline]] ~Encoder();
    operator typename A::Encoder&() { return held_; }

   private:
    typename A::Encoder held_;
  };

  class Decoder {
   public:
    [[gnu::noinline]] Decoder();
    [[gnu::noinline]] ~Decoder();
    operator typename A::Decoder&() { return held_; }

   private:
    typename A::Decoder held_;
  };

  // A domain object is not the library's. Where it is the native object or the view, main.cpp makes it.
  struct Nothing {};
  using OwnNative = std::conditional_t<EncodesRoot<A, Root>, Nothing, NativeOf<A, Root>>;
  using OwnView = std::conditional_t<DecodesRoot<A, Root>, Nothing, ViewOf<A, Root>>;

  class Native {
   public:
    [[gnu::noinline]] Native();
    [[gnu::noinline]] ~Native();
    operator OwnNative&() { return held_; }
    operator const OwnNative&() const { return held_; }

   private:
    OwnNative held_;
  };

  class View {
   public:
    [[gnu::noinline]] View();
    [[gnu::noinline]] ~View();
    operator OwnView&() { return held_; }
    operator const OwnView&() const { return held_; }

   private:
    OwnView held_;
  };
};

template <class A, class Root>
using HeldNative = std::conditional_t<EncodesRoot<A, Root>, Root, typename Holders<A, Root>::Native>;
template <class A, class Root>
using HeldView = std::conditional_t<DecodesRoot<A, Root>, Root, typename Holders<A, Root>::View>;

template <class A, class Root>
Holders<A, Root>::Encoder::Encoder() : held_() {}
template <class A, class Root>
Holders<A, Root>::Encoder::~Encoder() = default;

template <class A, class Root>
Holders<A, Root>::Decoder::Decoder() : held_() {}
template <class A, class Root>
Holders<A, Root>::Decoder::~Decoder() = default;

template <class A, class Root>
Holders<A, Root>::Native::Native() : held_() {}
template <class A, class Root>
Holders<A, Root>::Native::~Native() = default;

template <class A, class Root>
Holders<A, Root>::View::View() : held_() {}
template <class A, class Root>
Holders<A, Root>::View::~View() = default;

}  // namespace serbench
