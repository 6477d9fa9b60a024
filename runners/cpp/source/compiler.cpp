#include "serbench/compiler.hpp"

namespace serbench {

const char* const compiler = SERBENCH_COMPILER;

}  // namespace serbench
