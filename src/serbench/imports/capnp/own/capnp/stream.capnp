# A stand-in for /capnp/stream.capnp where capnp has none, which a method with `-> stream`
# imports by itself: the struct that such a method returns, by its documented name and id.
@0x86c366a91393f3f8;

struct StreamResult @0x995f9a3377c0b16e {}
