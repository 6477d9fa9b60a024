// What every program of a workload does with its domain objects in the same way: reads and writes their
// canonical bytes, and sums them up. shared.cpp instantiates that once for all of them, which takes longer to
// compile than most codecs do.
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
