// An adapter is a type that knows one library and no workload. docs/add-a-codec.md tells how to write one.
//
//   template <class Root>
//   struct Adapter {
//     using Native = ...;   // the type that encode takes, where it is not Root itself
//     using View = ...;     // the type that decode gives, where it is not Native
//
//     class Encoder {
//      public:
//       void build(const Root&, Native&);        // optional
//       Bytes encode(const Native&);
//       Bytes relay(const View&);                // optional: where View is not Native, but can be encoded
//     };
//
//     class Decoder {
//      public:
//       void decode(Bytes, View&);               // the library's default, safe mode
//       void decode_fast(Bytes, View&);          // optional: unchecked
//       void extract(const View&, Root&);        // optional
//       Checksum traverse(const View&);          // optional: needed where View is not Root
//       Checksum walk(const View&);              // optional: for workloads that are graphs, see walk.hpp
//       void update(std::span<std::byte>);       // optional: changes values in the bytes of a message
//     };
//   };
//
// The bytes that encode returns stay in the encoder and are valid until its next call, so no library pays for
// a copy that its users would not make. The members of encoder and decoder are what a program would keep
// between messages (buffers, builders, arenas); under the memory policy `fresh` the harness makes a new one
// for each message: an encoder for what encodes, a decoder for what decodes, so that neither pays for what
// only the other needs. Reading a view may need the bytes, but not the decoder, which may be gone or have
// decoded another message. Every call overwrites its whole destination, whatever it held. Input bytes are
// aligned to 16.
#pragma once

#include <concepts>
#include <span>

#include "serbench/bytes.hpp"
#include "serbench/checksum.hpp"
#include "serbench/walk.hpp"

namespace serbench {

namespace detail {
template <class A, class Root>
struct NativeOf {
  using type = Root;
};
template <class A, class Root>
  requires requires { typename A::Native; }
struct NativeOf<A, Root> {
  using type = typename A::Native;
};
template <class A, class Root>
struct ViewOf {
  using type = typename NativeOf<A, Root>::type;
};
template <class A, class Root>
  requires requires { typename A::View; }
struct ViewOf<A, Root> {
  using type = typename A::View;
};
}  // namespace detail

template <class A, class Root>
using NativeOf = typename detail::NativeOf<A, Root>::type;
template <class A, class Root>
using ViewOf = typename detail::ViewOf<A, Root>::type;

template <class A>
concept HasTwoSides = requires {
  typename A::Encoder;
  typename A::Decoder;
};

template <class A, class Root>
concept Builds = requires(typename A::Encoder encoder, const Root& root, NativeOf<A, Root>& native) {
  encoder.build(root, native);
};
template <class A, class Root>
concept Encodes = requires(typename A::Encoder encoder, const NativeOf<A, Root>& native) {
  { encoder.encode(native) } -> std::same_as<Bytes>;
};
/// The library can encode what it has decoded, though encode takes another type.
template <class A, class Root>
concept RelaysItself = requires(typename A::Encoder encoder, const ViewOf<A, Root>& view) {
  { encoder.relay(view) } -> std::same_as<Bytes>;
};
template <class A, class Root>
concept Decodes = requires(typename A::Decoder decoder, Bytes bytes, ViewOf<A, Root>& view) {
  decoder.decode(bytes, view);
};
template <class A, class Root>
concept DecodesFast = requires(typename A::Decoder decoder, Bytes bytes, ViewOf<A, Root>& view) {
  decoder.decode_fast(bytes, view);
};
template <class A, class Root>
concept Extracts = requires(typename A::Decoder decoder, const ViewOf<A, Root>& view, Root& root) {
  decoder.extract(view, root);
};
template <class A, class Root>
concept TraversesItself = requires(typename A::Decoder decoder, const ViewOf<A, Root>& view) {
  { decoder.traverse(view) } -> std::same_as<Checksum>;
};

template <class A, class Root>
concept WalksItself = requires(typename A::Decoder decoder, const ViewOf<A, Root>& view) {
  { decoder.walk(view) } -> std::same_as<Checksum>;
};
/// The library changes values in the bytes of a message.
template <class A>
concept UpdatesItself =
    requires(typename A::Decoder decoder, std::span<std::byte> bytes) { decoder.update(bytes); };
/// The workload is a graph.
template <class Root>
concept Graph = requires(const Root& root) {
  { walk(root) } -> std::same_as<Checksum>;  // generated beside the domain types
};

/// The domain object is the native object: there is nothing to build.
template <class A, class Root>
concept EncodesRoot = std::same_as<NativeOf<A, Root>, Root>;
/// Decoding gives the domain object: there is nothing to extract.
template <class A, class Root>
concept DecodesRoot = std::same_as<ViewOf<A, Root>, Root>;
template <class A, class Root>
concept Traverses = TraversesItself<A, Root> || DecodesRoot<A, Root>;

/// Calls the generated function `walk` where a member of that name hides it.
struct WalkDomain {
  template <Graph Root>
  Checksum operator()(const Root& root) const {
    return walk(root);
  }
};

template <class A, class Root>
concept Walks = Graph<Root> && (WalksItself<A, Root> || DecodesRoot<A, Root>);

/// A floor is no codec but a lower bound: its native object is the canonical bytes, and its serialize,
/// deserialize and roundtrip leave out build and extract.
template <class A>
concept IsFloor = requires { requires A::is_floor; };

/// The library only reads. Its adapter's encode writes by other means, so that there is something to read,
/// and is never measured.
template <class A>
concept OnlyReads = requires { requires A::only_reads; };

template <class A, class Root>
concept IsAdapter = HasTwoSides<A> && std::default_initializable<typename A::Encoder> &&
                    std::default_initializable<typename A::Decoder> && Encodes<A, Root> && Decodes<A, Root> &&
                    (EncodesRoot<A, Root> || Builds<A, Root>) && (DecodesRoot<A, Root> || Extracts<A, Root>);

}  // namespace serbench
