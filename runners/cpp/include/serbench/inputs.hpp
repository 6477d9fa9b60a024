// The inputs of operations: the messages of a dataset as domain objects, native objects, bytes and views.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "serbench/codec.hpp"
#include "serbench/dataset.hpp"
#include "serbench/object.hpp"
#include "serbench/sanitized.hpp"
#include "serbench/sides.hpp"

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
  /// The bytes, for whoever changes them in place.
  std::span<std::byte> writable() const { return {reinterpret_cast<std::byte*>(words_.get()) + gap_, size_}; }
  operator Bytes() const { return {reinterpret_cast<const std::byte*>(words_.get()) + gap_, size_}; }

 private:
  struct alignas(16) Word {
    std::byte bytes[16];
  };
  std::unique_ptr<Word[]> words_;
  std::size_t gap_;
  std::size_t size_;
};

/// The messages of a dataset in each of the forms that operations start from, and what changes them.
class Inputs {
 public:
  /// One for each message, at addresses that stay.
  using Objects = std::deque<Object>;

  explicit Inputs(const Codec& codec);

  /// Takes these canonical messages in the place of those before.
  void load(const std::vector<Bytes>& canonical);

  /// From now on, the bytes of messages are these bodies, which another program has encoded: one for each
  /// message, and after those one for each edit. The codec's encoder makes none until others are loaded.
  void give(MessageFile bodies);
  bool are_given() const { return given_.has_value(); }
  /// The body of an edit.
  Bytes given(std::size_t edit) const { return given_->messages()[roots_.size() + edit]; }
  /// From now on, messages are these bytes, where they lay before as far as they are as many, and nothing
  /// else.
  void hold(const std::vector<Bytes>& bodies);
  /// From now on, the body of a message is the one for these edits of it, at most one; has no effect where no
  /// bodies are given.
  void give_edited(std::size_t message, std::span<const std::uint32_t> edits);

  const Objects& roots() const { return roots_; }
  // Each of these is made only when it is asked for, since all of them together may be big.
  const Objects& natives();
  const std::vector<AlignedBytes>& encoded();
  const Objects& views();

  /// Calls use(message) for each message of one of the above, from the one on at which passes begin; or for
  /// that one alone.
  template <class Messages, class Use>
  [[gnu::always_inline]] void each(const Messages& messages, Use&& use) const {
    const auto first = messages.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto end = alone_ ? first + 1 : messages.end();
    const auto rest = alone_ ? messages.begin() : first;
    for (auto at = first; at != end; ++at) use(*at);
    for (auto at = messages.begin(); at != rest; ++at) use(*at);
  }

  /// The one of the above with which passes end.
  template <class Messages>
  const auto& last_of(const Messages& messages) const {
    return messages[(first_ + messages.size() - 1) % messages.size()];
  }

  /// From now on, passes end with this message.
  void end_with(std::size_t last) { first_ = (last + 1) % roots_.size(); }
  /// From now on, a pass is over this message alone.
  void take_alone(std::size_t message) {
    first_ = message;
    alone_ = true;
  }
  /// Makes the native object, bytes and view of a message once more, as far as they were made, in the same
  /// objects.
  void renew(std::size_t message);
  /// The bytes that a message would be encoded to now, or its body; valid until the next call.
  Bytes encode(std::size_t message) { return encode(message, preparing_); }
  /// How many encoded bytes a message has.
  std::size_t encoded_size(std::size_t message) { return Bytes(encoded()[message]).size(); }
  /// Overwrites the encoded bytes of a message with others; returns whether they are as many.
  bool replace(std::size_t message, Bytes bytes) {
    put_.resize(encoded_.size());
    put_[message] = updates_;
    return encoded_[message].assign(bytes);
  }
  /// Counts a pass that has changed the bytes of all messages in place.
  void count_update() { ++updates_; }
  /// Whether such passes have changed the message with which passes end an even number of times since its
  /// bytes were put there, so that they are as they were.
  bool is_restored() {
    put_.resize(encoded_.size());
    return (updates_ - put_[(first_ + put_.size() - 1) % put_.size()]) % 2 == 0;
  }
  /// Whether values of domain objects lie in memory as in their canonical bytes.
  bool in_place() const { return codec_.domain.places != nullptr; }
  /// The places of the values of edits in the domain object of a message; empty where one was not met.
  std::vector<std::byte*> places(std::size_t message, std::span<const Edit> edits) {
    return codec_.domain.places(roots_[message], edits);
  }
  /// Makes the domain object of a message what these canonical bytes hold.
  void read(std::size_t message, Bytes canonical) { codec_.domain.read(canonical, roots_[message]); }
  /// The sum over what canonical bytes hold; that of a walk where it is asked for and the message is a graph.
  Checksum sum(Bytes canonical, bool walks) const;

 private:
  Codec codec_;
  Objects roots_;
  Objects natives_;
  std::vector<AlignedBytes> encoded_;
  Objects views_;
  Object encoder_;
  Object decoder_;
  Encoding preparing_;
  std::size_t first_ = 0;
  bool alone_ = false;
  std::size_t updates_ = 0;
  std::vector<std::size_t> put_;  // message → how many updates there were before its bytes were put there
  std::optional<MessageFile> given_;
  std::vector<std::size_t> bodies_;  // message → which of the given bodies is its own

  Bytes encode(std::size_t message, Encoding& encoding) {
    return given_ ? given_->messages()[bodies_[message]] : encoding.serialize(roots_[message]);
  }
};

}  // namespace serbench
