// The schema by which messages were written, which a process may be given in front of its commands.
#pragma once

#include <string>
#include <string_view>

namespace serbench {

/// Its text, where it is another one than the program's own; empty where it is that. It is there before any
/// encoder or decoder is made.
#ifdef SERBENCH_LEAST  // the least program, whose size is measured, has no use for it
inline constexpr std::string_view writer_schema;
#else
inline std::string writer_schema;
#endif

}  // namespace serbench
