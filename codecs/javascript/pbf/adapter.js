// pbf with the functions that its compiler generates, from plain objects and to those.
import { PbfReader, PbfWriter } from "pbf";
import { build, extract, read, write } from "./glue.js";

const FIRST_SIZE = 1024;

export const Generated = {
  Encoder: class {
    #buffer = new ArrayBuffer(FIRST_SIZE);
    build = build;

    encode(message) {
      // A writer takes no further message when it has finished, but the next one takes what it wrote into.
      const writer = new PbfWriter(this.#buffer);
      write(message, writer);
      const bytes = writer.finish();
      this.#buffer = bytes.buffer;
      return bytes;
    }
  },

  Decoder: class {
    extract = extract;

    decode(bytes) {
      return read(new PbfReader(bytes));
    }
  },
};
