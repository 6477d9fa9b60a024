// The operations of one codec over one dataset, each as a pass over all its messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/codec.hpp"
#include "serbench/inputs.hpp"
#include "serbench/runner.hpp"
#include "serbench/sides.hpp"
#include "serbench/watching.hpp"

namespace serbench {

class Operations final : public Subject {
 public:
  explicit Operations(const Codec& codec);

  std::unique_ptr<Subject> another() const override { return std::make_unique<Operations>(codec_); }
  std::vector<std::string_view> operations() const override;
  bool is_floor() const override { return codec_.is_floor; }
  void load(const std::vector<Bytes>& canonical) override { inputs_.load(canonical); }
  void give(const std::string& encoded, const std::string& edits,
            const std::vector<Bytes>& canonical) override;
  void take_alone(std::size_t message) override { inputs_.take_alone(message); }
  std::size_t messages() const override { return inputs_.roots().size(); }
  Bytes encode(std::size_t message, Memory memory) override;
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override;
  bool relays() const override { return codec_.calls.relay != nullptr; }
  Bytes relay(Bytes bytes, Memory memory) override;
  bool updates_in_place() const override { return codec_.calls.update != nullptr; }
  Bytes update(Bytes bytes, Memory memory) override;
  void check_reading() override;
  void watch(const std::string& edits, const std::string& left, const std::vector<Bytes>& canonical) override;
  Timed prepare(std::string_view operation, Memory memory) override;

 private:
  Codec codec_;
  Inputs inputs_;
  std::optional<Watching> watching_;
  // For one message at a time, as verification asks for it.
  Encoding reused_encoding_;
  Encoding fresh_encoding_;
  Decoding reused_decoding_;
  Decoding fresh_decoding_;
  std::optional<AlignedBytes> updated_;

  Work work(std::string_view operation, Memory memory);
  void meet(std::string_view operation, Memory memory, const std::string& cell);
  std::optional<Work> encoding_work(std::string_view operation, Memory memory);
  std::optional<Work> decoding_work(std::string_view operation, Memory memory);
  std::optional<Work> reading_work(std::string_view operation, Memory memory);
  Work update_work(Memory memory);
  Work round_work(std::string_view operation, Memory memory);

  Spoil spoils(const std::shared_ptr<Decoding>& decoding) const;
  Looks looks_at_object(std::shared_ptr<Decoding> decoding);
  Looks looks_at_view(std::function<const void*()> view);
};

}  // namespace serbench
