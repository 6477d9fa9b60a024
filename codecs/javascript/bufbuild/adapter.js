// @bufbuild/protobuf with the descriptors that protoc-gen-es generates.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { build, extract, recursionLimit, schema } from "./glue.js";

// It counts the messages inside each other, by default up to 100.
const OPTIONS = { recursionLimit };

export const Bufbuild = {
  Encoder: class {
    build(root) {
      return create(schema, build(root));
    }

    encode(message) {
      return toBinary(schema, message);
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return fromBinary(schema, bytes, OPTIONS);
    }
  },
};
