// What overrides/<workload>.hpp tells of a workload: the records whose floats the variant `compression` quantises.
#pragma once

namespace serbench::bitsery_codec {

/// The range and the step of a record's floats; specialised by overrides.
template <class Record>
struct Quantised;

template <class Record>
concept IsQuantised = requires { Quantised<Record>::step; };

}  // namespace serbench::bitsery_codec
