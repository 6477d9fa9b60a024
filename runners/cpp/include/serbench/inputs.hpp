// What operations start from: the messages of a dataset as domain objects, native objects, bytes and views.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/calls.hpp"
#include "serbench/canonical.hpp"
#include "serbench/holders.hpp"
#include "serbench/place.hpp"
#include "serbench/sanitized.hpp"
#include "serbench/sides.hpp"
#include "serbench/watching.hpp"

namespace serbench {

/// One message in memory of its own, aligned as `malloc` aligns, after a gap of so many bytes. The gap is
/// part of the block, since blocks so large that `malloc` maps them all begin at the same place in a page.
class AlignedBytes {
 public:
  explicit AlignedBytes(Bytes bytes, std::size_t gap = 0)
      : words_(new Word[(gap + bytes.size()) / sizeof(Word) + 1]), gap_(gap), size_(bytes.size()) {
    auto* const block = reinterpret_cast<std::byte*>(words_.get());
    if (size_ != 0) std::memcpy(block + gap_, bytes.data(), size_);
    forbid(block, gap_);
    forbid(block + gap_ + size_, sizeof(Word) - (gap_ + size_) % sizeof(Word));
  }
  /// Takes other bytes in the place of these; returns whether they are as many, and else leaves these.
  bool assign(Bytes bytes) {
    if (bytes.size() != size_) return false;
    if (size_ != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.get()) + gap_, bytes.data(), size_);
    return true;
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

template <class A, class Root>
class Inputs final : public Changeable {
 public:
  using Native = NativeOf<A, Root>;
  using View = ViewOf<A, Root>;
  using Call = Calls<A, Root>;

  /// Takes these messages in the place of those before.
  void load(const std::vector<Bytes>& canonical);

  std::deque<Root>& roots() { return roots_; }
  const std::deque<Root>& roots() const { return roots_; }
  // Each of these is made only when it is asked for, since all of them together may be big.
  const std::deque<HeldNative<A, Root>>& natives();
  const std::vector<AlignedBytes>& encoded();
  const std::deque<HeldView<A, Root>>& views();

  /// Calls use(message) for each message of one of the above, from the one on at which passes begin.
  template <class Messages, class Use>
  [[gnu::always_inline]] void each(const Messages& messages, Use&& use) const {
    const auto first = messages.begin() + static_cast<std::ptrdiff_t>(first_);
    for (auto at = first; at != messages.end(); ++at) use(*at);
    for (auto at = messages.begin(); at != first; ++at) use(*at);
  }
  void end_with(std::size_t last) override { first_ = (last + 1) % roots_.size(); }
  void renew(std::size_t message) override;
  Bytes encode(std::size_t message) override { return preparing_.serialize(roots_[message]); }
  std::size_t encoded_size(std::size_t message) override { return Bytes(encoded()[message]).size(); }
  bool replace(std::size_t message, Bytes bytes) override { return encoded_[message].assign(bytes); }
  bool in_place() const override { return Reflected<Root>; }
  std::vector<std::byte*> places(std::size_t message, std::span<const Edit> edits) override;
  void read(std::size_t message, Bytes canonical) override {
    canonical::Reader(canonical).decode(roots_[message]);
  }
  Checksum sum(Bytes canonical, bool walks) const override;
  void give_back(Bytes canonical, canonical::Buffer& out) const override;

 private:
  std::deque<Root> roots_;
  std::deque<HeldNative<A, Root>> natives_;
  std::vector<AlignedBytes> encoded_;
  std::deque<HeldView<A, Root>> views_;
  typename Holders<A, Root>::Encoder encoder_;
  typename Holders<A, Root>::Decoder decoder_;
  Encoding<A, Root> preparing_{Memory::reuse};
  std::size_t first_ = 0;
};

template <class A, class Root>
void Inputs<A, Root>::load(const std::vector<Bytes>& canonical) {
  views_.clear();  // first, since they may point into the bytes
  encoded_.clear();
  natives_.clear();
  roots_.clear();
  first_ = 0;
  for (const Bytes bytes : canonical) {
    leave_gap(canonical.size());
    canonical::Reader reader(bytes);
    reader.decode(roots_.emplace_back());
    reader.finish();
  }
}

template <class A, class Root>
auto Inputs<A, Root>::natives() -> const std::deque<HeldNative<A, Root>>& {
  if constexpr (EncodesRoot<A, Root>) {
    return roots_;
  } else {
    if (natives_.empty()) {
      for (const Root& root : roots_) {
        leave_gap(roots_.size());
        Call::build(encoder_, root, natives_.emplace_back());
      }
    }
    return natives_;
  }
}

template <class A, class Root>
auto Inputs<A, Root>::encoded() -> const std::vector<AlignedBytes>& {
  if (encoded_.empty()) {
    encoded_.reserve(roots_.size());
    Encoding<A, Root> encoding(Memory::reuse);
    for (const Root& root : roots_) encoded_.emplace_back(encoding.serialize(root), drawn_gap(roots_.size()));
  }
  return encoded_;
}

template <class A, class Root>
auto Inputs<A, Root>::views() -> const std::deque<HeldView<A, Root>>& {
  if (views_.empty()) {
    for (const AlignedBytes& bytes : encoded()) {
      leave_gap(roots_.size());
      Call::decode(decoder_, bytes, views_.emplace_back());
    }
  }
  return views_;
}

template <class A, class Root>
void Inputs<A, Root>::renew(std::size_t message) {
  const Root& root = roots_[message];
  if (!natives_.empty()) Call::build(encoder_, root, natives_[message]);
  if (!encoded_.empty()) {
    const Bytes bytes = preparing_.serialize(root);
    if (!replace(message, bytes)) encoded_[message] = AlignedBytes(bytes, drawn_gap(roots_.size()));
  }
  if (!views_.empty()) Call::decode(decoder_, encoded_[message], views_[message]);
}

template <class A, class Root>
std::vector<std::byte*> Inputs<A, Root>::places(std::size_t message, std::span<const Edit> edits) {
  if constexpr (Reflected<Root>) {
    return places_of(roots_[message], edits);
  } else {
    return {};
  }
}

template <class A, class Root>
Checksum Inputs<A, Root>::sum(Bytes canonical, bool walks) const {
  Root root;
  canonical::Reader(canonical).decode(root);
  if constexpr (Graph<Root>) {
    if (walks) return WalkDomain{}(root);
  }
  return traverse(root);
}

template <class A, class Root>
void Inputs<A, Root>::give_back(Bytes canonical, canonical::Buffer& out) const {
  Encoding<A, Root> encoding(Memory::fresh);
  Decoding<A, Root> decoding(Memory::fresh);
  Root root;
  canonical::Reader(canonical).decode(root);
  const AlignedBytes encoded(encoding.serialize(root));
  canonical::encode(decoding.deserialize(encoded, false), out);
}

}  // namespace serbench
