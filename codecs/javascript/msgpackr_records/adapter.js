// msgpackr by its defaults: with records, whose structures are told in each message.
import { Packr, Unpackr } from "msgpackr";
import { build, extract } from "./glue.js";

export const Msgpackr = {
  Encoder: class {
    #packr = new Packr();
    build = build;

    encode(plain) {
      return this.#packr.pack(plain);
    }
  },

  Decoder: class {
    #unpackr = new Unpackr();
    extract = extract;

    decode(bytes) {
      return this.#unpackr.unpack(bytes);
    }
  },
};
