// The two sides of a codec under a memory policy: what a program keeps in order to write, and what it keeps
// in order to read.
#pragma once

#include <optional>

#include "serbench/adapter.hpp"
#include "serbench/calls.hpp"
#include "serbench/holders.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// An object that is used again for each message, or made anew for each, as the memory policy says. The
/// object before it is destroyed in the same step, so that `fresh` pays for making and for destroying.
template <class T>
class Slot {
 public:
  explicit Slot(Memory memory) : memory_(memory) {}
  /// The object for the next message.
  T& take() {
    if (memory_ == Memory::fresh || !object_) object_.emplace();
    return *object_;
  }
  /// The object that was taken last.
  T& taken() { return *object_; }
  /// The object that will be used again; null where it will be made anew, or there is none yet.
  T* kept() { return memory_ == Memory::reuse && object_ ? &*object_ : nullptr; }

 private:
  Memory memory_;
  std::optional<T> object_;
};

/// What encodes one message after another: the encoder, and the native object where it is built.
template <class A, class Root>
class Encoding {
 public:
  using Native = NativeOf<A, Root>;
  using Call = Calls<A, Root>;

  explicit Encoding(Memory memory) : natives_(memory), encoders_(memory) {}

  /// What was built last.
  const Native& native() { return natives_.taken(); }
  const Native& build(const Root& root) {
    Native& native = natives_.take();
    Call::build(encoders_.take(), root, native);
    return native;
  }
  Bytes encode(const Native& native) { return Call::encode(encoders_.take(), native); }
  Bytes serialize(const Root& root) {
    if constexpr (EncodesRoot<A, Root>) {
      return encode(root);
    } else {
      const Native& native = build(root);
      return Call::encode(encoders_.taken(), native);
    }
  }

 private:
  Slot<HeldNative<A, Root>> natives_;
  Slot<typename Holders<A, Root>::Encoder> encoders_;
};

/// What decodes one message after another: the decoder, the view, and the domain object where it is another.
template <class A, class Root>
class Decoding {
 public:
  using View = ViewOf<A, Root>;
  using Call = Calls<A, Root>;

  explicit Decoding(Memory memory) : roots_(memory), views_(memory), decoders_(memory) {}

  const View& decode(Bytes bytes, bool fast) {
    View& view = views_.take();
    typename Call::Decoder& decoder = decoders_.take();
    fast ? Call::decode_fast(decoder, bytes, view) : Call::decode(decoder, bytes, view);
    return view;
  }
  const Root& extract(const View& view) {
    Root& root = roots_.take();
    Call::extract(decoders_.take(), view, root);
    return root;
  }
  const Root& deserialize(Bytes bytes, bool fast) {
    if constexpr (DecodesRoot<A, Root>) {
      return decode(bytes, fast);
    } else {
      const View& view = decode(bytes, fast);
      Root& root = roots_.take();
      Call::extract(decoders_.taken(), view, root);
      return root;
    }
  }
  /// What was decoded last.
  const View& view() { return views_.taken(); }
  /// The domain object that was filled last.
  const Root& root() {
    if constexpr (DecodesRoot<A, Root>) {
      return views_.taken();
    } else {
      return roots_.taken();
    }
  }
  /// The domain object that will be filled again; null where it will be made anew.
  Root* kept_root() {
    if constexpr (DecodesRoot<A, Root>) {
      return views_.kept();
    } else {
      return roots_.kept();
    }
  }
  Checksum traverse(const View& view) { return Call::traverse(decoders_.take(), view); }
  Checksum walk(const View& view) { return Call::walk(decoders_.take(), view); }
  Checksum decode_traverse(Bytes bytes, bool fast) {
    const View& view = decode(bytes, fast);
    return Call::traverse(decoders_.taken(), view);
  }
  Checksum decode_walk(Bytes bytes, bool fast) {
    const View& view = decode(bytes, fast);
    return Call::walk(decoders_.taken(), view);
  }

 private:
  Slot<Root> roots_;
  Slot<HeldView<A, Root>> views_;
  Slot<typename Holders<A, Root>::Decoder> decoders_;
};

}  // namespace serbench
