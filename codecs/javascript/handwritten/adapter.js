// The code that a careful programmer writes without a library: numbers through a DataView, 8-byte counts.
import { put, take } from "./glue.js";
import { Reader } from "./reader.js";
import { Writer } from "./writer.js";

export const Handwritten = {
  Encoder: class {
    writer = new Writer();

    encode(message) {
      this.writer.at = 0;
      put(this.writer, message);
      return this.writer.written();
    }
  },

  Decoder: class {
    decode(bytes) {
      return take(new Reader(bytes));
    }
  },
};
