// notepack.io with domain objects as maps.
import { decode, encode } from "notepack.io";
import { build, extract } from "./glue.js";

// As its documentation has it, since it knows no bigint and asks each for a value that it does know.
BigInt.prototype.toJSON = function () {
  const isSafe = Number.MIN_SAFE_INTEGER <= this && this <= Number.MAX_SAFE_INTEGER;
  return isSafe ? Number(this) : String(this);
};

export const Notepack = {
  Encoder: class {
    build = build;
    encode = encode;
  },

  Decoder: class {
    extract = extract;
    decode = decode;
  },
};
