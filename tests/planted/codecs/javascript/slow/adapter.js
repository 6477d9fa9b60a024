// An adapter that lingers at floats when it writes, and at nothing when it reads.
import { Reader, Writer } from "serbench";
import { read, write } from "./canonical.js";

const LINGER_NS = 30_000n;

function linger(message) {
  for (const line of message.lines) {
    if (!line.price) continue; // there is none where it was dropped
    const end = process.hrtime.bigint() + LINGER_NS;
    while (process.hrtime.bigint() < end);
  }
}

export const Slow = {
  Encoder: class {
    writer = new Writer();

    encode(message) {
      linger(message);
      this.writer.clear();
      write(this.writer, message);
      return this.writer.written();
    }
  },

  Decoder: class {
    decode(bytes) {
      return read(new Reader(bytes));
    }
  },
};
