#include "serbench/edits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "serbench/dataset.hpp"
#include "serbench/place.hpp"

namespace serbench {
namespace {

/// How many other messages change besides the last.
constexpr std::size_t other_edits = 4;

struct EditsHeader {  // docs/protocol.md, "Edits"
  char magic[8];
  std::uint32_t version;
  std::uint32_t count;
};

}  // namespace

Edits read_edits(const std::string& path, const std::vector<Bytes>& messages) {
  const std::vector<std::byte> whole = contents_of(path);
  EditsHeader header{};
  if (whole.size() >= sizeof header) std::memcpy(&header, whole.data(), sizeof header);
  if (std::memcmp(header.magic, "SERBEDIT", 8) != 0 || header.version != 1) {
    throw std::runtime_error(path + " is no file of edits of version 1");
  }
  Edits edits;
  std::size_t at = sizeof header;
  const auto get = [&](void* to, std::size_t size) {
    if (whole.size() - at < size) throw std::runtime_error(path + " is cut off");
    if (size != 0) std::memcpy(to, whole.data() + at, size);
    at += size;
  };
  for (std::uint32_t left = header.count; left > 0; --left) {
    std::uint32_t message = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    get(&message, sizeof message);
    get(&offset, sizeof offset);
    get(&size, sizeof size);
    if (message >= messages.size() || offset > messages[message].size() ||
        size > messages[message].size() - offset) {
      throw std::runtime_error(path + " has an edit of message " + std::to_string(message) +
                               " that is not within it");
    }
    Edit& edit = edits[message].emplace_back(Edit{offset, std::vector<std::byte>(size)});
    get(edit.bytes.data(), size);
  }
  return edits;
}

Edited::Edited(Edits edits, const std::vector<Bytes>& messages, std::size_t most)
    : messages_(messages), edits_(std::move(edits)), most_(most), odd_(drawn_number() % 2) {
  for (const auto& [message, own] : edits_) numbers_.push_back(message);
}

std::vector<std::size_t> Edited::spared() const {
  std::vector<std::size_t> found;
  std::size_t first = 0;
  for (const auto& [message, own] : edits_) {
    for (std::size_t n = odd_; most_ == 1 && own.size() > 1 && n < own.size(); n += 2)
      found.push_back(first + n);
    first += own.size();
  }
  for (std::size_t left = found.size(); left > 1; --left)
    std::swap(found[left - 1], found[drawn_number() % left]);
  return found;
}

std::size_t Edited::draw_message() const { return numbers_[drawn_number() % numbers_.size()]; }

Forced Edited::draw(std::size_t message, const Forced& unlike) const {
  Forced drawn;
  for (std::size_t n = 0; n <= other_edits; ++n) {
    const std::size_t each = n == 0 ? message : draw_message();
    const std::size_t all = edits_.at(each).size();
    std::vector<bool>& own = drawn[each];
    own.assign(all, false);
    for (std::size_t left = 1 + drawn_number() % most_; left > 0; --left) {
      std::size_t which = drawn_number() % all;
      if (most_ == 1 && which % 2 == odd_ && all > 1) which = which > 0 ? which - 1 : which + 1;
      own[which] = true;
    }
  }
  const auto other = unlike.find(message);
  if (other != unlike.end() && other->second == drawn[message]) drawn.erase(message);
  return drawn;
}

std::vector<std::size_t> Edited::set(Forced forced) {
  std::set<std::size_t> affected;
  for (const auto& [message, own] : forced_) affected.insert(message);
  for (const auto& [message, own] : forced) affected.insert(message);
  forced_ = std::move(forced);
  return {affected.begin(), affected.end()};
}

Bytes Edited::now(std::size_t message, std::size_t edit) const {
  const auto own = forced_.find(message);
  const Edit& which = edits_.at(message)[edit];
  if (own != forced_.end() && own->second[edit]) return which.bytes;
  return messages_[message].subspan(which.offset, which.bytes.size());
}

std::vector<std::uint32_t> Edited::in_force(std::size_t message) const {
  std::vector<std::uint32_t> numbers;
  const auto own = forced_.find(message);
  if (own == forced_.end()) return numbers;
  std::uint32_t number = 0;
  for (auto before = edits_.begin(); before->first != message; ++before)
    number += static_cast<std::uint32_t>(before->second.size());
  for (const bool is_in_force : own->second) {
    if (is_in_force) numbers.push_back(number);
    ++number;
  }
  return numbers;
}

canonical::Buffer Edited::now(std::size_t message) const {
  canonical::Buffer whole(messages_[message].begin(), messages_[message].end());
  const auto own = forced_.find(message);
  if (own == forced_.end()) return whole;
  for (std::size_t n = 0; n < own->second.size(); ++n) {
    const Edit& edit = edits_.at(message)[n];
    if (own->second[n])
      std::ranges::copy(edit.bytes, whole.begin() + static_cast<std::ptrdiff_t>(edit.offset));
  }
  return whole;
}

}  // namespace serbench
