// The output of the runner: events are the runner's alone, and text that a library prints goes elsewhere.
#pragma once

#include <string>

namespace serbench {

/// Keeps standard output for events. What anything else prints there from now on is kept from it; it can be
/// asked for.
void keep_output();

/// Prints a line on what was standard output, at once: what was said is not lost when the process dies.
void say(const std::string& event);

/// The beginning of what something else than `say` printed on standard output; empty where it is clean.
std::string printed();

}  // namespace serbench
