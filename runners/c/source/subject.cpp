// The C++ runner's operations over an adapter in C: each object is a block of memory that the adapter's table
// starts and ends.
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/codec.h"
#include "serbench/operations.hpp"
#include "serbench/place.hpp"
#include "serbench/sanitized.hpp"

namespace serbench::c {
namespace {

const serbench_program* program = nullptr;  // the one that this process runs

const serbench_codec& adapter() { return *program->adapter; }

/// One object of a kind. Its block is kept for the next of this kind, as a variable on the stack or in a
/// struct would be, so that making one anew costs what its `start` and `end` cost.
template <const serbench_object& (*kind)()>
class Object {
 public:
  Object() : block_(take()) {
    std::memset(block_, 0, kind().size);
    if (kind().start != nullptr) kind().start(block_);
  }
  ~Object() {
    if (kind().end != nullptr) kind().end(block_);
    forbid(block_, kind().size);
    kept().push_back(block_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void* get() { return block_; }
  const void* get() const { return block_; }

 private:
  void* block_;

  /// Given back when the program ends, and not before.
  struct Blocks : std::vector<void*> {
    ~Blocks() {
      for (void* block : *this) ::operator delete(block);
    }
  };
  static Blocks& kept() {
    static Blocks blocks;
    return blocks;
  }
  static void* take() {
    if (kept().empty()) return ::operator new(kind().size);
    void* block = kept().back();
    kept().pop_back();
    permit(block, kind().size);
    return block;
  }
};

const serbench_object& message_kind() { return program->domain->message; }
const serbench_object& encoder_kind() { return adapter().encoder; }
const serbench_object& decoder_kind() { return adapter().decoder; }
const serbench_object& native_kind() { return adapter().native; }
const serbench_object& view_kind() { return adapter().view; }

void check(const char* reason) {
  if (reason != nullptr) [[unlikely]]
    throw DecodeError(reason);
}

serbench_view view_of(Bytes bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
Bytes bytes_of(serbench_view view) { return {reinterpret_cast<const std::byte*>(view.data), view.size}; }

using Message = Object<message_kind>;

Checksum walk(const Message& message) {
  return program->domain->walk != nullptr ? program->domain->walk(message.get()) : 0;
}

template <class Native>
class Encoder {
 public:
  Bytes encode(const Native& native) {
    serbench_view bytes{};
    check(adapter().encode(object_.get(), native.get(), &bytes));
    return bytes_of(bytes);
  }

 protected:
  Object<encoder_kind> object_;
};

template <class View>
class Decoder {
 public:
  void decode(Bytes bytes, View& view) { check(adapter().decode(object_.get(), view_of(bytes), view.get())); }

 protected:
  Object<decoder_kind> object_;
};

/// Of a library that takes and gives domain objects.
struct Direct {
  using Encoder = c::Encoder<Message>;
  using Decoder = c::Decoder<Message>;
};

/// Of a library with objects of its own.
struct WithNatives {
  using Native = Object<native_kind>;
  using View = Object<view_kind>;

  struct Encoder : c::Encoder<Native> {
    void build(const Message& message, Native& native) {
      check(adapter().build(object_.get(), message.get(), native.get()));
    }
  };
  struct Decoder : c::Decoder<View> {
    void extract(const View& view, Message& message) {
      check(adapter().extract(object_.get(), view.get(), message.get()));
    }
    Checksum traverse(const View& view) { return adapter().traverse(object_.get(), view.get()); }
    Checksum walk(const View& view) {
      return adapter().walk != nullptr ? adapter().walk(object_.get(), view.get()) : 0;
    }
  };
};

}  // namespace
}  // namespace serbench::c

namespace serbench {

template <>
void canonical::Reader::decode(c::Message& message) {
  c::check(c::program->domain->read(c::view_of(rest_), message.get()));
  rest_ = {};
}

template <>
void canonical::encode(const c::Message& message, Buffer& out) {
  serbench_view bytes{};
  c::check(c::program->domain->write(message.get(), &bytes));
  put(out, bytes.data, bytes.size);
}

template <>
Checksum traverse(const c::Message& message) {
  return c::program->domain->traverse(message.get());
}

namespace c {
namespace {

/// Operations that are offered where the workload is a graph: what an adapter has is known only when the
/// program runs.
template <class Adapter>
class OffersWhatThereIs final : public Subject {
 public:
  std::vector<std::string_view> operations() const override {
    auto offered = all_.operations();
    if (program->domain->walk == nullptr) {
      std::erase_if(offered, [](std::string_view name) { return name.ends_with("walk"); });
    }
    return offered;
  }
  void load(const std::vector<Bytes>& canonical) override { all_.load(canonical); }
  std::size_t messages() const override { return all_.messages(); }
  Bytes encode(std::size_t message, Memory memory) override { return all_.encode(message, memory); }
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override {
    all_.decode(bytes, fast, memory, out);
  }
  void check_reading() override { all_.check_reading(); }
  void watch(const std::string& edits, const std::vector<Bytes>& canonical) override {
    all_.watch(edits, canonical);
  }
  Timed prepare(std::string_view operation, Memory memory) override {
    return all_.prepare(operation, memory);
  }

 private:
  Operations<Adapter, Message> all_;
};

template <class Adapter>
int serve(int argc, char** argv) {
  OffersWhatThereIs<Adapter> subject;
  return run({.codec = program->codec, .workload = program->workload, .schema = program->schema}, subject,
             argc, argv);
}

}  // namespace
}  // namespace c
}  // namespace serbench

extern "C" int serbench_run(const serbench_program* program, int argc, char** argv) {
  serbench::c::program = program;
  const bool natives = program->adapter->native.size != 0;
  return serbench::at_drawn_place(
      argc, argv,
      natives ? serbench::c::serve<serbench::c::WithNatives> : serbench::c::serve<serbench::c::Direct>);
}
