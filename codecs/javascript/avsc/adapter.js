// avsc with types made of the schema, from plain objects and to the records of its own classes.
import avro from "avsc";
import { writerSchema } from "serbench";
import { wide } from "./longs.js";
import { build, extract, schema } from "./glue.js";

// The library's own long is a number, which has the 32 bits of u32; those of 64 bits are bigints.
const longs = {
  long: wide("BigInt64LE", BigInt.asIntN),
  u32: avro.Type.forSchema("long"),
  u64: wide("BigUInt64LE", BigInt.asUintN),
};

const type = typeOf(schema);

/** The library adds the types of a schema to the registry that it is given. */
function typeOf(text) {
  return avro.Type.forSchema(JSON.parse(text), { registry: { ...longs } });
}

const INITIAL_SIZE = 1024;

class Reading {
  extract = extract;

  decode(bytes) {
    return type.fromBuffer(bytes);
  }
}

/** Reads messages that were written by another schema. */
class Resolving {
  extract = extract;
  #resolver;

  decode(bytes) {
    this.#resolver ??= type.createResolver(typeOf(writerSchema));
    return type.fromBuffer(bytes, this.#resolver);
  }
}

const Decoder = writerSchema === null ? Reading : Resolving;

/** As the library's own benchmark has it: a new buffer for each message. */
export const ToBuffer = {
  Encoder: class {
    build = build;

    encode(value) {
      return type.toBuffer(value);
    }
  },

  Decoder,
};

/** Into a buffer that grows and is kept. */
export const KeptBuffer = {
  Encoder: class {
    #buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
    build = build;

    encode(value) {
      let end = type.encode(value, this.#buffer, 0);
      while (end < 0) {
        // So many bytes were missing.
        this.#buffer = Buffer.allocUnsafeSlow(2 * (this.#buffer.length - end));
        end = type.encode(value, this.#buffer, 0);
      }
      return this.#buffer.subarray(0, end);
    }
  },

  Decoder,
};
