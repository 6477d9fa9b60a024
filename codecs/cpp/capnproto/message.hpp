// Messages being built and read, which live as long as what refers to them.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "serbench/bytes.hpp"
#include "support.hpp"

namespace serbench {

/// Segments of zeros that are kept between messages.
class CapnProtoSegments {
 public:
  kj::ArrayPtr<capnp::word> take(std::size_t index, std::size_t words) {
    if (index == segments_.size()) segments_.emplace_back();
    Segment& segment = segments_[index];
    if (segment.words < words) {
      // As the library does: the system often has pages that are zero already.
      segment.memory.reset(static_cast<capnp::word*>(std::calloc(words, sizeof(capnp::word))));
      if (!segment.memory) throw std::bad_alloc();
      segment.words = words;
    }
    return {segment.memory.get(), words};
  }

 private:
  struct Free {
    void operator()(capnp::word* memory) const { std::free(memory); }
  };
  struct Segment {
    std::unique_ptr<capnp::word[], Free> memory;
    std::size_t words = 0;
  };
  std::vector<Segment> segments_;
};

/// Like the library's MallocMessageBuilder, which can use only its first segment again: the segments have the same
/// sizes, so messages are laid out as by default, and are filled with zeros where they were used.
class CapnProtoMessage : public capnp::MessageBuilder {
 public:
  explicit CapnProtoMessage(CapnProtoSegments& segments) : segments_(segments) {}
  ~CapnProtoMessage() {
    for (const auto segment : getSegmentsForOutput()) {
      std::memset(const_cast<capnp::word*>(segment.begin()), 0, segment.size() * sizeof(capnp::word));
    }
  }

  kj::ArrayPtr<capnp::word> allocateSegment(capnp::uint minimum) override {
    // Each is as big as all before it.
    const std::size_t usual = count_ == 0 ? capnp::SUGGESTED_FIRST_SEGMENT_WORDS : std::min(words_, longest_segment);
    const std::size_t words = std::max<std::size_t>(minimum, usual);
    words_ += words;
    return segments_.take(count_++, words);
  }

 private:
  static constexpr std::size_t longest_segment = (1u << 29) - 1;

  CapnProtoSegments& segments_;
  std::size_t count_ = 0;
  std::size_t words_ = 0;
};

/// A message being built, and the memory for the next.
class CapnProtoBuilder {
 public:
  CapnProtoMessage& start() { return message_.emplace(segments_); }

  // The library's builders have no const functions; this one changes nothing.
  auto segments() const { return message_->getSegmentsForOutput(); }

 private:
  CapnProtoSegments segments_;
  mutable std::optional<CapnProtoMessage> message_;
};

/// Calls run() and turns the library's refusals into DecodeError. Pointers are checked when they are followed, so this
/// is needed for every access.
template <class Run>
auto refusing(Run&& run) {
  try {
    return run();
  } catch (const kj::Exception& error) {
    std::string reason = error.getDescription().cStr();
    for (char& c : reason) {
      if (c < ' ' || c > '~') c = '?';  // the library quotes what it found
    }
    throw DecodeError(reason);
  } catch (const std::bad_alloc&) {
    throw DecodeError("the message claims to be bigger than memory");
  }
}

/// No limit to what is read in all: one message may be traversed any number of times here, and each time counts. A
/// program with untrusted senders sets it to a small multiple of the message's size.
template <class Root>
capnp::ReaderOptions reader_options() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kj::maxValue;
  options.nestingLimit = glue::nesting_limit<Root>;
  return options;
}

/// A message read where it lies.
template <class Root>
class CapnProtoView {
 public:
  void open(Bytes bytes) {
    // The library takes an array without a word for a message with nothing in it.
    if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0) throw DecodeError("the message is no array of words");
    const auto words =
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word));
    const auto& reader = reader_.emplace(words, reader_options<Root>());
    if (reader.getEnd() != words.end()) throw DecodeError("words are left over");
    root_ = reader_->template getRoot<Root>();
  }

  typename Root::Reader root() const { return root_; }

 private:
  std::optional<capnp::FlatArrayMessageReader> reader_;
  typename Root::Reader root_;
};

/// A message unpacked into memory that is used again.
template <class Root>
class CapnProtoPackedView {
 public:
  void open(Bytes bytes) {
    reader_ = nullptr;
    if (unpacked_.size() < words_) unpacked_ = kj::heapArray<capnp::word>(words_);
    input_.emplace(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
    try {
      read();
    } catch (...) {
      // A reader without all its input complains of that when it is destroyed, too.
      try {
        reader_ = nullptr;
      } catch (const kj::Exception&) {
      }
      throw;
    }
  }

  typename Root::Reader root() const { return root_; }

 private:
  kj::Array<capnp::word> unpacked_;
  std::size_t words_ = 0;  // of the message before: what the next one probably needs
  std::optional<kj::ArrayInputStream> input_;
  kj::Maybe<capnp::PackedMessageReader> reader_;  // not std::optional, whose destruction must not throw
  typename Root::Reader root_;

  void read() {
    auto& reader = reader_.emplace(*input_, reader_options<Root>(), unpacked_);
    // The reader would unpack segments when they are first used; the bytes may be gone by then.
    words_ = 0;
    for (unsigned id = 0;; ++id) {
      const auto segment = reader.getSegment(id);
      if (segment.begin() == nullptr) break;
      words_ += segment.size();
    }
    if (input_->tryGetReadBuffer().size() != 0) throw DecodeError("bytes are left over");
    root_ = reader.template getRoot<Root>();
  }
};

}  // namespace serbench
