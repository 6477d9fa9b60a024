// A call in a process of its own, for messages that may crash it, never end, or ask for all memory.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace serbench {

/// The outcome of a call. `refused` is an exception that could be caught; the last three are no answer that a
/// program can go on with.
struct Outcome {
  enum class Kind { accepted, refused, crash, hang, memory };
  Kind kind;
  std::string reason;   ///< of what is not accepted, at most 200 characters
  const char* by = "";  ///< whose code threw an exception: see origin_of
};

/// An error that no program expects, such as a panic: `crash`, even where it is caught.
struct Unexpected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whose code threw an exception while a message was decoded: `adapter` for what adapters, glue and domain
/// types throw themselves, else `library`; empty where that is not known. A string literal.
const char* origin_of(const std::exception& error);

/// The class of an exception, which holds no value of the data.
std::string class_of(const std::exception& error);

/// Does a call in a copy of this process, which is ended after `limit` of processor time, or twice as much by
/// the clock, and may have 1 GiB more than it has now. It is done twice there: the second call destroys what
/// the first one made, so that a process which dies of that is found too.
///
/// `memory` is an exception after the allocator refused what was asked for; one that was thrown instead of
/// asking, such as std::length_error, is an honest refusal.
///
/// Throws std::system_error where there can be no such process.
Outcome isolated(const std::function<void()>& call, std::chrono::milliseconds limit);

}  // namespace serbench
