// The functions over a workload's domain objects that are the same for all its codecs: they read and write
// canonical bytes, and sum objects up. shared.cpp instantiates them once for all programs, which takes longer
// to compile than most codecs do.
//
// "domain.hpp" comes before it.
#pragma once

#include "serbench/canonical.hpp"
#include "serbench/checksum.hpp"

namespace serbench {

extern template void canonical::Reader::decode<Back::no>(Root&);
extern template void canonical::encode(const Root&, canonical::Buffer&);
extern template Checksum traverse<Back::no>(const Root&);

}  // namespace serbench
