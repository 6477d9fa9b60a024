// Objects of a kind, each in a block of memory of its own.
#pragma once

#include <new>

#include "serbench/codec.hpp"
#include "serbench/runner.hpp"
#include "serbench/sanitized.hpp"

namespace serbench {

/// Memory for one object at a time. What no object is in must not be touched.
class Block {
 public:
  explicit Block(const Kind& kind) : kind_(kind), memory_(allocate(kind)) { forbid(memory_, kind_.size); }
  ~Block() {
    permit(memory_, kind_.size);
    if (is_over_aligned(kind_)) {
      ::operator delete(memory_, std::align_val_t(kind_.alignment));
    } else {
      ::operator delete(memory_);
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void make() {
    permit(memory_, kind_.size);
    kind_.make(memory_);
  }
  void destroy() {
    kind_.destroy(memory_);
    forbid(memory_, kind_.size);
  }
  void* get() const { return memory_; }

 private:
  Kind kind_;
  void* memory_;

  static bool is_over_aligned(const Kind& kind) { return kind.alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__; }
  static void* allocate(const Kind& kind) {
    return is_over_aligned(kind) ? ::operator new(kind.size, std::align_val_t(kind.alignment))
                                 : ::operator new(kind.size);
  }
};

/// An object that lives as long as its owner.
class Object {
 public:
  explicit Object(const Kind& kind) : block_(kind) { block_.make(); }
  ~Object() { block_.destroy(); }

  operator void*() { return block_.get(); }
  operator const void*() const { return block_.get(); }

 private:
  Block block_;
};

/// An object that is used again for each message, or made anew for each, as the memory policy says. The
/// object before it is destroyed in the same step, so that `fresh` pays for making and for destroying. Its
/// block is kept, as a variable on the stack would be in the same place.
class Slot {
 public:
  Slot(const Kind& kind, Memory memory) : block_(kind), fresh_(memory == Memory::fresh) {}
  ~Slot() {
    if (is_made_) block_.destroy();
  }

  /// The object for the next message.
  void* take() {
    if (fresh_ || !is_made_) renew();
    return block_.get();
  }
  /// The object that was taken last.
  void* taken() const { return block_.get(); }
  /// The object that will be used again; null where it will be made anew, or there is none yet.
  void* kept() const { return !fresh_ && is_made_ ? block_.get() : nullptr; }

 private:
  Block block_;
  bool fresh_;
  bool is_made_ = false;

  void renew() {
    if (is_made_) {
      is_made_ = false;
      block_.destroy();
    }
    block_.make();
    is_made_ = true;
  }
};

}  // namespace serbench
