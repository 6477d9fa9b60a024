// cbor, which node-cbor is on npm, with domain objects as maps.
import { Buffer, constants } from "node:buffer";
import cbor from "cbor";
import { build, extract } from "./glue.js";

/** As a byte string: what is no Buffer has the tag of a typed array. */
function pushBytes(encoder, bytes) {
  return encoder.pushAny(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

const OPTIONS = {
  collapseBigIntegers: true,
  genTypes: { Uint8Array: pushBytes },
  // Beyond this mark, by default 16 kB, it writes a part of a message and tells nobody.
  highWaterMark: constants.MAX_LENGTH,
};

/** An encoder is a stream that ends with its message, so there is a new one for each; a decoder likewise. */
export const Cbor = {
  Encoder: class {
    build = build;

    encode(plain) {
      return cbor.encodeOne(plain, OPTIONS);
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return cbor.decodeFirstSync(bytes);
    }
  },
};
