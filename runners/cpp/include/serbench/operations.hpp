// The operations of one adapter over one dataset, each as a pass over all its messages.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/calls.hpp"
#include "serbench/canonical.hpp"
#include "serbench/holders.hpp"
#include "serbench/inputs.hpp"
#include "serbench/place.hpp"
#include "serbench/runner.hpp"
#include "serbench/sides.hpp"
#include "serbench/sink.hpp"
#include "serbench/watching.hpp"

namespace serbench {

inline void require_equal(const char* operation, std::size_t message, Checksum found, Checksum expected) {
  if (found == expected) return;
  throw std::runtime_error(std::string(operation) + " of message " + std::to_string(message) + " gives " +
                           std::to_string(found) + ", expected " + std::to_string(expected) +
                           ": it does not read what the message holds");
}

template <class A, class Root>
  requires IsAdapter<A, Root>
class Operations final : public Subject {
 public:
  using Native = NativeOf<A, Root>;
  using View = ViewOf<A, Root>;

  std::vector<std::string_view> operations() const override;
  bool is_floor() const override { return IsFloor<A>; }
  void load(const std::vector<Bytes>& canonical) override { inputs_.load(canonical); }
  std::size_t messages() const override { return inputs_.roots().size(); }
  Bytes encode(std::size_t message, Memory memory) override;
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override;
  void check_reading() override;
  void watch(const std::string& edits, const std::vector<Bytes>& canonical) override;
  Timed prepare(std::string_view operation, Memory memory) override;

 private:
  Inputs<A, Root> inputs_;
  std::optional<Watching> watching_;
  // For one message at a time, as verification asks for it, and to look at what was timed.
  Encoding<A, Root> reused_encoding_{Memory::reuse};
  Encoding<A, Root> fresh_encoding_{Memory::fresh};
  Decoding<A, Root> reused_decoding_{Memory::reuse};
  Decoding<A, Root> fresh_decoding_{Memory::fresh};

  Work work(std::string_view operation, Memory memory);
  std::optional<Work> encoding_work(std::string_view operation, Memory memory);
  std::optional<Work> decoding_work(std::string_view operation, Memory memory);
  std::optional<Work> reading_work(std::string_view operation, Memory memory);
  Work round_work(std::string_view operation, Memory memory);

  /// What changes values of the domain object that a decoder will fill again, if it keeps one.
  static Spoil spoils(const std::shared_ptr<Decoding<A, Root>>& decoding) {
    return [decoding](std::span<const Edit> edits, Bytes before) {
      if (Root* kept = decoding->kept_root()) spoil(*kept, edits, before);
    };
  }

