// A codec and the domain objects of a workload without their types: tables of functions over blocks of
// memory. So what times and checks them compiles once for all programs, and none of it for a cell.
//
// A cell fills the tables: calls.cpp has the calls into the library (calls.hpp), main.cpp makes its objects
// (kinds.hpp), shared.cpp has the domain's, once for all cells of a workload (shared.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "serbench/bytes.hpp"
#include "serbench/canonical.hpp"
#include "serbench/checksum.hpp"
#include "serbench/edits.hpp"

namespace serbench {

/// How objects of one kind are made in a block of memory, and destroyed there.
struct Kind {
  std::size_t size;
  std::size_t alignment;
  void (*make)(void* block);
  void (*destroy)(void* object);
};

/// The functions over a workload's domain objects, which are the same for all its codecs.
struct Domain {
  Kind root;
  void (*read)(Bytes canonical, void* root);  ///< overwrites it; throws unless all the bytes are a message
  void (*write)(const void* root, canonical::Buffer& out);  ///< appends its canonical bytes
  Checksum (*traverse)(const void* root);
  Checksum (*walk)(const void* root) = nullptr;  ///< of a graph
  /// The places of the values of edits; empty where one was not met. Null where values do not lie in memory
  /// as in canonical bytes.
  std::vector<std::byte*> (*places)(void* root, std::span<const Edit> edits) = nullptr;
  void (*update)(void* root) = nullptr;  ///< changes the values that the program is made to change
};

/// The objects that the library's user keeps. Without a native object, what is encoded is the domain object;
/// without a view, what is decoded.
struct Kinds {
  Kind encoder;
  Kind decoder;
  std::optional<Kind> native{};
  std::optional<Kind> view{};
};

/// The calls into an adapter (adapter.hpp), which takes no others; null where it has none.
struct Calls {
  Bytes (*encode)(void* encoder, const void* native);
  void (*decode)(void* decoder, Bytes bytes, void* view);
  void (*build)(void* encoder, const void* root, void* native) = nullptr;
  void (*decode_fast)(void* decoder, Bytes bytes, void* view) = nullptr;
  void (*extract)(void* decoder, const void* view, void* root) = nullptr;
  /// As extract, of a view that nobody needs any more: it may be taken apart.
  void (*take)(void* decoder, void* view, void* root) = nullptr;
  Checksum (*traverse)(void* decoder, const void* view) = nullptr;
  Checksum (*walk)(void* decoder, const void* view) = nullptr;
  Bytes (*relay)(void* encoder, const void* view) = nullptr;  ///< encodes what was decoded once more
  /// Changes the values that the program is made to change in the bytes of a message.
  void (*update)(void* decoder, std::span<std::byte> bytes) = nullptr;
};

/// A codec on a workload.
struct Codec {
  Domain domain;
  Kinds kinds;
  Calls calls;
  bool is_floor = false;    ///< a lower bound, whose native object is the canonical bytes
  bool only_reads = false;  ///< its encode is not the library's, and never measured

  const Kind& native() const { return kinds.native ? *kinds.native : domain.root; }
  const Kind& view() const { return kinds.view ? *kinds.view : domain.root; }
};

/// The tables of the cell that a program is.
namespace cell {
extern const Calls calls;    // calls.cpp
extern const Domain domain;  // shared.cpp
}  // namespace cell

}  // namespace serbench
