#include "serbench/watching.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace serbench {

void Watching::renew(Input input) {
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

void Watching::shift(Input input) {
  if (input == Input::roots) set(std::move(shifted_));
  if (input == Input::bytes && fits()) {
    set(std::move(shifted_));
    for (const auto& [message, bytes] : later_) inputs_.replace(message, bytes);
  }
}

void Watching::spoil(const Work& work) {
  if (work.spoil) work.spoil(edited_.edits(last_), edited_.before(last_));
}

void Watching::look(std::string_view cell, const Work& work) {
  bytes_.clear();
  work.looks.append(bytes_);
  if (work.sum && work.sum() != inputs_.sum(bytes_, work.walks)) {
    throw std::runtime_error(
        "the sum of " + std::string(cell.substr(0, cell.find(':'))) + " does not match message " +
        std::to_string(last_) +
        " after its values changed: the timed code returns remembered results, or skips work");
  }
  const bool is_restored = work.looks.is_restored && work.looks.is_restored();
  left_.append(cell, is_restored ? Left::restored : work.looks.kind, last_, edited_.in_force(last_), bytes_);
}

std::vector<Bytes> Watching::unseen(std::size_t count) {
  std::vector<Bytes> bodies;
  for (; count > 0; --count) {
    bodies.push_back(inputs_.given(spared_.back()));
    spared_.pop_back();
  }
  return bodies;
}

/// From now on these edits are in force, in the domain objects.
void Watching::set(Forced forced) {
  for (const std::size_t message : edited_.set(std::move(forced))) {
    write(message);
    inputs_.give_edited(message, edited_.in_force(message));
    stale_.insert(message);
  }
}

/// Makes a domain object what its message now is.
void Watching::write(std::size_t message) {
  if (!inputs_.in_place()) {
    inputs_.read(message, edited_.now(message));
    return;
  }
  std::vector<std::byte*>& places = places_[message];
  if (places.empty()) places = inputs_.places(message, edited_.edits(message));
  if (places.empty()) throw std::runtime_error("the edits are of other messages");
  for (std::size_t n = 0; n < places.size(); ++n) std::ranges::copy(edited_.now(message, n), places[n]);
}

/// Whether there are encoded bytes for the next shift, each as many as those in whose place they come.
bool Watching::fits() const {
  return !later_.empty() && std::ranges::all_of(later_, [this](const auto& each) {
    return each.second.size() == inputs_.encoded_size(each.first);
  });
}

/// Keeps the bytes of the messages as they will be after the next shift: those that are edited then, now, or
/// were before.
void Watching::keep_for_later(const Forced& later, const Forced& now) {
  set(later);
  for (const auto& [message, own] : now) stale_.insert(message);
  for (const std::size_t message : stale_) {
    const Bytes bytes = inputs_.encode(message);
    later_[message].assign(bytes.begin(), bytes.end());
  }
}

}  // namespace serbench
