// The output of the runner: events are the runner's alone, and text that a library prints goes elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace serbench {

/// Keeps standard output for events. What anything else prints there from now on is kept from it; it can be
/// asked for.
void keep_output();

/// Prints a line on what was standard output, at once: what was said is not lost when the process dies.
void say(const std::string& event);

/// The beginning of what something else than `say` printed on standard output; empty where it is clean.
std::string printed();

/// A JSON string. Libraries put raw bytes into their messages; what is not ASCII is shown as a question mark.
std::string quoted(std::string_view text);

/// A string with room for a whole event, so that as many bytes are allocated, which counting.cpp counts,
/// whatever digits its time has.
std::string with_room();

}  // namespace serbench
