// Reads RapidJSON's events into domain objects. Each type of the domain has an object that knows what to do
// with the events of a value; a stack of frames knows which objects and arrays are open.
#pragma once

#include <rapidjson/rapidjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events.hpp"
#include "serbench/convert.hpp"
#include "serbench/depth.hpp"

namespace serbench::rapidjson_codec {

class Type;

/// A value to be read, and its type.
struct Target {
  const Type* type = nullptr;
  void* value = nullptr;
};

/// An object or array that is open.
struct Frame {
  Target target;
  std::size_t count = 0;     ///< items, or fields that came in their order
  Target next{};             ///< the value that follows a key
  std::vector<bool> seen{};  ///< which fields came, once one was out of order
};

/// What a type does with the events of a value; refuses what it does not override.
class Type {
 public:
  virtual void null(void*) const { refuse("null"); }
  virtual bool is_nullable() const { return false; }
  virtual void boolean(void*, bool) const { refuse("true or false"); }
  virtual void whole(void*, std::int64_t) const { refuse("a whole number"); }
  virtual void natural(void*, std::uint64_t) const { refuse("a natural number"); }
  virtual void real(void*, double) const { refuse("a number with a fraction"); }
  virtual void text(void*, std::string_view) const { refuse("a string"); }
  virtual Frame open_object(void*) const { refuse("an object"); }
  virtual Frame open_array(void*) const { refuse("an array"); }

  /// Where the value of a key goes.
  virtual Target key(Frame&, std::string_view) const { refuse("a key"); }
  /// Where the next value of what is open goes.
  virtual Target item(Frame& frame) const { return frame.next; }
  virtual void close(Frame&) const {}

 protected:
  [[noreturn, gnu::cold]] static void refuse(const char* found) {
    throw DecodeError(std::string("found ") + found + ", which is not what the field takes");
  }
};

/// `back` says how the type leads back to one that it is part of.
template <class T, Back back>
class TypeOf;
template <class T, Back back = Back::no>
inline constexpr TypeOf<T, back> type_of{};

template <Back back = Back::no, class T>
Target target_of(T& value) {
  return {&type_of<T, back>, &value};
}

/// Skips a value that no field asks for.
struct Skipped {};
template <>
class TypeOf<Skipped, Back::no> final : public Type {
  void null(void*) const override {}
  void boolean(void*, bool) const override {}
  void whole(void*, std::int64_t) const override {}
  void natural(void*, std::uint64_t) const override {}
  void real(void*, double) const override {}
  void text(void*, std::string_view) const override {}
  Frame open_object(void*) const override { return {{this, nullptr}}; }
  Frame open_array(void*) const override { return {{this, nullptr}}; }
  Target key(Frame&, std::string_view) const override { return {this, nullptr}; }
  Target item(Frame&) const override { return {this, nullptr}; }
};

/// In place of the value of an alternative that has none.
struct Nothing {};
template <>
class TypeOf<Nothing, Back::no> final : public Type {
  void null(void*) const override {}
};

template <>
class TypeOf<bool, Back::no> final : public Type {
  void boolean(void* value, bool found) const override { *static_cast<bool*>(value) = found; }
};

template <Number T>
class TypeOf<T, Back::no> final : public Type {
  void whole(void* value, std::int64_t found) const override { assign(value, found); }
  void natural(void* value, std::uint64_t found) const override { assign(value, found); }
  void real(void* value, double found) const override {
    if constexpr (std::floating_point<T>) {
      *static_cast<T*>(value) = static_cast<T>(found);
    } else {
      refuse("a number with a fraction");
    }
  }

  void text(void* value, std::string_view found) const override {
    if constexpr (std::floating_point<T>) {
      *static_cast<T*>(value) = static_cast<T>(json::named(found));
    } else if constexpr (DomainEnum<T>) {
      *static_cast<T*>(value) = json::value_of<T>(found);
    } else {
      refuse("a string");
    }
  }

