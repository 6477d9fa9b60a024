// The operation that changes values in messages.
#include "serbench/operations.hpp"
#include "serbench/sink.hpp"

namespace serbench {

Bytes Operations::update(Bytes bytes, Memory memory) {
  if (codec_.domain.update == nullptr) return Subject::update(bytes, memory);
  Decoding& decoding = memory == Memory::fresh ? fresh_decoding_ : reused_decoding_;
  updated_.emplace(bytes);
  if (updates_in_place()) {
    decoding.update_in_place(updated_->writable());
    return *updated_;
  }
  decoding.deserialize(*updated_, false);
  Encoding& encoding = memory == Memory::fresh ? fresh_encoding_ : reused_encoding_;
  return encoding.serialize(decoding.update(codec_.domain.update));
}

/// The work of changing values in messages: in their bytes, or by decoding and encoding all of them.
Work Operations::update_work(Memory memory) {
  auto decoding = std::make_shared<Decoding>(codec_, memory);
  if (updates_in_place()) {
    return {.pass =
                [this, decoding, &inputs = inputs_.encoded()] {
                  inputs_.each(inputs, [&](const AlignedBytes& bytes) {
                    decoding->update_in_place(bytes.writable());
                    consume(Bytes(bytes));
                  });
                  inputs_.count_update();
                },
            .input = Input::bytes,
            .looks = {.kind = Left::encoded,
                      .append =
                          [this](canonical::Buffer& out) {
                            const Bytes bytes = inputs_.last_of(inputs_.encoded());
                            out.insert(out.end(), bytes.begin(), bytes.end());
                          },
                      .is_restored = [this] { return inputs_.is_restored(); }}};
  }
  auto encoding = std::make_shared<Encoding>(codec_, memory);
  auto last = std::make_shared<Bytes>();
  return {
      .pass =
          [this, decoding, encoding, last, &inputs = inputs_.encoded()] {
            Bytes changed;
            inputs_.each(inputs, [&](Bytes bytes) {
              decoding->deserialize(bytes, false);
              consume(changed = encoding->serialize(decoding->update(codec_.domain.update)));
            });
            *last = changed;
          },
      .input = Input::bytes,
      .looks = {.kind = Left::encoded,
                .append =
                    [last](canonical::Buffer& out) { out.insert(out.end(), last->begin(), last->end()); }},
      .spoil = spoils(decoding)};
}

}  // namespace serbench
