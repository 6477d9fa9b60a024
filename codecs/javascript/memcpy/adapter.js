// The floor: copies the canonical bytes, which no codec can undercut by doing its work better.
import { Reader, Writer } from "serbench";
import { read, write } from "./canonical.js";

export const Memcpy = {
  isFloor: true,

  Encoder: class {
    buffer = Buffer.allocUnsafeSlow(1024);

    build(message) {
      const writer = new Writer();
      write(writer, message);
      return writer.written();
    }

    encode(bytes) {
      if (this.buffer.length < bytes.length) this.buffer = Buffer.allocUnsafeSlow(bytes.length);
      this.buffer.set(bytes);
      return this.buffer.subarray(0, bytes.length);
    }
  },

  Decoder: class {
    decode(bytes) {
      const copy = Buffer.allocUnsafe(bytes.length);
      copy.set(bytes);
      return copy;
    }

    extract(bytes) {
      return read(new Reader(bytes));
    }
  },
};
