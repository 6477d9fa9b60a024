// Values that change in place while a process measures. An edit puts a few bytes in the place of as many of a
// message's canonical encoding, so that nothing moves, grows or shrinks (docs/protocol.md, "Edits").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/canonical.hpp"

namespace serbench {

/// An edit: the bytes that one value may become.
struct Edit {
  std::size_t offset;            ///< in the canonical bytes of its message
  std::vector<std::byte> bytes;  ///< in place of as many from there on
};

/// The edits of a dataset by message, in the order of their offsets. No two of a message overlap.
using Edits = std::map<std::size_t, std::vector<Edit>>;

/// Reads a file of edits. Throws std::runtime_error where it is none, or has one that is not within its
/// message.
Edits read_edits(const std::string& path, const std::vector<Bytes>& messages);

/// Finds where a value has, in memory, the bytes that its canonical encoding has at the offsets of edits.
class Locator {
 public:
  explicit Locator(std::span<const Edit> edits) : left_(edits) {}

  /// The places, one for each edit that was met.
  const std::vector<std::byte*>& found() const { return found_; }

  template <Back back = Back::no, class T>
  void visit(T& value) {
    if constexpr (Number<T> || Packed<T> || FixedBytes<T>) {
      pass(&value, sizeof value);
    } else if constexpr (Reflected<T> || Union<T>) {
      if constexpr (Union<T>) at_ += sizeof(std::uint32_t);
      for_each_part(value, [&](auto& part, auto part_back) { visit<part_back()>(part); });
    } else if constexpr (Pointer<T> || Optional<T>) {
      if (back != Back::never_null || Optional<T>) ++at_;
      if (value) visit<back>(*value);
    } else if constexpr (Array<T>) {
      for (auto& item : value) visit<back>(item);
    } else {
      at_ += sizeof(std::uint32_t);  // the count
      if constexpr (Map<T>) {
        for (auto& [key, mapped] : value) {
          visit(const_cast<typename T::key_type&>(key));
          visit<back>(mapped);
        }
      } else if constexpr (String<T> || ByteString<T> || Packed<typename T::value_type>) {
        pass(value.data(), value.size() * sizeof(typename T::value_type));
      } else if constexpr (std::same_as<T, std::vector<bool>>) {
        at_ += value.size();
      } else {
        for (auto& item : value) visit<back>(item);
      }
    }
  }

 private:
  std::span<const Edit> left_;
  std::vector<std::byte*> found_;
  std::size_t at_ = 0;

  /// Goes past bytes that are encoded as they lie in memory.
  void pass(void* from, std::size_t size) {
    for (; !left_.empty() && left_.front().offset < at_ + size; left_ = left_.subspan(1)) {
      found_.push_back(static_cast<std::byte*>(from) + (left_.front().offset - at_));
    }
    at_ += size;
  }
};

/// The places in a value of all edits of its canonical encoding; empty where one of them was not met.
template <class Root>
std::vector<std::byte*> places_of(Root& value, std::span<const Edit> edits) {
  Locator locator(edits);
  locator.visit(value);
  return locator.found().size() == edits.size() ? locator.found() : std::vector<std::byte*>{};
}

/// The most edits of a message that are in force: few, so that a codec which knows a message again by a few
/// of its values misses them.
constexpr std::size_t most_in_force = 3;

/// Message → which of its edits are in force; of messages that are not here, none are.
using Forced = std::map<std::size_t, std::vector<bool>>;

/// Messages some of whose values are other than those of the dataset for a while.
class Edited {
 public:
  /// At most `most` edits of a message are drawn at a time. Where that is one, every second edit is never
  /// drawn, but left in `spared`: the even or the odd ones, so that a process draws those that another
  /// spares.
  Edited(Edits edits, const std::vector<Bytes>& messages, std::size_t most = most_in_force);

  /// The numbers, among all edits, of those that are never drawn, in an order that is drawn.
  std::vector<std::size_t> spared() const;

  /// A message that has edits, drawn.
  std::size_t draw_message() const;
  /// Draws edits of a message, which has some, and of a few others. For this message, other edits are drawn
  /// than are in force in `unlike`.
  Forced draw(std::size_t message, const Forced& unlike) const;
  /// Puts these edits in force. Returns the messages whose edits may be others than before.
  std::vector<std::size_t> set(Forced forced);

  const Forced& forced() const { return forced_; }
  std::span<const Edit> edits(std::size_t message) const { return edits_.at(message); }
  /// The numbers, among all edits, of those that are in force for a message.
  std::vector<std::uint32_t> in_force(std::size_t message) const;
  /// The bytes that are in the place of an edit now.
  Bytes now(std::size_t message, std::size_t edit) const;
  /// The canonical bytes of a message, with the edits that are in force put into them.
  canonical::Buffer now(std::size_t message) const;
  /// The message that the dataset has.
  Bytes before(std::size_t message) const { return messages_[message]; }

 private:
  const std::vector<Bytes>& messages_;
  Edits edits_;
  std::size_t most_;
  std::size_t odd_;
  std::vector<std::size_t> numbers_;  // the messages that have edits
  Forced forced_;
};

}  // namespace serbench
