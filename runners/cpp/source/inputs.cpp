#include "serbench/inputs.hpp"

#include <numeric>

#include "serbench/place.hpp"

namespace serbench {

Inputs::Inputs(const Codec& codec)
    : codec_(codec),
      encoder_(codec.kinds.encoder),
      decoder_(codec.kinds.decoder),
      preparing_(codec, Memory::reuse) {}

void Inputs::load(const std::vector<Bytes>& canonical) {
  views_.clear();  // first, since they may point into the bytes
  encoded_.clear();
  natives_.clear();
  roots_.clear();
  given_.reset();
  put_.clear();
  updates_ = 0;
  first_ = 0;
  alone_ = false;
  for (const Bytes bytes : canonical) {
    leave_gap(canonical.size());
    codec_.domain.read(bytes, roots_.emplace_back(codec_.domain.root));
  }
}

void Inputs::give(MessageFile bodies) {
  views_.clear();
  encoded_.clear();
  put_.clear();
  updates_ = 0;
  given_.emplace(std::move(bodies));
  bodies_.resize(roots_.size());
  std::iota(bodies_.begin(), bodies_.end(), 0);
}

void Inputs::hold(const std::vector<Bytes>& bodies) {
  encoded_.reserve(bodies.size());
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    if (n == encoded_.size()) {
      encoded_.emplace_back(bodies[n], drawn_gap(bodies.size()));
    } else if (!replace(n, bodies[n])) {
      encoded_[n] = AlignedBytes(bodies[n], drawn_gap(bodies.size()));
    }
  }
}

void Inputs::give_edited(std::size_t message, std::span<const std::uint32_t> edits) {
  if (given_) bodies_[message] = edits.empty() ? message : roots_.size() + edits.front();
}

const Inputs::Objects& Inputs::natives() {
  if (!codec_.kinds.native) return roots_;
  if (natives_.empty()) {
    for (const Object& root : roots_) {
      leave_gap(roots_.size());
      codec_.calls.build(encoder_, root, natives_.emplace_back(codec_.native()));
    }
  }
  return natives_;
}

const std::vector<AlignedBytes>& Inputs::encoded() {
  if (encoded_.empty()) {
    encoded_.reserve(roots_.size());
    Encoding encoding(codec_, Memory::reuse);
    for (std::size_t n = 0; n < roots_.size(); ++n)
      encoded_.emplace_back(encode(n, encoding), drawn_gap(roots_.size()));
  }
  return encoded_;
}

const Inputs::Objects& Inputs::views() {
  if (views_.empty()) {
    for (const AlignedBytes& bytes : encoded()) {
      leave_gap(roots_.size());
      codec_.calls.decode(decoder_, bytes, views_.emplace_back(codec_.view()));
    }
  }
  return views_;
}

void Inputs::renew(std::size_t message) {
  if (!natives_.empty()) codec_.calls.build(encoder_, roots_[message], natives_[message]);
  if (!encoded_.empty()) {
    const Bytes bytes = encode(message);
    if (!replace(message, bytes)) encoded_[message] = AlignedBytes(bytes, drawn_gap(roots_.size()));
  }
  if (!views_.empty()) codec_.calls.decode(decoder_, encoded_[message], views_[message]);
}

Checksum Inputs::sum(Bytes canonical, bool walks) const {
  Object root(codec_.domain.root);
  codec_.domain.read(canonical, root);
  return walks && codec_.domain.walk != nullptr ? codec_.domain.walk(root) : codec_.domain.traverse(root);
}

}  // namespace serbench
