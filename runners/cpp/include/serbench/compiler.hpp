// The compiler of the cell that a program measures.
#pragma once

namespace serbench {

/// The name and version of this compiler. The object that has them is the only one of the measuring program
/// that differs between the languages of cells.
extern const char* const compiler;

}  // namespace serbench
