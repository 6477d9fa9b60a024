// What is timed is what is checked: between samples, outside the clock, values of the messages change where
// they lie, and what the timed passes left is held to what it must be (docs/protocol.md, "Edits").
//
// A change of domain objects or of bytes needs no call into the adapter, so that nothing tells it of one.
// Native objects and views are the library's and change by its own build and decode.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/canonical.hpp"
#include "serbench/checksum.hpp"
#include "serbench/edits.hpp"
#include "serbench/inputs.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// What an operation starts from.
enum class Input { roots, natives, bytes, views };

/// Changes a value of each of these edits in an object that holds the message with these canonical bytes.
using Spoil = std::function<void(std::span<const Edit>, Bytes)>;

/// An operation as passes over what it starts from, and how to look at what a pass left of its last message.
struct Work {
  Pass pass;
  Input input;
  /// The sum that the operation gave; of an operation that gives none, `left` appends the canonical bytes of
  /// the message.
  std::function<Checksum()> sum{};
  bool walks = false;  ///< the sum is of a walk
  std::function<void(canonical::Buffer&)> left{};
  /// Changes the domain object that is decoded into each time; none, or nothing, where it is made anew.
  Spoil spoil{};
};

class Watching {
 public:
  Watching(Inputs& inputs, Edits edits, const std::vector<Bytes>& messages)
      : inputs_(inputs), edited_(std::move(edits), messages) {}

  /// Changes values, and what was prepared from them for this input.
  void renew(Input input);
  /// Changes values once more without a call into the adapter, where that can be.
  void shift(Input input);
  /// Changes values of what an operation decodes into, which it has to write anew.
  void spoil(const Work& work);
  /// Throws unless what an operation left is what its last message now is.
  void check(std::string_view operation, const Work& work);

 private:
  using ByMessage = std::map<std::size_t, canonical::Buffer>;

  Inputs& inputs_;
  Edited edited_;
  std::size_t last_ = 0;
  Forced shifted_;   // what is in force after the next shift
  ByMessage later_;  // encoded bytes for the next shift
  std::set<std::size_t>
      stale_;  // messages that have changed since natives, bytes and views were prepared from them
  std::map<std::size_t, std::vector<std::byte*>> places_;
  ByMessage given_back_;
  canonical::Buffer left_;

  void set(Forced forced);
  void write(std::size_t message);
  bool fits() const;
  void keep_for_later(const Forced& later, const Forced& now);
  const canonical::Buffer& given_back();
};

}  // namespace serbench