  template <class Found>
  static void assign(void* value, Found found) {
    if constexpr (DomainEnum<T> && !OpenEnum<T>) {
      refuse("a number");
    } else {
      if constexpr (OpenEnum<T>) {
        if (!std::in_range<std::underlying_type_t<T>>(found)) glue::refuse(static_cast<std::int64_t>(found));
      } else if constexpr (std::same_as<T, std::byte>) {
        if (!std::in_range<std::uint8_t>(found)) glue::refuse(static_cast<std::int64_t>(found));
      } else if constexpr (std::integral<T>) {
        if (!std::in_range<T>(found)) glue::refuse(static_cast<std::int64_t>(found));
      }
      *static_cast<T*>(value) = static_cast<T>(found);
    }
  }
  template <class, Back>
  friend class TypeOf;
};

template <>
class TypeOf<std::string, Back::no> final : public Type {
  void text(void* value, std::string_view found) const override {
    static_cast<std::string*>(value)->assign(found);
  }
};

template <class T, Back back>
  requires(Optional<T> || Pointer<T>)
class TypeOf<T, back> final : public Type {
  using Item = std::remove_reference_t<decltype(*std::declval<T&>())>;
  static Item* in(void* value) { return &glue::engaged(*static_cast<T*>(value)); }
  static const Type& item_type() { return type_of<Item, back>; }

  void null(void* value) const override {
    if (!Nullable<T, back>) refuse("null");
    static_cast<T*>(value)->reset();
  }
  bool is_nullable() const override { return Nullable<T, back>; }
  void boolean(void* value, bool found) const override { item_type().boolean(in(value), found); }
  void whole(void* value, std::int64_t found) const override { item_type().whole(in(value), found); }
  void natural(void* value, std::uint64_t found) const override { item_type().natural(in(value), found); }
  void real(void* value, double found) const override { item_type().real(in(value), found); }
  void text(void* value, std::string_view found) const override { item_type().text(in(value), found); }
  Frame open_object(void* value) const override { return item_type().open_object(in(value)); }
  Frame open_array(void* value) const override { return item_type().open_array(in(value)); }
};

/// An object with one field.
template <Union T, Back back>
class TypeOf<T, back> final : public Type {
  Frame open_object(void* value) const override { return {{this, value}}; }
  Target key(Frame& frame, std::string_view name) const override {
    if (frame.count++ != 0) refuse("a second alternative");
    Target target{&type_of<Nothing>, nullptr};
    choose(*static_cast<T*>(frame.target.value), index_of<T>(name),
           [&](auto& chosen, auto chosen_back) { target = target_of<chosen_back()>(chosen); });
    return target;
  }
  void close(Frame& frame) const override {
    if (frame.count == 0) refuse("an object without fields");
  }
};

template <Reflected T, Back back>
class TypeOf<T, back> final : public Type {
  static constexpr auto& fields = Reflect<T>::fields;
  static constexpr std::size_t size = fields.size();

  template <std::size_t I>
  static Target member(void* record) {
    return target_of<back_of<T, I>()>(std::get<I>(tie(*static_cast<T*>(record))));
  }
  static constexpr auto members = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Target (*)(void*), size>{&member<I>...};
  }(std::make_index_sequence<size>());

  Frame open_object(void* value) const override { return {{this, value}}; }

  Target key(Frame& frame, std::string_view name) const override {
    if (frame.seen.empty() && frame.count < size && fields[frame.count] == name) [[likely]] {
      return members[frame.count++](frame.target.value);
    }
    const std::size_t field = static_cast<std::size_t>(std::ranges::find(fields, name) - fields.begin());
    if (field == size) return {&type_of<Skipped>, nullptr};
    if (frame.seen.empty()) {
      frame.seen.assign(size, false);
      std::fill_n(frame.seen.begin(), frame.count, true);
    }
    frame.seen[field] = true;
    return members[field](frame.target.value);
  }

  /// An optional field that is missing is absent.
  void close(Frame& frame) const override {
    const auto& seen = frame.seen;
    if (seen.empty() && frame.count == size) [[likely]]
      return;
    for (std::size_t n = 0; n < size; ++n) {
      if (seen.empty() ? n < frame.count : seen[n]) continue;
      const Target missing = members[n](frame.target.value);
      if (!missing.type->is_nullable()) throw DecodeError("an object has no field " + std::string(fields[n]));
      missing.type->null(missing.value);
    }
  }
};

