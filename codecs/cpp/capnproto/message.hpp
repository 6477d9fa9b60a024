// Messages being built and read, which live as long as what refers to them.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>

#include <algorithm>
#include <cstdint>
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

/// Like the library's MallocMessageBuilder, which can use only its first segment again: the segments have the
/// same sizes, so messages are laid out as by default, and are filled with zeros where they were used.
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
    const std::size_t usual =
        count_ == 0 ? capnp::SUGGESTED_FIRST_SEGMENT_WORDS : std::min(words_, longest_segment);
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

/// Calls run() and turns the library's refusals into LibraryError. Pointers are checked when they are
/// followed, so this is needed for every access.
template <class Run>
auto refusing(Run&& run) {
  try {
    return run();
  } catch (const kj::Exception& error) {
    std::string reason = error.getDescription().cStr();
    for (char& c : reason) {
      if (c < ' ' || c > '~') c = '?';  // the library quotes what it found
    }
    throw LibraryError(reason);
  }
}

/// What may be read of a message in all, so that one whose pointers lead to the same things again and again
/// cannot grow beyond all bounds: the library's default or, for long messages, a small multiple of their
/// size, as it advises.
inline std::uint64_t words_to_read(std::size_t words) {
  return std::max<std::uint64_t>(capnp::ReaderOptions().traversalLimitInWords, 4 * std::uint64_t{words});
}

template <class Root>
capnp::ReaderOptions reader_options(std::size_t words) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = words_to_read(words);
  options.nestingLimit = glue::nesting_limit<Root>;
  return options;
}

/// The root of a message that may be read any number of times. A reader's limit is for all times together, so
/// every now and then there is a new one: each time may read four times as much as there is, and 80,000 words
/// at least.
template <class Root, class Reader>
class CapnProtoRoot {
 public:
  template <class Segments>
  const Reader& open(Segments segments, std::size_t words) {
    words_ = words;
    left_ = std::clamp<std::uint64_t>(words_to_read(words) / (4 * words + 1), 1, 100);
    const Reader& reader = reader_.emplace(segments, reader_options<Root>(words));
    root_ = reader_->template getRoot<Root>();
    return reader;
  }

  template <class Segments>
  typename Root::Reader get(Segments segments) {
    if (left_ == 0) open(segments, words_);
    --left_;
    return root_;
  }

 private:
  std::optional<Reader> reader_;
  typename Root::Reader root_;
  std::size_t words_ = 0;
  std::uint64_t left_ = 0;  // times that the root may be read yet
};

/// A message read where it lies.
template <class Root>
class CapnProtoView {
 public:
  void open(Bytes bytes) {
    // The library takes an array without a word for a message with nothing in it.
    if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0)
      throw DecodeError("the message is no array of words");
    words_ =
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word));
    if (root_.open(words_, words_.size()).getEnd() != words_.end()) throw DecodeError("words are left over");
  }

  typename Root::Reader root() const { return root_.get(words_); }

 private:
  kj::ArrayPtr<const capnp::word> words_;
  mutable CapnProtoRoot<Root, capnp::FlatArrayMessageReader> root_;
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
      read(bytes.size());
    } catch (...) {
      // A reader without all its input complains of that when it is destroyed, too.
      try {
        reader_ = nullptr;
      } catch (const kj::Exception&) {
      }
      throw;
    }
  }

  typename Root::Reader root() const { return root_.get(segments()); }

 private:
  /// Two bytes, a tag and a count, are up to 256 words of zeros.
  static constexpr std::size_t most_words_per_byte = 128;

  kj::Array<capnp::word> unpacked_;
  std::size_t words_ = 0;  // of the message before: what the next one probably needs
  std::optional<kj::ArrayInputStream> input_;
  kj::Maybe<capnp::PackedMessageReader> reader_;  // not std::optional, whose destruction must not throw
  std::vector<kj::ArrayPtr<const capnp::word>> segments_;
  mutable CapnProtoRoot<Root, capnp::SegmentArrayMessageReader> root_;

  kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments() const {
    return kj::arrayPtr(segments_.data(), segments_.size());
  }

  void read(std::size_t bytes) {
    // The sizes that the message begins with are believed up to this limit.
    capnp::ReaderOptions unpacking;
    unpacking.traversalLimitInWords = most_words_per_byte * bytes;
    auto& reader = reader_.emplace(*input_, unpacking, unpacked_);
    // The reader would unpack segments when they are first used; the bytes may be gone by then.
    words_ = 0;
    segments_.clear();
    for (unsigned id = 0;; ++id) {
      const auto segment = reader.getSegment(id);
      if (segment.begin() == nullptr) break;
      segments_.push_back(segment);
      words_ += segment.size();
    }
    if (input_->tryGetReadBuffer().size() != 0) throw DecodeError("bytes are left over");
    root_.open(segments(), words_);
  }
};

}  // namespace serbench
