// The operations of one adapter over one dataset, each as a pass over all its messages.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/calls.hpp"
#include "serbench/canonical.hpp"
#include "serbench/holders.hpp"
#include "serbench/place.hpp"
#include "serbench/runner.hpp"
#include "serbench/sides.hpp"
#include "serbench/sink.hpp"

namespace serbench {

/// One message in memory of its own, aligned as `malloc` aligns, after a gap of so many bytes. The gap is part of the
/// block, since blocks so large that `malloc` maps them all begin at the same place in a page.
class AlignedBytes {
 public:
  explicit AlignedBytes(Bytes bytes, std::size_t gap = 0)
      : words_(new Word[(gap + bytes.size()) / sizeof(Word) + 1]), gap_(gap), size_(bytes.size()) {
    if (size_ != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.get()) + gap_, bytes.data(), size_);
  }
  operator Bytes() const { return {reinterpret_cast<const std::byte*>(words_.get()) + gap_, size_}; }

 private:
  struct alignas(16) Word {
    std::byte bytes[16];
  };
  std::unique_ptr<Word[]> words_;
  std::size_t gap_;
  std::size_t size_;
};

inline void require_equal(const char* operation, std::size_t message, Checksum found, Checksum expected) {
  if (found == expected) return;
  throw std::runtime_error(std::string(operation) + " of message " + std::to_string(message) + " gives " +
                           std::to_string(found) + ", expected " + std::to_string(expected) +
                           ": it does not read what the message holds");
}

template <class A, class Root>
  requires IsAdapter<A, Root>
class Operations final : public Subject {
 public:
  using Native = NativeOf<A, Root>;
  using View = ViewOf<A, Root>;
  using Call = Calls<A, Root>;

  std::vector<std::string_view> operations() const override;
  void load(const std::vector<Bytes>& canonical) override;
  std::size_t messages() const override { return roots_.size(); }
  Bytes encode(std::size_t message, Memory memory) override;
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override;
  void check_reading() override;
  Pass pass(std::string_view operation, Memory memory) override;

 private:
  std::deque<Root> roots_;
  // What operations start from that are parts; filled when first needed, since big datasets would hold all at once.
  std::deque<HeldNative<A, Root>> natives_;
  std::vector<AlignedBytes> encoded_;
  std::deque<HeldView<A, Root>> views_;
  typename Holders<A, Root>::Encoder preparing_encoder_;
  typename Holders<A, Root>::Decoder preparing_decoder_;
  // For one message at a time, as verification asks for it.
  Encoding<A, Root> reused_encoding_{Memory::reuse};
  Encoding<A, Root> fresh_encoding_{Memory::fresh};
  Decoding<A, Root> reused_decoding_{Memory::reuse};
  Decoding<A, Root> fresh_decoding_{Memory::fresh};

  const std::deque<HeldNative<A, Root>>& natives();
  const std::vector<AlignedBytes>& encoded();
  const std::deque<HeldView<A, Root>>& views();

  Pass encoding_pass(std::string_view operation, Memory memory);
  Pass decoding_pass(std::string_view operation, Memory memory);
  Pass reading_pass(std::string_view operation, Memory memory);
  Pass round_pass(std::string_view operation, Memory memory);
};

template <class A, class Root>
  requires IsAdapter<A, Root>
