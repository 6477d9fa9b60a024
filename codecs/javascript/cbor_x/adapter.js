// cbor-x with plain objects as maps, which any reader of CBOR takes.
import * as cbor from "cbor-x";
import { build, extract } from "./glue.js";

const OPTIONS = { useRecords: false, tagUint8Array: false };

export const Cbor = {
  Encoder: class {
    #encoder = new cbor.Encoder(OPTIONS);
    build = build;

    encode(plain) {
      return this.#encoder.encode(plain);
    }
  },

  Decoder: class {
    #decoder = new cbor.Decoder(OPTIONS);
    extract = extract;

    decode(bytes) {
      return this.#decoder.decode(bytes);
    }
  },
};
