// The headers of the measuring program that cells include, read once for all cells (serbench_precompile).
#include "serbench/calls.hpp"
#include "serbench/kinds.hpp"
#include "serbench/operations.hpp"
