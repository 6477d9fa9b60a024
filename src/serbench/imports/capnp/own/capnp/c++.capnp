# A stand-in for /capnp/c++.capnp where capnp has none: the annotations by their documented
# names. They say what generated code is called, and change no data.
@0xbdf87d7bb8304e81;

annotation namespace @0xb9c6f99ebf805f2c (file) :Text;
annotation name @0xf264a779fef191ce (field, enumerant, struct, enum, interface, method, param, group, union) :Text;
annotation allowCancellation @0xac7096ff8cfc9dce (interface, method, file) :Void;
