// Times each single call of an operation, where a sample is the time of many passes together.
#pragma once

#include <cstdint>

#include "serbench/arguments.hpp"
#include "serbench/runner.hpp"

namespace serbench {

/// The command `calls` (docs/protocol.md): times single calls of the cell --cell, writes their nanoseconds
/// into --out and says how they were taken.
void time_calls(const Arguments& arguments, Subject& subject, std::int64_t loading_ns);

}  // namespace serbench
