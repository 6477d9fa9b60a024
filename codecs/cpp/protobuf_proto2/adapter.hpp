// Protocol Buffers of proto2: other messages, used in the same way.
#pragma once

#include "../protobuf/adapter.hpp"
