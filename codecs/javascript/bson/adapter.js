// bson with domain objects as documents.
import { deserialize, serialize } from "bson";
import { build, extract } from "./glue.js";

const OPTIONS = { useBigInt64: true, promoteBuffers: true };

export const Bson = {
  Encoder: class {
    build = build;

    encode(plain) {
      return serialize(plain);
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return deserialize(bytes, OPTIONS);
    }
  },
};
