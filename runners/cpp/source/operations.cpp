#include "serbench/operations.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>

#include "serbench/clock.hpp"
#include "serbench/place.hpp"
#include "serbench/sink.hpp"

namespace serbench {
namespace {

void require_equal(const char* operation, std::size_t message, Checksum found, Checksum expected) {
  if (found == expected) return;
  throw std::runtime_error(std::string(operation) + " of message " + std::to_string(message) + " gives " +
                           std::to_string(found) + ", expected " + std::to_string(expected) +
                           ": it does not read what the message holds");
}

/// Changes a value of each edit in an object that holds the message with these canonical bytes.
void spoil(const Domain& domain, void* root, std::span<const Edit> edits, Bytes before) {
  if (domain.places != nullptr) {
    for (std::byte* place : domain.places(root, edits)) *place ^= std::byte{1};
  } else {
    canonical::Buffer other(before.begin(), before.end());
    for (const Edit& edit : edits)
      std::ranges::copy(edit.bytes, other.begin() + static_cast<std::ptrdiff_t>(edit.offset));
    domain.read(other, root);
  }
}

/// How often passes over new messages are compared with later ones, of which the shortest count, and over how
/// many messages at most.
constexpr std::size_t unseen_trials = 3;
constexpr std::size_t most_unseen = 64;
constexpr int known_passes = 4;
/// How many times as long as a later pass the first may take, and how much longer: the caches and the
/// processor's predictions know nothing of its data.
constexpr std::int64_t most_times = 6;
constexpr std::int64_t least_excess_ns = 20'000;

std::int64_t nanoseconds(const Pass& pass) {
  const std::int64_t start = now_ns();
  pass();
  return std::max<std::int64_t>(now_ns() - start, 1);
}

}  // namespace

Operations::Operations(const Codec& codec)
    : codec_(codec),
      inputs_(codec),
      reused_encoding_(codec, Memory::reuse),
      fresh_encoding_(codec, Memory::fresh),
      reused_decoding_(codec, Memory::reuse),
      fresh_decoding_(codec, Memory::fresh) {}

std::vector<std::string_view> Operations::operations() const {
  const Calls& calls = codec_.calls;
  const bool fast = calls.decode_fast != nullptr;
  std::vector<std::string_view> offered{"decode", "deserialize"};
  const auto offer_if = [&](bool condition, std::initializer_list<std::string_view> names) {
    if (condition) offered.insert(offered.end(), names);
  };
  offer_if(!codec_.only_reads, {"encode", "serialize", "roundtrip", "native_roundtrip"});
  offer_if(calls.build != nullptr && !codec_.is_floor && !codec_.only_reads, {"build"});
  offer_if(fast, {"decode_fast"});
  offer_if(codec_.kinds.view && !codec_.is_floor, {"extract"});
  if (calls.traverse != nullptr) {
    offer_if(true, {"traverse", "decode_traverse", "read"});
    offer_if(fast, {"decode_fast_traverse"});
    offer_if(!codec_.only_reads, {"cycle"});
  }
  offer_if(codec_.domain.update != nullptr && (calls.update != nullptr || !codec_.only_reads), {"update"});
  if (calls.walk != nullptr) {
    offer_if(true, {"walk", "decode_walk"});
    offer_if(fast, {"decode_fast_walk"});
  }
  return offered;
}

Bytes Operations::encode(std::size_t message, Memory memory) {
  return (memory == Memory::fresh ? fresh_encoding_ : reused_encoding_).serialize(inputs_.roots()[message]);
}

void Operations::decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) {
  Decoding& decoding = memory == Memory::fresh ? fresh_decoding_ : reused_decoding_;
  codec_.domain.write(decoding.deserialize(bytes, fast), out);
}

