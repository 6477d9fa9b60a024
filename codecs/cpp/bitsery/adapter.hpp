// bitsery: one serialize function for reading and writing; each variant is a configuration of the same
// serializer.
#pragma once

#include <limits>
#include <optional>  // bitsery 5.2.1 forgets to include it

#include <bitsery/adapter/buffer.h>
#include <bitsery/adapter/stream.h>
#include <bitsery/bitsery.h>
#include <bitsery/brief_syntax.h>
#include <bitsery/brief_syntax/array.h>
#include <bitsery/brief_syntax/map.h>
#include <bitsery/brief_syntax/memory.h>
#include <bitsery/brief_syntax/string.h>
#include <bitsery/brief_syntax/variant.h>
#include <bitsery/brief_syntax/vector.h>
#include <bitsery/ext/growable.h>
#include <bitsery/ext/std_map.h>
#include <bitsery/ext/std_optional.h>
#include <bitsery/ext/std_smart_ptr.h>
#include <bitsery/ext/std_variant.h>
#include <bitsery/ext/value_range.h>
#include <sys/mman.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"
#include "serbench/streams.hpp"

namespace serbench::bitsery_codec {

/// bitsery asks for the greatest size of everything that grows; data is not to be limited here.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

enum class Syntax { verbose, brief };

/// A variant. bitsery passes its configuration to every serialize function.
template <class GrowableRecord = void, bool quantises = false, Syntax chosen = Syntax::verbose,
          bool checks = true>
struct Config {
  static constexpr bitsery::EndiannessType Endianness = bitsery::DefaultConfig::Endianness;
  static constexpr bool CheckAdapterErrors = checks;
  static constexpr bool CheckDataErrors = checks;
  static constexpr Syntax syntax = chosen;
  static constexpr bool quantised = quantises;
  using Growable = GrowableRecord;
};

/// The range and the step that floats are quantised to, as in the published program those of Vec3: all of
/// them are in [-1, 1].
template <std::floating_point T>
inline constexpr bitsery::ext::ValueRange<T> quantised_range{T(-1), T(1), T(0.01)};

/// bitsery only asserts that a value is in its range; one that is not must not become another.
template <class T>
void check_range(T value) {
  if (!(std::abs(value) <= 1)) [[unlikely]]
    throw std::range_error("a float is outside of the range that it is quantised to");
}

/// The record of the outermost level: the root, or what the list that it wraps is a list of.
template <class Root>
auto outermost() {
  using Unwrapped = std::remove_cvref_t<decltype(unwrapped(std::declval<Root&>()))>;
  if constexpr (List<Unwrapped>) {
    return std::type_identity<typename Unwrapped::value_type>{};
  } else {
    return std::type_identity<Unwrapped>{};
  }
}
template <class Root>
using Outermost = typename decltype(outermost<Root>())::type;

/// Whether the members of a record are floats alone, which are then packed without a gap between them.
template <class Members>
inline constexpr bool are_floats = false;
template <class... Members>
inline constexpr bool are_floats<std::tuple<Members&...>> =
    sizeof...(Members) != 0 && (std::floating_point<Members> && ...);

template <class S>
inline constexpr bool is_reading = requires(S& s) { s.adapter().isCompletedSuccessfully(); };

/// Packs numbers into as few bits as their range needs.
template <class S, std::floating_point... Floats>
[[gnu::always_inline]] inline void quantise(S& s, Floats&... values) {
  s.enableBitPacking([&](typename S::BPEnabledType& packed) {
    if constexpr (!is_reading<S>) (check_range(values), ...);
    (packed.ext(values, quantised_range<Floats>), ...);
  });
}

/// Writes or reads a member of this type in the way of the library's users.
template <class S, class T>
[[gnu::always_inline]] inline void member(S& s, T& value) {
  const auto item = [](S& s, auto& item) { member(s, item); };
  if constexpr (std::same_as<T, bool>) {
    s.boolValue(value);
  } else if constexpr (S::TConfig::quantised && std::floating_point<T>) {
    quantise(s, value);
  } else if constexpr (Number<T>) {
    s.template value<sizeof(T)>(value);
  } else if constexpr (String<T>) {
    s.text1b(value, unlimited);
  } else if constexpr (Optional<T>) {
    s.ext(value, bitsery::ext::StdOptional{}, item);
  } else if constexpr (Pointer<T>) {
    s.ext(value, bitsery::ext::StdSmartPtr{}, item);
  } else if constexpr (Map<T>) {
    s.ext(value, bitsery::ext::StdMap{unlimited}, [](S& s, auto& key, auto& mapped) {
      member(s, key);
      member(s, mapped);
    });
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    // bitsery takes its items by reference, and they are none.
    std::vector<std::uint8_t> bytes(value.begin(), value.end());
    s.container1b(bytes, unlimited);
    if constexpr (is_reading<S>) value.assign(bytes.begin(), bytes.end());
  } else if constexpr (List<T> || Array<T>) {
    using Item = typename T::value_type;
    constexpr bool is_quantised = S::TConfig::quantised && std::floating_point<Item>;
    constexpr bool is_block = Number<Item> && !std::same_as<Item, bool> && !is_quantised;
    if constexpr (List<T> && is_block) {
      s.template container<sizeof(Item)>(value, unlimited);
    } else if constexpr (List<T> && Reflected<Item>) {
      s.container(value, unlimited, [](S& s, Item& item) __attribute__((always_inline)) { s.object(item); });
    } else if constexpr (List<T>) {
      s.container(value, unlimited, item);
    } else if constexpr (is_block) {
      s.template container<sizeof(Item)>(value);
    } else {
      s.container(value, item);
    }
  } else {
    s.object(value);
  }
}

template <class S, class T>
[[gnu::always_inline]] inline void members(S& s, T& record) {
  if constexpr (S::TConfig::syntax == Syntax::brief) {
    apply_members(record, [&](auto&... members) __attribute__((always_inline)) {
      if constexpr (sizeof...(members) != 0) s(members...);
    });
  } else if constexpr (Union<T>) {
    s.ext(record.value, bitsery::ext::StdVariant{});
  } else {
    for_each_member(record, [&](auto& value) __attribute__((always_inline)) { member(s, value); });
  }
}

}  // namespace serbench::bitsery_codec