std::vector<std::string_view> Operations<A, Root>::operations() const {
  constexpr bool fast = DecodesFast<A, Root>;
  std::vector<std::string_view> offered{"decode", "deserialize"};
  const auto offer = [&](std::initializer_list<std::string_view> names) { offered.insert(offered.end(), names); };
  if constexpr (!OnlyReads<A>) offer({"encode", "serialize", "roundtrip", "native_roundtrip"});
  if constexpr (Builds<A, Root> && !IsFloor<A> && !OnlyReads<A>) offer({"build"});
  if constexpr (fast) offer({"decode_fast"});
  if constexpr (!DecodesRoot<A, Root> && !IsFloor<A>) offer({"extract"});
  if constexpr (Traverses<A, Root>) {
    offer({"traverse", "decode_traverse"});
    if constexpr (fast) offer({"decode_fast_traverse"});
    if constexpr (!OnlyReads<A>) offer({"cycle"});
  }
  if constexpr (Walks<A, Root>) {
    offer({"walk", "decode_walk"});
    if constexpr (fast) offer({"decode_fast_walk"});
  }
  return offered;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::load(const std::vector<Bytes>& canonical) {
  for (const Bytes bytes : canonical) {
    leave_gap(canonical.size());
    canonical::Reader reader(bytes);
    reader.decode(roots_.emplace_back());
    reader.finish();
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Bytes Operations<A, Root>::encode(std::size_t message, Memory memory) {
  return (memory == Memory::fresh ? fresh_encoding_ : reused_encoding_).serialize(roots_[message]);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) {
  canonical::encode((memory == Memory::fresh ? fresh_decoding_ : reused_decoding_).deserialize(bytes, fast), out);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::check_reading() {
  if constexpr (TraversesItself<A, Root>) {
    for (std::size_t n = 0; n < roots_.size(); ++n) {
      const View& view = views()[n];
      Root root;  // what the bytes hold, which a lossy codec may have rounded
      Call::extract(preparing_decoder_, view, root);
      require_equal("traverse", n, Call::traverse(preparing_decoder_, view), serbench::traverse(root));
      if constexpr (WalksItself<A, Root> && Graph<Root>) {
        require_equal("walk", n, Call::walk(preparing_decoder_, view), walk(root));
      }
    }
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::natives() -> const std::deque<HeldNative<A, Root>>& {
  if constexpr (EncodesRoot<A, Root>) {
    return roots_;
  } else {
    if (natives_.empty()) {
      for (const Root& root : roots_) {
        leave_gap(roots_.size());
        Call::build(preparing_encoder_, root, natives_.emplace_back());
      }
    }
    return natives_;
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::encoded() -> const std::vector<AlignedBytes>& {
  if (encoded_.empty()) {
    encoded_.reserve(roots_.size());
    Encoding<A, Root> encoding(Memory::reuse);
    for (const Root& root : roots_) encoded_.emplace_back(encoding.serialize(root), drawn_gap(roots_.size()));
  }
  return encoded_;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::views() -> const std::deque<HeldView<A, Root>>& {
  if (views_.empty()) {
    for (const AlignedBytes& bytes : encoded()) {
      leave_gap(roots_.size());
      Call::decode(preparing_decoder_, bytes, views_.emplace_back());
    }
  }
  return views_;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::pass(std::string_view operation, Memory memory) {
  const auto offered = operations();
  if (std::ranges::find(offered, operation) == offered.end()) {
    throw std::invalid_argument("this codec has no operation " + std::string(operation));
  }
  leave_gap(1);  // before what it allocates itself, buffers of encoders for one
  if constexpr (IsFloor<A>) {
    if (operation == "serialize") operation = "encode";
    if (operation == "deserialize") operation = "decode";
    if (operation == "roundtrip") operation = "native_roundtrip";
  }
  if (Pass pass = encoding_pass(operation, memory)) return pass;
  if (Pass pass = decoding_pass(operation, memory)) return pass;
  if (Pass pass = reading_pass(operation, memory)) return pass;
  return round_pass(operation, memory);
}

/// The operations that an encoder alone does; none for another.
template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::encoding_pass(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding<A, Root>>(memory);
  if (operation == "serialize") {
    return [this, encoding] {
      for (const Root& root : roots_) consume(encoding->serialize(root));
    };
  }
  if (operation == "build") {
    return [this, encoding] {
      for (const Root& root : roots_) consume(encoding->build(root));
    };
  }
  if (operation == "encode") {
    return [encoding, &inputs = natives()] {
      for (const Native& native : inputs) consume(encoding->encode(native));
    };
  }
  return {};
}

/// The operations that a decoder does from bytes; none for another.
template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::decoding_pass(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  const bool fast = operation.starts_with("decode_fast");
  if (operation == "deserialize") {
    return [decoding, &inputs = encoded()] {
      for (const Bytes bytes : inputs) consume(decoding->deserialize(bytes, false));
    };
  }
  if (operation == "decode" || operation == "decode_fast") {
    return [decoding, &inputs = encoded(), fast] {
      for (const Bytes bytes : inputs) consume(decoding->decode(bytes, fast));
    };
  }
  if (operation == "decode_traverse" || operation == "decode_fast_traverse") {
    return [decoding, &inputs = encoded(), fast] {
      for (const Bytes bytes : inputs) consume_number(decoding->decode_traverse(bytes, fast));
    };
  }
  if (operation == "decode_walk" || operation == "decode_fast_walk") {
    return [decoding, &inputs = encoded(), fast] {
      for (const Bytes bytes : inputs) consume_number(decoding->decode_walk(bytes, fast));
    };
  }
  return {};
}

/// The operations that a decoder does from what was decoded before; none for another.
template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::reading_pass(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  if (operation == "extract") {
    return [decoding, &inputs = views()] {
      for (const View& view : inputs) consume(decoding->extract(view));
    };
  }
  if (operation == "traverse") {
    return [decoding, &inputs = views()] {
      for (const View& view : inputs) consume_number(decoding->traverse(view));
    };
  }
  if (operation == "walk") {
    return [decoding, &inputs = views()] {
      for (const View& view : inputs) consume_number(decoding->walk(view));
    };
  }
  return {};
}

/// The operations that encode and then decode what was encoded.
template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::round_pass(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding<A, Root>>(memory);
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  if (operation == "native_roundtrip") {
    return [encoding, decoding, &inputs = natives()] {
      for (const Native& native : inputs) {
        const Bytes bytes = encoding->encode(native);
        consume(bytes);
        consume(decoding->decode(bytes, false));
      }
    };
  }
  const bool extracts = operation == "roundtrip";  // cycle ends with a sum
  return [this, encoding, decoding, extracts] {
    for (const Root& root : roots_) {
      const Bytes bytes = encoding->serialize(root);
      consume(bytes);
      if (extracts) {
        consume(decoding->deserialize(bytes, false));
      } else {
        consume_number(decoding->decode_traverse(bytes, false));
      }
    }
  };
}

}  // namespace serbench
