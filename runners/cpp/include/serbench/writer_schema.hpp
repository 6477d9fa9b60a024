// The schema by which messages were written, which a process may be given in front of its commands.
#pragma once

#include <string>

namespace serbench {

/// Its text, where it is another one than the program's own; empty where it is that. It is there before any
/// encoder or decoder is made.
inline std::string writer_schema;

}  // namespace serbench