namespace serbench::domain {  // schemas may have a type of any name here, Union for one

template <class S, serbench::Reflected T>
[[gnu::always_inline]] inline void serialize(S& s, T& record) {
  using Config = typename S::TConfig;
  if constexpr (std::same_as<T, typename Config::Growable>) {
    s.ext(record, bitsery::ext::Growable{},
          [](S& s, T& record) __attribute__((always_inline)) { bitsery_codec::members(s, record); });
  } else if constexpr (Config::quantised && bitsery_codec::are_floats<decltype(tie(record))>) {
    apply_members(record, [&](auto&... floats)
                              __attribute__((always_inline)) { bitsery_codec::quantise(s, floats...); });
  } else {
    bitsery_codec::members(s, record);
  }
}

/// Unions and their alternatives, by way of which types lead back to themselves: what calls itself cannot be
/// inlined.
template <class S, class T>
  requires(serbench::Union<T> || serbench::Alternative<T>)
void serialize(S& s, T& value) {
  bitsery_codec::members(s, value);
}

}  // namespace serbench::domain

namespace bitsery {

// The brief syntax of 5.2.1 has neither of these.
template <class S, class T>
void serialize(S& s, std::optional<T>& value) {
  s.ext(value, ext::StdOptional{}, [](S& s, T& value) { s.object(value); });
}
template <class S>
void serialize(S& s, std::vector<bool>& list) {
  serbench::bitsery_codec::member(s, list);
}

}  // namespace bitsery

