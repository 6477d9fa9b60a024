// msgpackr with plain objects as maps, which any reader of MessagePack takes.
import { Packr, Unpackr } from "msgpackr";
import { build, extract } from "./glue.js";

const OPTIONS = { useRecords: false };

export const Msgpackr = {
  Encoder: class {
    #packr = new Packr(OPTIONS);
    build = build;

    encode(plain) {
      return this.#packr.pack(plain);
    }
  },

  Decoder: class {
    #unpackr = new Unpackr(OPTIONS);
    extract = extract;

    decode(bytes) {
      return this.#unpackr.unpack(bytes);
    }
  },
};
