// JSON as every JavaScript engine has it.
import { build, extract } from "./glue.js";

export const Json = {
  Encoder: class {
    build = build;

    encode(plain) {
      return Buffer.from(JSON.stringify(plain));
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return JSON.parse(bytes.toString());
    }
  },
};
