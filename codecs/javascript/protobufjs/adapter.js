// protobuf.js with the code that pbjs generates, from and to plain objects.
import protobuf from "protobufjs/minimal.js";
import { build, extract, recursionLimit, root as Message } from "./glue.js";

// Both count the messages inside each other, by default up to 100.
protobuf.util.recursionLimit = recursionLimit;
protobuf.Reader.recursionLimit = recursionLimit;

export const Static = {
  Encoder: class {
    build = build;

    encode(message) {
      return Message.encode(message).finish(true);
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return Message.decode(bytes);
    }
  },
};