Bytes Operations::relay(Bytes bytes, Memory memory) {
  if (!relays()) return Subject::relay(bytes, memory);
  const bool fresh = memory == Memory::fresh;
  const void* const view = (fresh ? fresh_decoding_ : reused_decoding_).decode(bytes, false);
  return (fresh ? fresh_encoding_ : reused_encoding_).relay(view);
}

void Operations::check_reading() {
  if (codec_.calls.traverse == nullptr) return;
  for (std::size_t n = 0; n < messages(); ++n) {
    const void* const view = inputs_.views()[n];
    // The message of the bytes, and not the one that was encoded: a lossy codec may have rounded it.
    const void* const root = codec_.kinds.view ? reused_decoding_.extract(view) : view;
    require_equal("traverse", n, reused_decoding_.traverse(view), codec_.domain.traverse(root));
    if (codec_.calls.walk != nullptr)
      require_equal("walk", n, reused_decoding_.walk(view), codec_.domain.walk(root));
  }
}

void Operations::give(const std::string& encoded, const std::string& edits,
                      const std::vector<Bytes>& canonical) {
  MessageFile bodies = MessageFile::open_messages(encoded);
  std::size_t edited = 0;
  if (!edits.empty()) {
    for (const auto& [message, own] : read_edits(edits, canonical)) edited += own.size();
  }
  if (bodies.messages().size() != canonical.size() + edited) {
    throw std::runtime_error(encoded + " has " + std::to_string(bodies.messages().size()) +
                             " bodies; expected one for each of " + std::to_string(canonical.size()) +
                             " messages and " + std::to_string(edited) + " edits");
  }
  inputs_.give(std::move(bodies));
}

void Operations::watch(const std::string& edits, const std::string& left,
                       const std::vector<Bytes>& canonical) {
  Edits read = read_edits(edits, canonical);
  if (!read.empty()) watching_.emplace(inputs_, std::move(read), left, canonical);
}

Timed Operations::prepare(std::string_view operation, Memory memory) {
  const auto offered = operations();
  const auto found = std::ranges::find(offered, operation);
  if (found == offered.end())
    throw std::invalid_argument("this codec has no operation " + std::string(operation));
  leave_gap(1);  // before what the operation allocates itself, such as buffers of encoders
  const auto work = std::make_shared<Work>(this->work(*found, memory));
  if (!watching_) return {work->pass};
  const std::string cell = std::string(*found) + (memory == Memory::fresh ? ":fresh" : ":reuse");
  return {.pass = work->pass,
          .renew = [this, work] { watching_->renew(work->input); },
          .shift = [this, work] { watching_->shift(work->input); },
          .spoil = [this, work] { watching_->spoil(*work); },
          .look = [this, work, cell] { watching_->look(cell, *work); },
          .meet = [this, name = *found, memory, cell] { meet(name, memory, cell); }};
}

/// Compares the first pass over bytes that another program has encoded, and that this one has not met, with
/// later passes over them. Who remembers sums of bytes by what is in them is found by nothing else.
void Operations::meet(std::string_view operation, Memory memory, const std::string& cell) {
  const std::size_t count = std::min(watching_->spared() / (2 * unseen_trials), most_unseen);
  if ((operation != "read" && operation != "update") || count == 0) return;
  Operations other(codec_);
  other.inputs_.hold(std::vector<Bytes>(count, inputs_.encoded().front()));
  const Pass pass = other.work(operation, memory).pass;
  pass();  // buffers grow
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t later = first;
  for (std::size_t trial = 0; trial < unseen_trials; ++trial) {
    other.inputs_.hold(watching_->unseen(count));
    first = std::min(first, nanoseconds(pass));
    for (int n = 0; n < known_passes; ++n) later = std::min(later, nanoseconds(pass));
  }
  if (first <= most_times * later || first - later < least_excess_ns) return;
  throw Suspicion(cell, std::string(operation) + " takes " + std::to_string(first / later) +
                            " times as long for new messages as for known ones: the timed code returns " +
                            "remembered results, or skips work");
}

