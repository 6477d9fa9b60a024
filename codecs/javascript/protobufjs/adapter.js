// protobuf.js from plain objects and to those of its classes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import protobuf from "protobufjs/minimal.js";
import { build, extract, recursionLimit, root as Message, rootName } from "./glue.js";

// Both count the messages inside each other, by default up to 100.
protobuf.util.recursionLimit = recursionLimit;
protobuf.Reader.recursionLimit = recursionLimit;

/** With the code that pbjs generates. */
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

const NO_BYTES = new Uint8Array(0);

let reflected;

/** The type of messages by the schema's text. Who does not reflect does not load what reads it. */
function reflect() {
  const { parse, Type } = createRequire(import.meta.url)("protobufjs");
  const schema = readFileSync(new URL("./messages.proto", import.meta.url), "utf8");
  const { root } = parse(schema, { keepCase: true });
  const type = root.lookupType(rootName);
  // Absent fields read as they do with pbjs: null where they are optional, and no bytes as bytes, which are
  // an array else.
  for (const each of type.parent.nestedArray.filter((each) => each instanceof Type)) {
    for (const field of each.fieldsArray) {
      if (field.partOf) each.ctor.prototype[field.name] = null;
      else if (field.type === "bytes" && !field.repeated) each.ctor.prototype[field.name] = NO_BYTES;
    }
  }
  return type;
}

/** With functions that the library makes of the schema when the first message comes. */
export const Reflection = {
  Encoder: class {
    #type = (reflected ??= reflect());
    build = build;

    encode(message) {
      return this.#type.encode(message).finish(true);
    }
  },

  Decoder: class {
    #type = (reflected ??= reflect());
    extract = extract;

    decode(bytes) {
      return this.#type.decode(bytes);
    }
  },
};
