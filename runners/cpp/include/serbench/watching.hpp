// Checks the very passes that are timed: between samples, outside the clock, values of the messages change
// where they lie, and the outcome of the timed passes is written down, for serbench to judge
// (docs/protocol.md, "What passes leave").
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
#include "serbench/left.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// The kind of input that an operation starts from.
enum class Input { roots, natives, bytes, views };

/// Changes a value of each of these edits in an object that holds the message with these canonical bytes.
using Spoil = std::function<void(std::span<const Edit>, Bytes)>;

/// How to look at what a pass left of its last message: appends its bytes.
struct Looks {
  Left kind = Left::canonical;
  std::function<void(canonical::Buffer&)> append{};
  std::function<bool()> is_restored{};  ///< none where passes do not change what they start from
};

/// An operation as passes over what it starts from, and how to look at what they leave.
struct Work {
  Pass pass;
  Input input;
  Looks looks{};
  std::function<Checksum()> sum{};  ///< of what `looks` appends; none where the operation gives no sum
  bool walks = false;               ///< the sum is of a walk
  /// Changes the domain object that is decoded into each time; none, or nothing, where it is made anew.
  Spoil spoil{};
};

class Watching {
 public:
  Watching(Inputs& inputs, Edits edits, const std::string& left, const std::vector<Bytes>& messages)
      : inputs_(inputs),
        edited_(std::move(edits), messages, inputs.are_given() ? 1 : most_in_force),
        spared_(edited_.spared()),
        left_(left) {}

  /// Changes values, and what was prepared from them for this input.
  void renew(Input input);
  /// Changes values once more without a call into the adapter, where that can be.
  void shift(Input input);
  /// Changes values of what an operation decodes into, which it has to write anew.
  void spoil(const Work& work);
  /// Writes down what the operation of a cell left of its last message. Throws where it gave a sum of
  /// something else than that.
  void look(std::string_view cell, const Work& work);
  /// So many bodies that another program has encoded, and that no pass has met.
  std::vector<Bytes> unseen(std::size_t count);
  /// How many of them are left.
  std::size_t spared() const { return spared_.size(); }

 private:
  using ByMessage = std::map<std::size_t, canonical::Buffer>;

  Inputs& inputs_;
  Edited edited_;
  std::vector<std::size_t> spared_;
  std::size_t last_ = 0;
  Forced shifted_;   // the edits in force after the next shift
  ByMessage later_;  // encoded bytes for the next shift
  std::set<std::size_t>
      stale_;  // messages that have changed since natives, bytes and views were prepared from them
  std::map<std::size_t, std::vector<std::byte*>> places_;
  LeftFile left_;
  canonical::Buffer bytes_;

  void set(Forced forced);
  void write(std::size_t message);
  bool fits() const;
  void keep_for_later(const Forced& later, const Forced& now);
};

}  // namespace serbench
