# A stand-in for /go.capnp, which comes with Cap'n Proto for Go: the annotations by their
# documented names. They say what generated code is called, and change no data.
@0x8d2f61c7a93be045;

annotation package @0xb5c08f72d14e39a6 (file) :Text;
annotation import @0xc71e5a8940df3b62 (file) :Text;
annotation doc @0xe3846bd215fa70c9 (struct, field, enum) :Text;
annotation tag @0x9a07e4b36c5d18f2 (enumerant) :Text;
annotation notag @0xf86d1b95a2c4e703 (enumerant) :Void;
annotation customtype @0x84e95df03a7b62c1 (field) :Text;
annotation name @0xda53f1680bce4297
    (struct, field, union, enum, enumerant, interface, method, param, annotation, const, group) :Text;