Work Operations::work(std::string_view operation, Memory memory) {
  if (codec_.is_floor) {
    if (operation == "serialize") operation = "encode";
    if (operation == "deserialize") operation = "decode";
    if (operation == "roundtrip") operation = "native_roundtrip";
  }
  if (auto work = encoding_work(operation, memory)) return *work;
  if (auto work = decoding_work(operation, memory)) return *work;
  if (auto work = reading_work(operation, memory)) return *work;
  if (operation == "update") return update_work(memory);
  return round_work(operation, memory);
}

/// A function that changes values of the domain object that a decoder will fill again, if it keeps one.
Spoil Operations::spoils(const std::shared_ptr<Decoding>& decoding) const {
  return [this, decoding](std::span<const Edit> edits, Bytes before) {
    if (void* const kept = decoding->kept_root()) spoil(codec_.domain, kept, edits, before);
  };
}

/// Looks at the domain object that was decoded last.
Looks Operations::looks_at_object(std::shared_ptr<Decoding> decoding) {
  return {.append = [this, decoding = std::move(decoding)](canonical::Buffer& out) {
    codec_.domain.write(decoding->root(), out);
  }};
}

/// Looks at a view: a new decoder extracts the message that it holds.
Looks Operations::looks_at_view(std::function<const void*()> view) {
  return {.append = [this, view = std::move(view)](canonical::Buffer& out) {
    Decoding decoding(codec_, Memory::fresh);
    codec_.domain.write(codec_.kinds.view ? decoding.extract(view()) : view(), out);
  }};
}

/// The work of an operation that an encoder does alone; none for other operations.
std::optional<Work> Operations::encoding_work(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding>(codec_, memory);
  auto last = std::make_shared<Bytes>();
  const Looks looks{Left::encoded,
                    [last](canonical::Buffer& out) { out.insert(out.end(), last->begin(), last->end()); }};
  if (operation == "serialize") {
    return Work{.pass =
                    [this, encoding, last] {
                      Bytes bytes;
                      inputs_.each(inputs_.roots(),
                                   [&](const void* root) { consume(bytes = encoding->serialize(root)); });
                      *last = bytes;
                    },
                .input = Input::roots,
                .looks = looks};
  }
  if (operation == "build") {
    return Work{.pass =
                    [this, encoding] {
                      inputs_.each(inputs_.roots(),
                                   [&](const void* root) { consume_object(encoding->build(root)); });
                    },
                .input = Input::roots,
                .looks = {Left::encoded, [this, encoding](canonical::Buffer& out) {
                            Encoding other(codec_, Memory::fresh);
                            const Bytes bytes = other.encode(encoding->native());
                            out.insert(out.end(), bytes.begin(), bytes.end());
                          }}};
  }
  if (operation == "encode") {
    return Work{.pass =
                    [this, encoding, last, &natives = inputs_.natives()] {
                      Bytes bytes;
                      inputs_.each(natives,
                                   [&](const void* native) { consume(bytes = encoding->encode(native)); });
                      *last = bytes;
                    },
                .input = codec_.kinds.native ? Input::natives : Input::roots,
                .looks = looks};
  }
  return {};
}

