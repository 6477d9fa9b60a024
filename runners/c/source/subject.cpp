// The C++ runner's tables over an adapter in C, each of whose objects is a block of memory that the adapter's
// table starts and ends.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "serbench/codec.h"
#include "serbench/codec.hpp"
#include "serbench/isolated.hpp"
#include "serbench/operations.hpp"
#include "serbench/place.hpp"
#include "serbench/writer_schema.hpp"

namespace serbench::c {
namespace {

const serbench_program* program = nullptr;  // the one that this process runs

const serbench_codec& adapter() { return *program->adapter; }
const serbench_domain& domain() { return *program->domain; }

void check(const char* reason) {
  if (reason != nullptr) [[unlikely]] {
    if (std::string_view(reason).starts_with("panicked")) throw Unexpected(reason);
    constexpr std::string_view library = SERBENCH_LIBRARY;
    if (std::string_view(reason).starts_with(library)) throw LibraryError(reason + library.size());
    throw DecodeError(reason);
  }
}

serbench_view view_of(Bytes bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
Bytes bytes_of(serbench_view view) { return {reinterpret_cast<const std::byte*>(view.data), view.size}; }

template <const serbench_object& (*object)()>
Kind kind_of() {
  return {.size = object().size,
          .alignment = alignof(std::max_align_t),
          .make =
              [](void* block) {
                if (object().size != 0) std::memset(block, 0, object().size);
                if (object().start != nullptr) object().start(block);
              },
          .destroy =
              [](void* block) {
                if (object().end != nullptr) object().end(block);
              }};
}

const serbench_object& message_object() { return domain().message; }
const serbench_object& encoder_object() { return adapter().encoder; }
const serbench_object& decoder_object() { return adapter().decoder; }
const serbench_object& native_object() { return adapter().native; }
const serbench_object& view_object() { return adapter().view; }

Domain domain_table() {
  Domain table{
      .root = kind_of<message_object>(),
      .read = [](Bytes canonical, void* message) { check(domain().read(view_of(canonical), message)); },
      .write =
          [](const void* message, canonical::Buffer& out) {
            serbench_view bytes{};
            check(domain().write(message, &bytes));
            canonical::put(out, bytes.data, bytes.size);
          },
      .traverse = [](const void* message) -> Checksum { return domain().traverse(message); }};
  if (domain().walk != nullptr)
    table.walk = [](const void* message) -> Checksum { return domain().walk(message); };
  if (domain().update != nullptr) table.update = [](void* message) { domain().update(message); };
  return table;
}

Kinds kinds() {
  Kinds kinds{.encoder = kind_of<encoder_object>(), .decoder = kind_of<decoder_object>()};
  if (adapter().native.size != 0) kinds.native = kind_of<native_object>();
  if (adapter().view.size != 0) kinds.view = kind_of<view_object>();
  return kinds;
}

/// Adds the calls that take a view, as far as the adapter has functions for them.
void add_calls_of_views(Calls& calls) {
  calls.extract = [](void* decoder, const void* view, void* message) {
    check(adapter().extract(decoder, view, message));
  };
  if (adapter().take != nullptr)
    calls.take = [](void* decoder, void* view, void* message) {
      check(adapter().take(decoder, view, message));
    };
  if (adapter().traverse != nullptr)
    calls.traverse = [](void* decoder, const void* view) -> Checksum {
      return adapter().traverse(decoder, view);
    };
  if (adapter().walk != nullptr && domain().walk != nullptr)
    calls.walk = [](void* decoder, const void* view) -> Checksum { return adapter().walk(decoder, view); };
}

/// Adds the call that encodes what was decoded: of messages it is `encode`, of views the adapter's own.
void add_relay(Calls& calls) {
  if (adapter().native.size == 0 && adapter().view.size == 0) {
    calls.relay = calls.encode;
  } else if (adapter().relay != nullptr && (adapter().relays == nullptr || adapter().relays())) {
    calls.relay = [](void* encoder, const void* view) {
      serbench_view bytes{};
      check(adapter().relay(encoder, view, &bytes));
      return bytes_of(bytes);
    };
  }
}

Calls calls() {
  Calls calls{.encode =
                  [](void* encoder, const void* native) {
                    serbench_view bytes{};
                    check(adapter().encode(encoder, native, &bytes));
                    return bytes_of(bytes);
                  },
              .decode = [](void* decoder, Bytes bytes,
                           void* view) { check(adapter().decode(decoder, view_of(bytes), view)); }};
  if (adapter().native.size != 0)
    calls.build = [](void* encoder, const void* message, void* native) {
      check(adapter().build(encoder, message, native));
    };
  if (adapter().decode_fast != nullptr)
    calls.decode_fast = [](void* decoder, Bytes bytes, void* view) {
      check(adapter().decode_fast(decoder, view_of(bytes), view));
    };
  if (adapter().view.size != 0) {
    add_calls_of_views(calls);
  } else {
    calls.traverse = [](void*, const void* message) -> Checksum { return domain().traverse(message); };
    if (domain().walk != nullptr)
      calls.walk = [](void*, const void* message) -> Checksum { return domain().walk(message); };
  }
  add_relay(calls);
  if (adapter().update != nullptr)
    calls.update = [](void* decoder, std::span<std::byte> bytes) {
      check(adapter().update(decoder, reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()));
    };
  return calls;
}

int serve(int argc, char** argv) {
  Operations operations(
      {.domain = domain_table(), .kinds = kinds(), .calls = calls(), .is_floor = adapter().is_floor});
  return run({.codec = program->codec, .workload = program->workload, .schema = program->schema}, operations,
             argc, argv);
}

}  // namespace
}  // namespace serbench::c

extern "C" const char* serbench_writer_schema() {
  return serbench::writer_schema.empty() ? nullptr : serbench::writer_schema.c_str();
}

extern "C" int serbench_run(const serbench_program* program, int argc, char** argv) {
  serbench::c::program = program;
  return serbench::at_drawn_place(argc, argv, serbench::c::serve);
}
