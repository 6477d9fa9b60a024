// Repeated fields are the same in proto2.
#pragma once

#include "../protobuf/convert.hpp"