/// The work of an operation that a decoder does from bytes; none for other operations.
std::optional<Work> Operations::decoding_work(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding>(codec_, memory);
  const bool fast = operation.starts_with("decode_fast");
  if (operation == "deserialize") {
    return Work{.pass =
                    [this, decoding, &inputs = inputs_.encoded()] {
                      inputs_.each(inputs,
                                   [&](Bytes bytes) { consume_object(decoding->deserialize(bytes, false)); });
                    },
                .input = Input::bytes,
                .looks = looks_at_object(decoding),
                .spoil = spoils(decoding)};
  }
  if (operation == "decode" || operation == "decode_fast") {
    return Work{.pass =
                    [this, decoding, fast, &inputs = inputs_.encoded()] {
                      inputs_.each(inputs,
                                   [&](Bytes bytes) { consume_object(decoding->decode(bytes, fast)); });
                    },
                .input = Input::bytes,
                .looks = looks_at_view([decoding] { return decoding->view(); }),
                .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();
  const bool walks = operation == "decode_walk" || operation == "decode_fast_walk";
  if (walks || operation == "read" || operation == "decode_traverse" || operation == "decode_fast_traverse") {
    return Work{.pass =
                    [this, decoding, fast, walks, sum, &inputs = inputs_.encoded()] {
                      Checksum last = 0;
                      inputs_.each(inputs, [&](Bytes bytes) {
                        last = walks ? decoding->decode_walk(bytes, fast)
                                     : decoding->decode_traverse(bytes, fast);
                        consume_number(last);
                      });
                      *sum = last;
                    },
                .input = Input::bytes,
                .looks = looks_at_view([decoding] { return decoding->view(); }),
                .sum = [sum] { return *sum; },
                .walks = walks,
                .spoil = spoils(decoding)};
  }
  return {};
}

/// The work of an operation that a decoder does from what was decoded before; none for other operations.
std::optional<Work> Operations::reading_work(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding>(codec_, memory);
  if (operation == "extract") {
    return Work{.pass =
                    [this, decoding, &inputs = inputs_.views()] {
                      inputs_.each(inputs,
                                   [&](const void* view) { consume_object(decoding->extract(view)); });
                    },
                .input = Input::views,
                .looks = looks_at_object(decoding),
                .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();
  const bool walks = operation == "walk";
  if (walks || operation == "traverse") {
    return Work{.pass =
                    [this, decoding, walks, sum, &inputs = inputs_.views()] {
                      Checksum last = 0;
                      inputs_.each(inputs, [&](const void* view) {
                        last = walks ? decoding->walk(view) : decoding->traverse(view);
                        consume_number(last);
                      });
                      *sum = last;
                    },
                .input = Input::views,
                .looks = looks_at_view(
                    [this, &inputs = inputs_.views()]() -> const void* { return inputs_.last_of(inputs); }),
                .sum = [sum] { return *sum; },
                .walks = walks};
  }
  return {};
}

/// The work of an operation that encodes, and then decodes what was encoded.
Work Operations::round_work(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding>(codec_, memory);
  auto decoding = std::make_shared<Decoding>(codec_, memory);
  if (operation == "native_roundtrip") {
    return {.pass =
                [this, encoding, decoding, &inputs = inputs_.natives()] {
                  inputs_.each(inputs, [&](const void* native) {
                    const Bytes bytes = encoding->encode(native);
                    consume(bytes);
                    consume_object(decoding->decode(bytes, false));
                  });
                },
            .input = codec_.kinds.native ? Input::natives : Input::roots,
            .looks = looks_at_view([decoding] { return decoding->view(); }),
            .spoil = spoils(decoding)};
  }
  if (operation == "roundtrip") {
    return {.pass =
                [this, encoding, decoding] {
                  inputs_.each(inputs_.roots(), [&](const void* root) {
                    const Bytes bytes = encoding->serialize(root);
                    consume(bytes);
                    consume_object(decoding->deserialize(bytes, false));
                  });
                },
            .input = Input::roots,
            .looks = {.append = [this, decoding](
                                    canonical::Buffer& out) { codec_.domain.write(decoding->root(), out); }},
            .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();  // the result of cycle
  return {.pass =
              [this, encoding, decoding, sum] {
                Checksum last = 0;
                inputs_.each(inputs_.roots(), [&](const void* root) {
                  const Bytes bytes = encoding->serialize(root);
                  consume(bytes);
                  last = decoding->decode_traverse(bytes, false);
                  consume_number(last);
                });
                *sum = last;
              },
          .input = Input::roots,
          .looks = looks_at_view([decoding] { return decoding->view(); }),
          .sum = [sum] { return *sum; }};
}

}  // namespace serbench