template <Map T, Back back>
class TypeOf<T, back> final : public Type {
  Frame open_object(void* value) const override {
    static_cast<T*>(value)->clear();
    return {{this, value}};
  }
  Target key(Frame& frame, std::string_view name) const override {
    return target_of<back>((*static_cast<T*>(frame.target.value))[json::key_of<typename T::key_type>(name)]);
  }
};

/// The items that a list has are overwritten, so that their memory is used again.
template <List T, Back back>
class TypeOf<T, back> final : public Type {
  Frame open_array(void* value) const override { return {{this, value}}; }
  Target item(Frame& frame) const override {
    T& list = *static_cast<T*>(frame.target.value);
    const std::size_t n = frame.count++;
    return target_of<back>(n < list.size() ? list[n] : list.emplace_back());
  }
  void close(Frame& frame) const override { static_cast<T*>(frame.target.value)->resize(frame.count); }
};

/// Its items have no address.
template <>
class TypeOf<std::vector<bool>, Back::no> final : public Type {
  using List = std::vector<bool>;
  Frame open_array(void* value) const override {
    static_cast<List*>(value)->clear();
    return {{this, value}};
  }
  Target item(Frame& frame) const override { return frame.target; }
  void boolean(void* value, bool found) const override { static_cast<List*>(value)->push_back(found); }
};

template <Array T, Back back>
class TypeOf<T, back> final : public Type {
  static constexpr std::size_t size = std::tuple_size_v<T>;
  Frame open_array(void* value) const override { return {{this, value}}; }
  Target item(Frame& frame) const override {
    const std::size_t n = frame.count++;
    if (n >= size) glue::check_length(frame.count, size);
    return target_of<back>((*static_cast<T*>(frame.target.value))[n]);
  }
  void close(Frame& frame) const override { glue::check_length(frame.count, size); }
};

/// The handler of a reader.
class Handler {
 public:
  /// Begins a message, which is read into root.
  template <class Root>
  void begin(Root& root) {
    frames_.clear();
    root_ = target_of(root);
  }

  bool Null() {
    return value([](const Target& to) { to.type->null(to.value); });
  }
  bool Bool(bool found) {
    return value([=](const Target& to) { to.type->boolean(to.value, found); });
  }
  bool Int(int found) { return Int64(found); }
  bool Uint(unsigned found) { return Uint64(found); }
  bool Int64(std::int64_t found) {
    return value([=](const Target& to) { to.type->whole(to.value, found); });
  }
  bool Uint64(std::uint64_t found) {
    return value([=](const Target& to) { to.type->natural(to.value, found); });
  }
  bool Double(double found) {
    return value([=](const Target& to) { to.type->real(to.value, found); });
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return value([=](const Target& to) { to.type->text(to.value, {text, size}); });
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) {
    return false;
  }  // only with a flag that is not set
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    Frame& frame = frames_.back();
    frame.next = frame.target.type->key(frame, {text, size});
    return true;
  }
  bool StartObject() {
    return value([this](const Target& to) { open(to.type->open_object(to.value)); });
  }
  bool StartArray() {
    return value([this](const Target& to) { open(to.type->open_array(to.value)); });
  }
  bool EndObject(rapidjson::SizeType) { return end(); }
  bool EndArray(rapidjson::SizeType) { return end(); }

 private:
  /// A step of recursion is several objects and arrays inside each other.
  static constexpr std::size_t max_frames = 8 * max_depth;

  std::vector<Frame> frames_;
  Target root_;

  void open(Frame&& frame) {
    if (frames_.size() == max_frames) throw DecodeError("too many objects and arrays are inside each other");
    frames_.push_back(std::move(frame));
  }

  template <class Use>
  bool value(Use use) {
    if (frames_.empty()) {
      use(root_);
    } else {
      Frame& frame = frames_.back();
      use(frame.target.type->item(frame));
    }
    return true;
  }
  bool end() {
    Frame& frame = frames_.back();
    frame.target.type->close(frame);
    frames_.pop_back();
    return true;
  }
};

}  // namespace serbench::rapidjson_codec
