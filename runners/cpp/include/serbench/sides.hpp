// The two sides of a codec under a memory policy: what a program keeps in order to write, and what it keeps
// in order to read.
#pragma once

#include "serbench/codec.hpp"
#include "serbench/object.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// Encodes one message after another: the encoder, and the native object where it is built.
class Encoding {
 public:
  Encoding(const Codec& codec, Memory memory)
      : calls_(codec.calls),
        builds_(codec.kinds.native.has_value()),
        natives_(codec.native(), memory),
        encoders_(codec.kinds.encoder, memory) {}

  /// The native object that was built last.
  const void* native() const { return natives_.taken(); }
  const void* build(const void* root) {
    void* const native = natives_.take();
    calls_.build(encoders_.take(), root, native);
    return native;
  }
  Bytes encode(const void* native) { return calls_.encode(encoders_.take(), native); }
  Bytes serialize(const void* root) {
    if (!builds_) return encode(root);
    const void* const native = build(root);
    return calls_.encode(encoders_.taken(), native);
  }
  /// Encodes what was decoded.
  Bytes relay(const void* view) { return calls_.relay(encoders_.take(), view); }

 private:
  Calls calls_;
  bool builds_;  // encode takes another object than the domain object
  Slot natives_;
  Slot encoders_;
};

/// Decodes one message after another: the decoder, the view, and the domain object where it is another.
class Decoding {
 public:
  Decoding(const Codec& codec, Memory memory)
      : calls_(codec.calls),
        extracts_(codec.kinds.view.has_value()),
        roots_(codec.domain.root, memory),
        views_(codec.view(), memory),
        decoders_(codec.kinds.decoder, memory) {}

  void* decode(Bytes bytes, bool fast) {
    void* const view = views_.take();
    (fast ? calls_.decode_fast : calls_.decode)(decoders_.take(), bytes, view);
    return view;
  }
  const void* extract(const void* view) {
    void* const root = roots_.take();
    calls_.extract(decoders_.take(), view, root);
    return root;
  }
  const void* deserialize(Bytes bytes, bool fast) {
    void* const view = decode(bytes, fast);
    if (!extracts_) return view;
    void* const root = roots_.take();
    if (calls_.take != nullptr) {
      calls_.take(decoders_.taken(), view, root);
    } else {
      calls_.extract(decoders_.taken(), view, root);
    }
    return root;
  }
  /// Changes values of the domain object that was decoded last.
  const void* update(void (*change)(void* root)) {
    void* const root = extracts_ ? roots_.taken() : views_.taken();
    change(root);
    return root;
  }
  /// Changes values in the bytes of a message.
  void update_in_place(std::span<std::byte> bytes) { calls_.update(decoders_.take(), bytes); }
  /// The view that was decoded last.
  const void* view() const { return views_.taken(); }
  /// The domain object that was filled last.
  const void* root() const { return extracts_ ? roots_.taken() : views_.taken(); }
  /// The domain object that will be filled again; null where it will be made anew.
  void* kept_root() const { return extracts_ ? roots_.kept() : views_.kept(); }
  Checksum traverse(const void* view) { return calls_.traverse(decoders_.take(), view); }
  Checksum walk(const void* view) { return calls_.walk(decoders_.take(), view); }
  Checksum decode_traverse(Bytes bytes, bool fast) {
    const void* const view = decode(bytes, fast);
    return calls_.traverse(decoders_.taken(), view);
  }
  Checksum decode_walk(Bytes bytes, bool fast) {
    const void* const view = decode(bytes, fast);
    return calls_.walk(decoders_.taken(), view);
  }

 private:
  Calls calls_;
  bool extracts_;  // decode gives another object than the domain object
  Slot roots_;
  Slot views_;
  Slot decoders_;
};

}  // namespace serbench
