// The schema by which messages were written, which a process may be given in front of its commands.
#pragma once

#include <string>

namespace serbench {

/// Its text, where it is another one than the program's own; empty where it is that. `run` reads it before it
/// makes an encoder or a decoder.
inline std::string writer_schema;

}  // namespace serbench
