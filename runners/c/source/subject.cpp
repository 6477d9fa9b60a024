// The C++ runner's operations over an adapter in C: each object is a block of memory that the adapter's table
// starts and ends.
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "serbench/codec.h"
#include "serbench/isolated.hpp"
#include "serbench/operations.hpp"
#include "serbench/place.hpp"
#include "serbench/sanitized.hpp"

namespace serbench::c {
namespace {

const serbench_program* program = nullptr;  // the one that this process runs

const serbench_codec& adapter() { return *program->adapter; }
bool has_views() { return adapter().view.size != 0; }

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
  if (reason != nullptr) [[unlikely]] {
    if (std::string_view(reason).starts_with("panicked")) throw Unexpected(reason);
    throw DecodeError(reason);
  }
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

/// Builds the library's own objects.
struct NativeEncoder : Encoder<Object<native_kind>> {
  void build(const Message& message, Object<native_kind>& native) {
    check(adapter().build(object_.get(), message.get(), native.get()));
  }
};

/// Extracts from the library's own objects.
struct ViewDecoder : Decoder<Object<view_kind>> {
  using View = Object<view_kind>;

  void decode_fast(Bytes bytes, View& view) {
    check(adapter().decode_fast(object_.get(), view_of(bytes), view.get()));
  }
  void extract(const View& view, Message& message) {
    check(adapter().extract(object_.get(), view.get(), message.get()));
  }
  Checksum traverse(const View& view) { return adapter().traverse(object_.get(), view.get()); }
  Checksum walk(const View& view) {
    return adapter().walk != nullptr ? adapter().walk(object_.get(), view.get()) : 0;
  }
};

/// The adapter of a library: it takes domain objects or `natives` of its own, and gives domain objects or
/// `views` of its own.
template <bool natives, bool views>
struct Table {
  using Native = std::conditional_t<natives, Object<native_kind>, Message>;
  using View = std::conditional_t<views, Object<view_kind>, Message>;
  using Encoder = std::conditional_t<natives, NativeEncoder, c::Encoder<Message>>;
  using Decoder = std::conditional_t<views, ViewDecoder, c::Decoder<Message>>;
};

struct Floor : Table<true, true> {
  static constexpr bool is_floor = true;
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

/// Offers the operations for which the adapter has what they need, which is known only when the program runs.
template <class Adapter>
class OffersWhatThereIs final : public Subject {
 public:
  std::vector<std::string_view> operations() const override {
    auto offered = all_.operations();
    std::erase_if(offered, [](std::string_view name) {
      const bool walks = name.ends_with("walk");
      const bool sums = name.ends_with("traverse") || name == "cycle";
      return (walks && (program->domain->walk == nullptr || (has_views() && adapter().walk == nullptr))) ||
             (sums && has_views() && adapter().traverse == nullptr) ||
             (name.starts_with("decode_fast") && adapter().decode_fast == nullptr);
    });
    return offered;
  }
  bool is_floor() const override { return all_.is_floor(); }
  void load(const std::vector<Bytes>& canonical) override { all_.load(canonical); }
  std::size_t messages() const override { return all_.messages(); }
  Bytes encode(std::size_t message, Memory memory) override { return all_.encode(message, memory); }
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override {
    all_.decode(bytes, fast, memory, out);
  }
  void check_reading() override {
    if (!has_views() || adapter().traverse != nullptr) all_.check_reading();
  }
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

/// The program for the kinds of objects that the adapter has.
int (*chosen())(int, char**) {
  const bool natives = adapter().native.size != 0;
  if (adapter().is_floor) return serve<Floor>;
  if (has_views()) return natives ? serve<Table<true, true>> : serve<Table<false, true>>;
  return natives ? serve<Table<true, false>> : serve<Table<false, false>>;
}

}  // namespace
}  // namespace c
}  // namespace serbench

extern "C" int serbench_run(const serbench_program* program, int argc, char** argv) {
  serbench::c::program = program;
  return serbench::at_drawn_place(argc, argv, serbench::c::chosen());
}
