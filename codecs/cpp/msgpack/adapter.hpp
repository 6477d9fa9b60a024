// msgpack-cxx: records as arrays; unpacking refers to the input rather than copying strings to a zone.
#pragma once

#include <msgpack.hpp>

#include "serbench/adapter.hpp"
#include "serbench/shapes.hpp"

namespace serbench {

/// A buffer that is packed to in the format before str 8 and bin: strings and bytes alike are raw.
struct MsgpackRawBuffer : msgpack::sbuffer {};

}  // namespace serbench

namespace msgpack {
template <>
inline packer<serbench::MsgpackRawBuffer>& packer<serbench::MsgpackRawBuffer>::pack_str(std::uint32_t size) {
  return pack_v4raw(size);
}
template <>
inline packer<serbench::MsgpackRawBuffer>& packer<serbench::MsgpackRawBuffer>::pack_bin(std::uint32_t size) {
  return pack_v4raw(size);
}

MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
  namespace adaptor {

  template <serbench::Reflected T>
  struct pack<T> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const T& record) const {
      out.pack_array(serbench::Reflect<T>::fields.size());
      serbench::for_each_member(record, [&](const auto& member) { out.pack(member); });
      return out;
    }
  };

  template <serbench::Reflected T>
  struct convert<T> {
    const msgpack::object& operator()(const msgpack::object& in, T& record) const {
      if (in.type != msgpack::type::ARRAY || in.via.array.size != serbench::Reflect<T>::fields.size()) {
        throw serbench::DecodeError("a record is no array of as many items as it has fields");
      }
      const msgpack::object* item = in.via.array.ptr;
      serbench::for_each_member(record, [&]<class Member>(Member& member) {
        // msgpack-cxx 4.1 leaves a vector<bool> as it was where the array is empty.
        if constexpr (std::same_as<Member, std::vector<bool>>) member.clear();
        (item++)->convert(member);
      });
      return in;
    }
  };

  // msgpack-cxx 4.1 does not know std::variant: an array of index and value.
  template <serbench::Union T>
  struct pack<T> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const T& value) const {
      out.pack_array(2).pack(value.value.index());
      const auto pack_chosen = [&]<class A>(const A& chosen) {
        if constexpr (serbench::Valued<A>) {
          out.pack(chosen.value);
        } else {
          out.pack_nil();
        }
      };
      std::visit(pack_chosen, value.value);
      return out;
    }
  };

  template <serbench::Union T>
  struct convert<T> {
    const msgpack::object& operator()(const msgpack::object& in, T& value) const {
      if (in.type != msgpack::type::ARRAY || in.via.array.size != 2)
        throw serbench::DecodeError("a union is no array of an index and a value");
      const msgpack::object* items = in.via.array.ptr;
      serbench::choose(value, items[0].as<std::size_t>(),
                       [&](auto& chosen, auto) { items[1].convert(chosen); });
      return in;
    }
  };

  // msgpack-cxx 4.1 copies what an optional holds, which a pointer cannot be.
  template <serbench::HoldsPointers T>
  struct convert<std::optional<T>> {
    const msgpack::object& operator()(const msgpack::object& in, std::optional<T>& value) const {
      value.reset();
      if (!in.is_nil()) in.convert(value.emplace());
      return in;
    }
  };

  template <serbench::DomainEnum T>
  struct pack<T> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, T value) const {
      return out.pack(static_cast<std::underlying_type_t<T>>(value));
    }
  };

  template <serbench::DomainEnum T>
  struct convert<T> {
    const msgpack::object& operator()(const msgpack::object& in, T& value) const {
      value = static_cast<T>(in.as<std::underlying_type_t<T>>());
      return in;
    }
  };

  }  // namespace adaptor
}
}  // namespace msgpack
namespace serbench {

template <class Root, class Buffer>
struct MsgpackBufferAdapter {
  class Encoder {
   public:
    Bytes encode(const Root& root) {
      buffer_.clear();
      msgpack::pack(buffer_, unwrapped(root));
      return as_bytes(buffer_);
    }

   private:
    Buffer buffer_;
  };

  class Decoder {
   public:
    void decode(Bytes bytes, Root& root) {
      zone_.clear();
      const auto refer_to_input = [](msgpack::type::object_type, std::size_t, void*) { return true; };
      const msgpack::object object = msgpack::unpack(zone_, as_chars(bytes), bytes.size(), refer_to_input);
      object.convert(unwrapped(root));
    }

   private:
    msgpack::zone zone_;
  };
};

template <class Root>
using MsgpackAdapter = MsgpackBufferAdapter<Root, msgpack::sbuffer>;
template <class Root>
using MsgpackRawAdapter = MsgpackBufferAdapter<Root, MsgpackRawBuffer>;

}  // namespace serbench
