// The engine's own format, that of structured clones.
import v8 from "node:v8";
import { build, extract } from "./glue.js";

export const V8 = {
  Encoder: class {
    build = build;

    encode(plain) {
      return v8.serialize(plain);
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return v8.deserialize(bytes);
    }
  },
};
