// FlatBuffers with the code that flatc generates: the builder's own bytes, read in place.
import * as flatbuffers from "flatbuffers";
import { build, extract, rootOf, traverse, walk } from "./glue.js";

const FIRST_SIZE = 1024; // as in the library's tutorial

export const InPlace = {
  relays: false, // a builder cannot take a table that was read

  Encoder: class {
    #builder = new flatbuffers.Builder(FIRST_SIZE);

    build(root) {
      const builder = this.#builder;
      builder.clear();
      builder.finish(build(builder, root));
      return builder;
    }

    encode(builder) {
      return builder.asUint8Array();
    }
  },

  /** Decoding checks nothing, since the library has no verifier in JavaScript. */
  Decoder: class {
    extract = extract;
    traverse = traverse;
    walk = walk;

    decode(bytes) {
      return rootOf(new flatbuffers.ByteBuffer(bytes));
    }
  },
};
