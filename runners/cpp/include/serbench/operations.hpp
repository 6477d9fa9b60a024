// The operations of one adapter over one dataset, each as a pass over all its messages.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serbench/adapter.hpp"
#include "serbench/calls.hpp"
#include "serbench/canonical.hpp"
#include "serbench/place.hpp"
#include "serbench/runner.hpp"
#include "serbench/sink.hpp"

namespace serbench {

/// One message in memory of its own, aligned as `malloc` aligns, after a gap of so many bytes. The gap is part of the
/// block, since blocks so large that `malloc` maps them all begin at the same place in a page.
class AlignedBytes {
 public:
  explicit AlignedBytes(Bytes bytes, std::size_t gap = 0)
      : words_(new Word[(gap + bytes.size()) / sizeof(Word) + 1]), gap_(gap), size_(bytes.size()) {
    if (size_ != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.get()) + gap_, bytes.data(), size_);
  }
  operator Bytes() const { return {reinterpret_cast<const std::byte*>(words_.get()) + gap_, size_}; }

 private:
  struct alignas(16) Word {
    std::byte bytes[16];
  };
  std::unique_ptr<Word[]> words_;
  std::size_t gap_;
  std::size_t size_;
};

/// An object that is used again for each message, or made anew for each, as the memory policy says. The object before
/// it is destroyed in the same step, so that `fresh` pays for both ends of a life.
template <class T>
class Slot {
 public:
  explicit Slot(Memory memory) : memory_(memory) {}
  T& take() {
    if (memory_ == Memory::fresh || !object_) object_.emplace();
    return *object_;
  }

 private:
  Memory memory_;
  std::optional<T> object_;
};

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
  using Call = Calls<A, Root>;

  std::vector<std::string_view> operations() const override;
  void load(const std::vector<Bytes>& canonical) override;
  std::size_t messages() const override { return roots_.size(); }
  Bytes encode(std::size_t message, Memory memory) override;
  void decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) override;
  void check_reading() override;
  Pass pass(std::string_view operation, Memory memory) override;

 private:
  std::deque<Root> roots_;
  // What single primitives start from; filled when first needed, since big datasets would hold all of them at once.
  std::deque<Native> natives_;
  std::vector<AlignedBytes> encoded_;
  std::deque<View> views_;
  A preparing_;
  // For one message at a time, as verification does it.
  A kept_;
  std::optional<Native> kept_native_;
  std::optional<View> kept_view_;
  std::optional<Root> kept_root_;

  /// The native object of a root: built, or the root itself.
  static const Native& native_of(A& adapter, const Root& root, Slot<Native>& slot) {
    if constexpr (EncodesRoot<A, Root>) {
      return root;
    } else {
      Native& native = slot.take();
      Call::build(adapter, root, native);
      return native;
    }
  }

  const std::deque<Native>& natives();
  const std::vector<AlignedBytes>& encoded();
  const std::deque<View>& views();

  Pass serialize_pass(Memory memory);
  Pass deserialize_pass(Memory memory, bool fast);
  Pass roundtrip_pass(Memory memory);
  Pass cycle_pass(Memory memory);
  template <Checksum (*read)(A&, const View&)>
  Pass decode_and_pass(Memory memory);
  Pass primitive_pass(std::string_view operation, Memory memory);
};

template <class A, class Root>
  requires IsAdapter<A, Root>
