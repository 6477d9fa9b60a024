# A stand-in for /capnp/java.capnp, which comes with Cap'n Proto for Java: the annotations
# by their documented names. They say what generated code is called, and change no data.
@0xa63c42a3a1dfb4fb;

annotation package @0x91f2c3a0b52e6d17 (file) :Text;
annotation outerClassname @0xd04ab2ff17c98e53 (file) :Text;
