// @msgpack/msgpack with domain objects as maps.
import * as msgpack from "@msgpack/msgpack";
import { build, extract } from "./glue.js";

// Both count the objects inside each other to find cycles, by default up to 100.
const OPTIONS = { useBigInt64: true, maxDepth: 10_000 };

export const Msgpack = {
  Encoder: class {
    #encoder = new msgpack.Encoder(OPTIONS);
    build = build;

    encode(plain) {
      return this.#encoder.encodeSharedRef(plain);
    }
  },

  Decoder: class {
    #decoder = new msgpack.Decoder(OPTIONS);
    extract = extract;

    decode(bytes) {
      return this.#decoder.decode(bytes);
    }
  },
};