  /// Appends the canonical bytes of the message that these bytes, or this view, hold.
  void read(Bytes bytes, canonical::Buffer& out) {
    canonical::encode(reused_decoding_.deserialize(bytes, false), out);
  }
  void read(const View& view, canonical::Buffer& out) {
    if constexpr (DecodesRoot<A, Root>) {
      canonical::encode(view, out);
    } else {
      canonical::encode(reused_decoding_.extract(view), out);
    }
  }
};

template <class A, class Root>
  requires IsAdapter<A, Root>
std::vector<std::string_view> Operations<A, Root>::operations() const {
  constexpr bool fast = DecodesFast<A, Root>;
  std::vector<std::string_view> offered{"decode", "deserialize"};
  const auto offer = [&](std::initializer_list<std::string_view> names) {
    offered.insert(offered.end(), names);
  };
  if constexpr (!OnlyReads<A>) offer({"encode", "serialize", "roundtrip", "native_roundtrip"});
  if constexpr (Builds<A, Root> && !IsFloor<A> && !OnlyReads<A>) offer({"build"});
  if constexpr (fast) offer({"decode_fast"});
  if constexpr (!DecodesRoot<A, Root> && !IsFloor<A>) offer({"extract"});
  if constexpr (Traverses<A, Root>) {
    offer({"traverse", "decode_traverse"});
    if constexpr (fast) offer({"decode_fast_traverse"});
    if constexpr (!OnlyReads<A>) offer({"cycle"});
  }
  if constexpr (Walks<A, Root>) {
    offer({"walk", "decode_walk"});
    if constexpr (fast) offer({"decode_fast_walk"});
  }
  return offered;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Bytes Operations<A, Root>::encode(std::size_t message, Memory memory) {
  return (memory == Memory::fresh ? fresh_encoding_ : reused_encoding_).serialize(inputs_.roots()[message]);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) {
  canonical::encode((memory == Memory::fresh ? fresh_decoding_ : reused_decoding_).deserialize(bytes, fast),
                    out);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::check_reading() {
  if constexpr (TraversesItself<A, Root>) {
    auto& decoder = reused_decoding_;
    for (std::size_t n = 0; n < messages(); ++n) {
      const View& view = inputs_.views()[n];
      const Root& root = decoder.extract(view);  // what the bytes hold, which a lossy codec may have rounded
      require_equal("traverse", n, decoder.traverse(view), serbench::traverse(root));
      if constexpr (WalksItself<A, Root> && Graph<Root>)
        require_equal("walk", n, decoder.walk(view), walk(root));
    }
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::watch(const std::string& edits, const std::vector<Bytes>& canonical) {
  Edits read = read_edits(edits, canonical);
  if (!read.empty()) watching_.emplace(inputs_, std::move(read), canonical);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Timed Operations<A, Root>::prepare(std::string_view operation, Memory memory) {
  const auto offered = operations();
  const auto found = std::ranges::find(offered, operation);
  if (found == offered.end())
    throw std::invalid_argument("this codec has no operation " + std::string(operation));
  leave_gap(1);  // before what the operation allocates itself, such as buffers of encoders
  const auto work = std::make_shared<Work>(this->work(*found, memory));
  if (!watching_) return {work->pass};
  return {.pass = work->pass,
          .renew = [this, work] { watching_->renew(work->input); },
          .shift = [this, work] { watching_->shift(work->input); },
          .spoil = [this, work] { watching_->spoil(*work); },
          .check = [this, work, name = *found] { watching_->check(name, *work); }};
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Work Operations<A, Root>::work(std::string_view operation, Memory memory) {
  if constexpr (IsFloor<A>) {
    if (operation == "serialize") operation = "encode";
    if (operation == "deserialize") operation = "decode";
    if (operation == "roundtrip") operation = "native_roundtrip";
  }
  if (auto work = encoding_work(operation, memory)) return *work;
  if (auto work = decoding_work(operation, memory)) return *work;
  if (auto work = reading_work(operation, memory)) return *work;
  return round_work(operation, memory);
}

/// The work of an operation that an encoder does alone; none for other operations.
template <class A, class Root>
  requires IsAdapter<A, Root>
std::optional<Work> Operations<A, Root>::encoding_work(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding<A, Root>>(memory);
  auto last = std::make_shared<Bytes>();
  const auto read_last = [this, last](canonical::Buffer& out) { read(*last, out); };
  if (operation == "serialize") {
    return Work{.pass =
                    [this, encoding, last] {
                      Bytes bytes;
                      inputs_.each(inputs_.roots(),
                                   [&](const Root& root) { consume(bytes = encoding->serialize(root)); });
                      *last = bytes;
                    },
                .input = Input::roots,
                .left = read_last};
  }
  if (operation == "build") {
    return Work{
        .pass =
            [this, encoding] {
              inputs_.each(inputs_.roots(), [&](const Root& root) { consume(encoding->build(root)); });
            },
        .input = Input::roots,
        .left = [this, encoding](
                    canonical::Buffer& out) { read(reused_encoding_.encode(encoding->native()), out); }};
  }
  if (operation == "encode") {
    return Work{.pass =
                    [this, encoding, last, &natives = inputs_.natives()] {
                      Bytes bytes;
                      inputs_.each(natives,
                                   [&](const Native& native) { consume(bytes = encoding->encode(native)); });
                      *last = bytes;
                    },
                .input = EncodesRoot<A, Root> ? Input::roots : Input::natives,
                .left = read_last};
  }
  return {};
}

/// The work of an operation that a decoder does from bytes; none for other operations.
template <class A, class Root>
  requires IsAdapter<A, Root>
std::optional<Work> Operations<A, Root>::decoding_work(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  const bool fast = operation.starts_with("decode_fast");
  if (operation == "deserialize") {
    return Work{.pass =
                    [this, decoding, &inputs = inputs_.encoded()] {
                      inputs_.each(inputs,
                                   [&](Bytes bytes) { consume(decoding->deserialize(bytes, false)); });
                    },
                .input = Input::bytes,
                .left = [decoding](canonical::Buffer& out) { canonical::encode(decoding->root(), out); },
                .spoil = spoils(decoding)};
  }
  if (operation == "decode" || operation == "decode_fast") {
    return Work{.pass =
                    [this, decoding, fast, &inputs = inputs_.encoded()] {
                      inputs_.each(inputs, [&](Bytes bytes) { consume(decoding->decode(bytes, fast)); });
                    },
                .input = Input::bytes,
                .left = [this, decoding](canonical::Buffer& out) { read(decoding->view(), out); },
                .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();
  const bool walks = operation == "decode_walk" || operation == "decode_fast_walk";
  if (walks || operation == "decode_traverse" || operation == "decode_fast_traverse") {
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
                .sum = [sum] { return *sum; },
                .walks = walks,
                .spoil = spoils(decoding)};
  }
  return {};
}

/// The work of an operation that a decoder does from what was decoded before; none for other operations.
template <class A, class Root>
  requires IsAdapter<A, Root>
std::optional<Work> Operations<A, Root>::reading_work(std::string_view operation, Memory memory) {
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  if (operation == "extract") {
    return Work{.pass =
                    [this, decoding, &inputs = inputs_.views()] {
                      inputs_.each(inputs, [&](const View& view) { consume(decoding->extract(view)); });
                    },
                .input = Input::views,
                .left = [decoding](canonical::Buffer& out) { canonical::encode(decoding->root(), out); },
                .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();
  const bool walks = operation == "walk";
  if (walks || operation == "traverse") {
    return Work{.pass =
                    [this, decoding, walks, sum, &inputs = inputs_.views()] {
                      Checksum last = 0;
                      inputs_.each(inputs, [&](const View& view) {
                        last = walks ? decoding->walk(view) : decoding->traverse(view);
                        consume_number(last);
                      });
                      *sum = last;
                    },
                .input = Input::views,
                .sum = [sum] { return *sum; },
                .walks = walks};
  }
  return {};
}

/// The work of an operation that encodes, and then decodes what was encoded.
template <class A, class Root>
  requires IsAdapter<A, Root>
Work Operations<A, Root>::round_work(std::string_view operation, Memory memory) {
  auto encoding = std::make_shared<Encoding<A, Root>>(memory);
  auto decoding = std::make_shared<Decoding<A, Root>>(memory);
  if (operation == "native_roundtrip") {
    return {.pass =
                [this, encoding, decoding, &inputs = inputs_.natives()] {
                  inputs_.each(inputs, [&](const Native& native) {
                    const Bytes bytes = encoding->encode(native);
                    consume(bytes);
                    consume(decoding->decode(bytes, false));
                  });
                },
            .input = EncodesRoot<A, Root> ? Input::roots : Input::natives,
            .left = [this, decoding](canonical::Buffer& out) { read(decoding->view(), out); },
            .spoil = spoils(decoding)};
  }
  if (operation == "roundtrip") {
    return {.pass =
                [this, encoding, decoding] {
                  inputs_.each(inputs_.roots(), [&](const Root& root) {
                    const Bytes bytes = encoding->serialize(root);
                    consume(bytes);
                    consume(decoding->deserialize(bytes, false));
                  });
                },
            .input = Input::roots,
            .left = [decoding](canonical::Buffer& out) { canonical::encode(decoding->root(), out); },
            .spoil = spoils(decoding)};
  }
  auto sum = std::make_shared<Checksum>();  // of cycle
  return {.pass =
              [this, encoding, decoding, sum] {
                Checksum last = 0;
                inputs_.each(inputs_.roots(), [&](const Root& root) {
                  const Bytes bytes = encoding->serialize(root);
                  consume(bytes);
                  last = decoding->decode_traverse(bytes, false);
                  consume_number(last);
                });
                *sum = last;
              },
          .input = Input::roots,
          .sum = [sum] { return *sum; }};
}

}  // namespace serbench
