// What is timed is what is checked: between samples, outside the clock, values of the messages change where
// they lie, and what the timed passes left is held to what it must be (docs/protocol.md, "Edits").
//
// A change of domain objects or of bytes needs no call into the adapter, so that nothing tells it of one.
// Native objects and views are the library's and change by its own build and decode.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "serbench/edits.hpp"
#include "serbench/inputs.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// An operation as passes over what it starts from, and how to look at what a pass left of its last message.
template <class Root>
struct Work {
  Pass pass;
  Input input;
  /// The sum that the operation gave; of an operation that gives none, `left` appends the canonical bytes of
  /// the message.
  std::function<Checksum()> sum{};
  bool walks = false;  ///< the sum is of a walk
  std::function<void(canonical::Buffer&)> left{};
  /// The domain object that is decoded into each time; null where it is made anew, or is none.
  std::function<Root*()> destination = [] { return nullptr; };
};

template <class A, class Root>
class Watching {
 public:
  Watching(Inputs<A, Root>& inputs, Edits edits, const std::vector<Bytes>& messages)
      : inputs_(inputs), edited_(std::move(edits), messages) {}

  /// Changes values, and what was prepared from them for this input.
  void renew(Input input) {
    last_ = edited_.draw_message();
    inputs_.end_with(last_);
    later_.clear();
    Forced later = edited_.draw(last_, edited_.forced());
    Forced now = edited_.draw(last_, later);
    if (input == Input::bytes) keep_for_later(later, now);
    set(std::move(now));
    for (const std::size_t message : stale_) inputs_.renew(message);
    stale_.clear();
    shifted_ = std::move(later);
  }

  /// Changes values once more without a call into the adapter, where that can be.
  void shift(Input input) {
    if (input == Input::roots) set(std::move(shifted_));
    if (input == Input::bytes && fits(later_)) {
      set(std::move(shifted_));
      for (const auto& [message, bytes] : later_) inputs_.replace(message, bytes);
    }
  }

  /// Changes values of what an operation decodes into, which it has to write anew.
  void spoil(Root& destination) {
    const auto edits = edited_.edits(last_);
    if constexpr (Reflected<Root>) {
      const auto places = places_of(destination, edits);
      for (std::byte* place : places) *place ^= std::byte{1};
    } else {
      canonical::Buffer other(edited_.before(last_).begin(), edited_.before(last_).end());
      for (const Edit& edit : edits) std::ranges::copy(edit.bytes, other.data() + edit.offset);
      canonical::Reader(other).decode(destination);
    }
  }

  /// Throws unless what an operation left is what its last message now is.
  void check(std::string_view operation, const Work<Root>& work) {
    if (work.sum) {
      const Checksum found = work.sum();
      if (found == sum_of(edited_.now(last_), work.walks) ||
          found == sum_of(edited_.now(last_, given_back()), work.walks)) {
        return;
      }
      throw std::runtime_error("the sum of " + std::string(operation) + " does not match message " +
                               std::to_string(last_) + " after its values changed: " + verdict);
    }
    left_.clear();
    work.left(left_);
    if (left_ == edited_.now(last_) || left_ == edited_.now(last_, given_back())) return;
    throw std::runtime_error("the result of " + std::string(operation) + " does not match message " +
                             std::to_string(last_) + " after its values changed: " + verdict);
  }

 private:
  static constexpr const char* verdict = "the timed code returns remembered results, or skips work";

  Inputs<A, Root>& inputs_;
  Edited edited_;
  std::size_t last_ = 0;
  Forced shifted_;  // what is in force after the next shift
  std::map<std::size_t, canonical::Buffer> later_;
  std::set<std::size_t>
      stale_;  // messages that have changed since natives, bytes and views were prepared from them
  std::map<std::size_t, std::vector<std::byte*>> places_;
  std::map<std::size_t, canonical::Buffer> given_back_;
  canonical::Buffer left_;

  /// The sum over a message; that of a walk where it is a graph.
  static Checksum sum_of(const canonical::Buffer& bytes, bool walks) {
    Root root;
    canonical::Reader(bytes).decode(root);
    if constexpr (Graph<Root>) {
      if (walks) return WalkDomain{}(root);
    }
    return traverse(root);
  }

  /// From now on these edits are in force, in the domain objects.
  void set(Forced forced) {
    for (const std::size_t message : edited_.set(std::move(forced))) {
      write(message);
      stale_.insert(message);
    }
  }

  /// Makes a domain object what its message now is.
  void write(std::size_t message) {
    Root& root = inputs_.roots()[message];
    if constexpr (Reflected<Root>) {
      std::vector<std::byte*>& places = places_[message];
      if (places.empty()) places = places_of(root, edited_.edits(message));
      if (places.empty()) throw std::runtime_error("the edits are of other messages");
      for (std::size_t n = 0; n < places.size(); ++n) std::ranges::copy(edited_.now(message, n), places[n]);
    } else {
      canonical::Reader(edited_.now(message)).decode(root);
    }
  }

  /// Whether there are encoded bytes for the next shift, each as many as those in whose place they come.
  bool fits(const std::map<std::size_t, canonical::Buffer>& later) {
    return !later.empty() && std::ranges::all_of(later, [this](const auto& each) {
      return each.second.size() == Bytes(inputs_.encoded()[each.first]).size();
    });
  }

  /// Encodes the messages as they will be after the next shift: those that are edited then, now, or were
  /// before.
  void keep_for_later(const Forced& later, const Forced& now) {
    set(later);
    for (const auto& [message, own] : now) stale_.insert(message);
    for (const std::size_t message : stale_) {
      const Bytes bytes = inputs_.encode(inputs_.roots()[message]);
      later_[message].assign(bytes.begin(), bytes.end());
    }
  }

  /// The canonical bytes of what the codec makes of the last message, as the dataset has it. They are not the
  /// message's own where a codec is lossy by design, which `verify` checks.
  const canonical::Buffer& given_back() {
    canonical::Buffer& bytes = given_back_[last_];
    if (bytes.empty()) {
      Encoding<A, Root> encoding(Memory::fresh);
      Decoding<A, Root> decoding(Memory::fresh);
      Root root;
      canonical::Reader(edited_.before(last_)).decode(root);
      const AlignedBytes encoded(encoding.serialize(root));
      canonical::encode(decoding.deserialize(encoded, false), bytes);
    }
    return bytes;
  }
};

}  // namespace serbench