namespace serbench {
namespace bitsery_codec {

/// Calls use(context...) with what bitsery asks for where there are pointers: a context that knows them.
template <class Root, class Use>
auto with_context(Use&& use) {
  if constexpr (HoldsPointers<Root>) {
    bitsery::ext::PointerLinkingContext context;
    return use(context);
  } else {
    return use();
  }
}

/// Writes a message; returns what then(output) gives when it is written.
template <class Output, class Root, class Target, class Then>
Bytes write(const Root& root, Target& target, Then&& then) {
  return with_context<Root>([&]<class... Context>(Context&... context) {
    bitsery::Serializer<Output, Context...> serializer(context..., target);
    member(serializer, unwrapped(const_cast<Root&>(root)));
    serializer.adapter().flush();
    return then(serializer.adapter());
  });
}

/// Reads a message, from what an input adapter is made of.
template <class Input, class Root, class... Source>
void read(Root& root, Source&&... source) {
  with_context<Root>([&]<class... Context>(Context&... context) {
    bitsery::Deserializer<Input, Context...> deserializer(context..., source...);
    member(deserializer, unwrapped(root));
    if constexpr (Input::TConfig::CheckAdapterErrors) {
      if (!deserializer.adapter().isCompletedSuccessfully()) throw LibraryError("bitsery refuses the bytes");
    }
  });
}

/// Reads memory.
template <class Root, class Config>
struct BufferDecoder {
  void decode(Bytes bytes, Root& root) {
    using Input = bitsery::InputBufferAdapter<const std::uint8_t*, Config>;
    bitsery_codec::read<Input>(root, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
};

/// Memory that never grows. bitsery does not check whether what it writes there fits, so this is more than
/// any message takes, followed by a page that stops the process. Pages cost nothing until they are written.
class FixedBuffer {
 public:
  using Array = std::uint8_t[1 << 30];

  FixedBuffer() : begin_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(static_cast<std::uint8_t*>(begin_) + sizeof(Array), guard, PROT_NONE);
  }
  FixedBuffer(const FixedBuffer&) = delete;
  FixedBuffer& operator=(const FixedBuffer&) = delete;
  ~FixedBuffer() { munmap(begin_, size); }
  Array& array() { return *static_cast<Array*>(begin_); }

 private:
  static constexpr std::size_t guard = 1 << 16;
  static constexpr std::size_t size = sizeof(Array) + guard;

  void* begin_;
};

}  // namespace bitsery_codec

/// A buffer that grows, and keeps its size.
template <class Root, class Config>
struct BitseryBufferAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      using Output = bitsery::OutputBufferAdapter<std::vector<std::uint8_t>, Config>;
      return bitsery_codec::write<Output>(root, buffer_, [this](const Output& output) {
        return as_bytes(buffer_).first(output.writtenBytesCount());
      });
    }

   private:
    std::vector<std::uint8_t> buffer_;
  };

  using Decoder = bitsery_codec::BufferDecoder<Root, Config>;
};

template <class Root>
using BitseryAdapter = BitseryBufferAdapter<Root, bitsery_codec::Config<>>;
template <class Root>
using BitseryBriefAdapter =
    BitseryBufferAdapter<Root, bitsery_codec::Config<void, false, bitsery_codec::Syntax::brief>>;
template <class Root>
using BitseryCompatibleAdapter =
    BitseryBufferAdapter<Root, bitsery_codec::Config<bitsery_codec::Outermost<Root>>>;
template <class Root>
using BitseryCompressedAdapter = BitseryBufferAdapter<Root, bitsery_codec::Config<void, true>>;
template <class Root>
using BitseryUnsafeAdapter =
    BitseryBufferAdapter<Root, bitsery_codec::Config<void, false, bitsery_codec::Syntax::verbose, false>>;

template <class Root>
struct BitseryFixedAdapter {
  using Config = bitsery_codec::Config<>;

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      using Output = bitsery::OutputBufferAdapter<bitsery_codec::FixedBuffer::Array, Config>;
      return bitsery_codec::write<Output>(root, buffer_.array(), [this](const Output& output) {
        return std::as_bytes(std::span(buffer_.array()).first(output.writtenBytesCount()));
      });
    }

   private:
    bitsery_codec::FixedBuffer buffer_;
  };

  using Decoder = bitsery_codec::BufferDecoder<Root, Config>;
};

template <class Root>
struct BitseryStreamAdapter {
  using Config = bitsery_codec::Config<>;

  class Encoder {
   public:
    Bytes encode(const Root& root) {
      using Output = bitsery::BasicBufferedOutputStreamAdapter<char, Config, std::char_traits<char>>;
      output_.rewind();
      return bitsery_codec::write<Output>(root, output_.stream(),
                                          [this](const Output&) { return output_.written(); });
    }

   private:
    MemoryOutput output_;
  };

  struct Decoder {
    void decode(Bytes bytes, Root& root) {
      using Input = bitsery::BasicInputStreamAdapter<char, Config, std::char_traits<char>>;
      MemoryInput input(bytes);
      bitsery_codec::read<Input>(root, input.stream());
    }
  };
};

}  // namespace serbench
