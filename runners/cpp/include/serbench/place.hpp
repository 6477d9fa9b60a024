// The place of a process's data in memory: drawn for each process, so that no place favours all rounds of a
// run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace serbench {

/// Runs `program` with the stack and the heap moved by less than a page, as `--place` among the words says: a
/// multiple of 16 each, since that is what both are aligned to. Without `--place` nothing is moved, here or
/// later. The words of `--writer-schema` in front of all others are taken away (writer_schema.hpp).
int at_drawn_place(int argc, char** argv, int (*program)(int, char**));

/// A number of bytes, drawn anew in each call, to leave free before one of `things` of the same kind: a
/// multiple of 16, and 0 without `--place`. It is below a page for few things. For many it is so little that
/// all gaps together stay below 256 KiB, or, for more than 8192 things, below 32 bytes each.
std::size_t drawn_gap(std::size_t things);

/// A number drawn from the same source; always 0 without `--place`.
std::uint64_t drawn_number();

/// Leaves a drawn gap on the heap for as long as the process lasts, so that what is allocated next lies
/// elsewhere.
void leave_gap(std::size_t things);

}  // namespace serbench