std::vector<std::string_view> Operations<A, Root>::operations() const {
  std::vector<std::string_view> offered{"decode", "deserialize"};
  if constexpr (!OnlyReads<A>) offered.insert(offered.end(), {"encode", "serialize", "roundtrip"});
  if constexpr (Builds<A, Root> && !IsFloor<A> && !OnlyReads<A>) offered.push_back("build");
  if constexpr (DecodesFast<A, Root>) offered.push_back("decode_fast");
  if constexpr (!DecodesRoot<A, Root> && !IsFloor<A>) offered.push_back("extract");
  if constexpr (Traverses<A, Root>) {
    offered.insert(offered.end(), {"traverse", "decode_traverse"});
    if constexpr (!OnlyReads<A>) offered.push_back("cycle");
  }
  if constexpr (Walks<A, Root>) offered.insert(offered.end(), {"walk", "decode_walk"});
  return offered;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::load(const std::vector<Bytes>& canonical) {
  for (const Bytes bytes : canonical) {
    leave_gap(canonical.size());
    canonical::Reader reader(bytes);
    reader.decode(roots_.emplace_back());
    reader.finish();
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Bytes Operations<A, Root>::encode(std::size_t message, Memory memory) {
  const Root& root = roots_[message];
  if (memory == Memory::fresh) {
    std::destroy_at(&kept_);
    std::construct_at(&kept_);
    kept_native_.reset();
  }
  if constexpr (EncodesRoot<A, Root>) {
    return Call::encode(kept_, root);
  } else {
    if (!kept_native_) kept_native_.emplace();
    Call::build(kept_, root, *kept_native_);
    return Call::encode(kept_, *kept_native_);
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::decode(Bytes bytes, bool fast, Memory memory, canonical::Buffer& out) {
  if (memory == Memory::fresh) {
    kept_view_.reset();
    kept_root_.reset();
  }
  if (!kept_view_) kept_view_.emplace();
  if (fast) {
    Call::decode_fast(kept_, bytes, *kept_view_);
  } else {
    Call::decode(kept_, bytes, *kept_view_);
  }
  if constexpr (DecodesRoot<A, Root>) {
    canonical::encode(*kept_view_, out);
  } else {
    if (!kept_root_) kept_root_.emplace();
    Call::extract(kept_, *kept_view_, *kept_root_);
    canonical::encode(*kept_root_, out);
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
void Operations<A, Root>::check_reading() {
  if constexpr (TraversesItself<A, Root>) {
    for (std::size_t n = 0; n < roots_.size(); ++n) {
      const View& view = views()[n];
      Root root;  // what the bytes hold, which a lossy codec may have rounded
      Call::extract(preparing_, view, root);
      require_equal("traverse", n, Call::traverse(preparing_, view), serbench::traverse(root));
      if constexpr (WalksItself<A, Root> && Graph<Root>) {
        require_equal("walk", n, Call::walk(preparing_, view), walk(root));
      }
    }
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::natives() -> const std::deque<Native>& {
  if constexpr (EncodesRoot<A, Root>) {
    return roots_;
  } else {
    if (natives_.empty()) {
      for (const Root& root : roots_) {
        leave_gap(roots_.size());
        Call::build(preparing_, root, natives_.emplace_back());
      }
    }
    return natives_;
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::encoded() -> const std::vector<AlignedBytes>& {
  if (encoded_.empty()) {
    encoded_.reserve(roots_.size());
    Slot<Native> native(Memory::reuse);
    for (const Root& root : roots_) {
      const Bytes bytes = Call::encode(preparing_, native_of(preparing_, root, native));
      encoded_.emplace_back(bytes, drawn_gap(roots_.size()));
    }
  }
  return encoded_;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
auto Operations<A, Root>::views() -> const std::deque<View>& {
  if (views_.empty()) {
    for (const AlignedBytes& bytes : encoded()) {
      leave_gap(roots_.size());
      Call::decode(preparing_, bytes, views_.emplace_back());
    }
  }
  return views_;
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::pass(std::string_view operation, Memory memory) {
  leave_gap(1);  // before what it allocates itself, buffers of adapters for one
  if (operation == "serialize") return serialize_pass(memory);
  if (operation == "deserialize") return deserialize_pass(memory, false);
  if (operation == "roundtrip") return roundtrip_pass(memory);
  if (operation == "cycle") return cycle_pass(memory);
  if (operation == "decode_traverse") return decode_and_pass<Call::traverse>(memory);
  if (operation == "decode_walk") return decode_and_pass<Call::walk>(memory);
  return primitive_pass(operation, memory);
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::serialize_pass(Memory memory) {
  if constexpr (IsFloor<A>) return primitive_pass("encode", memory);
  auto adapters = std::make_shared<Slot<A>>(memory);
  auto slots = std::make_shared<Slot<Native>>(memory);
  return [this, adapters, slots] {
    for (const Root& root : roots_) {
      A& adapter = adapters->take();
      consume(Call::encode(adapter, native_of(adapter, root, *slots)));
    }
  };
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::deserialize_pass(Memory memory, bool fast) {
  if constexpr (DecodesRoot<A, Root> || IsFloor<A>) {
    return primitive_pass(fast ? "decode_fast" : "decode", memory);
  } else {
    auto adapters = std::make_shared<Slot<A>>(memory);
    auto slots = std::make_shared<Slot<View>>(memory);
    auto destinations = std::make_shared<Slot<Root>>(memory);
    return [this, adapters, slots, destinations, &inputs = encoded(), fast] {
      for (const Bytes bytes : inputs) {
        A& adapter = adapters->take();
        View& view = slots->take();
        Root& root = destinations->take();
        fast ? Call::decode_fast(adapter, bytes, view) : Call::decode(adapter, bytes, view);
        Call::extract(adapter, view, root);
        consume(root);
      }
    };
  }
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::roundtrip_pass(Memory memory) {
  auto adapters = std::make_shared<Slot<A>>(memory);
  auto slots = std::make_shared<Slot<View>>(memory);
  return [this, adapters, slots, &inputs = natives()] {
    for (const Native& native : inputs) {
      A& adapter = adapters->take();
      View& view = slots->take();
      const Bytes bytes = Call::encode(adapter, native);
      consume(bytes);
      Call::decode(adapter, bytes, view);
      consume(view);
    }
  };
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::cycle_pass(Memory memory) {
  auto adapters = std::make_shared<Slot<A>>(memory);
  auto slots = std::make_shared<Slot<Native>>(memory);
  auto views = std::make_shared<Slot<View>>(memory);
  return [this, adapters, slots, views] {
    for (const Root& root : roots_) {
      A& adapter = adapters->take();
      View& view = views->take();
      const Bytes bytes = Call::encode(adapter, native_of(adapter, root, *slots));
      consume(bytes);
      Call::decode(adapter, bytes, view);
      consume_number(Call::traverse(adapter, view));
    }
  };
}

template <class A, class Root>
  requires IsAdapter<A, Root>
template <Checksum (*read)(A&, const ViewOf<A, Root>&)>
Pass Operations<A, Root>::decode_and_pass(Memory memory) {
  auto adapters = std::make_shared<Slot<A>>(memory);
  auto slots = std::make_shared<Slot<View>>(memory);
  return [adapters, slots, &inputs = encoded()] {
    for (const Bytes bytes : inputs) {
      A& adapter = adapters->take();
      View& view = slots->take();
      Call::decode_fast(adapter, bytes, view);
      consume_number(read(adapter, view));
    }
  };
}

template <class A, class Root>
  requires IsAdapter<A, Root>
Pass Operations<A, Root>::primitive_pass(std::string_view operation, Memory memory) {
  auto adapters = std::make_shared<Slot<A>>(memory);
  if (operation == "build") {
    if constexpr (Builds<A, Root>) {
      auto slots = std::make_shared<Slot<Native>>(memory);
      return [this, adapters, slots] {
        for (const Root& root : roots_) {
          Native& native = slots->take();
          Call::build(adapters->take(), root, native);
          consume(native);
        }
      };
    }
  }
  if (operation == "encode") {
    return [adapters, &inputs = natives()] {
      for (const Native& native : inputs) consume(Call::encode(adapters->take(), native));
    };
  }
  if (operation == "decode" || operation == "decode_fast") {
    auto slots = std::make_shared<Slot<View>>(memory);
    return [adapters, slots, &inputs = encoded(), fast = operation == "decode_fast"] {
      for (const Bytes bytes : inputs) {
        A& adapter = adapters->take();
        View& view = slots->take();
        fast ? Call::decode_fast(adapter, bytes, view) : Call::decode(adapter, bytes, view);
        consume(view);
      }
    };
  }
  if (operation == "extract") {
    if constexpr (Extracts<A, Root>) {
      auto destinations = std::make_shared<Slot<Root>>(memory);
      return [adapters, destinations, &inputs = views()] {
        for (const View& view : inputs) {
          Root& root = destinations->take();
          Call::extract(adapters->take(), view, root);
          consume(root);
        }
      };
    }
  }
  if (operation == "traverse") {
    return [adapters, &inputs = views()] {
      for (const View& view : inputs) consume_number(Call::traverse(adapters->take(), view));
    };
  }
  if (operation == "walk") {
    return [adapters, &inputs = views()] {
      for (const View& view : inputs) consume_number(Call::walk(adapters->take(), view));
    };
  }
  throw std::invalid_argument("this codec has no operation " + std::string(operation));
}

}  // namespace serbench
