// fast-json-stringify with a schema of the root, and what reads its JSON everywhere.
import fastJson from "fast-json-stringify";
import { build, extract, schema } from "./glue.js";

const stringify = fastJson(schema);

export const FastJson = {
  Encoder: class {
    build = build;

    encode(plain) {
      return Buffer.from(stringify(plain));
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return JSON.parse(bytes.toString());
    }
  },
};
