// The system's monotonic clock, asked for in a way that nothing in the program can stand in for.
#pragma once

#include <cstdint>

namespace serbench {

inline constexpr std::int64_t second_ns = 1'000'000'000;

/// Nanoseconds of CLOCK_MONOTONIC, by a system call of our own: the codec or one of its libraries may define
/// functions of the C library too, and these would be called instead.
std::int64_t now_ns();

/// Throws std::runtime_error where `clock_gettime`, as this program has it, tells another time than the
/// system.
void check_clock();

}  // namespace serbench
