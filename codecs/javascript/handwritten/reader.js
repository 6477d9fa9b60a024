// Reads from front to back. A DataView refuses what is beyond its end by itself; counts and text are checked
// here.
import { isUtf8 } from "node:buffer";

/** Texts of fewer bytes are read here: a call into Node takes longer. */
const SHORT = 24;

const MOST_EMPTY_ITEMS = 1 << 16;

export class Reader {
  /** `buffer` is a Buffer, as Node's files and sockets give them. */
  constructor(buffer) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    this.at = 0;
  }

  /** Where the next so many bytes are. */
  take(size) {
    const at = this.at;
    this.at = at + size;
    return at;
  }

  /** A count of items of which each takes at least so many bytes. */
  count(least) {
    const at = this.take(8);
    const count = this.view.getUint32(at, true);
    const most = least === 0 ? MOST_EMPTY_ITEMS : (this.buffer.length - this.at) / least;
    if (count > most || this.view.getUint32(at + 4, true) !== 0) {
      throw new Error(`a count of ${count} exceeds the bytes left`);
    }
    return count;
  }

  text() {
    const size = this.count(1);
    const start = this.take(size);
    return size < SHORT ? this.#short(start, size) : this.#long(start, start + size);
  }

  /** A copy: the bytes that were received are not kept for it. */
  data() {
    return this.#copy(this.count(1));
  }

  fixed(size) {
    if (size > this.buffer.length - this.at) throw new Error("the bytes end early");
    return this.#copy(size);
  }

  #copy(size) {
    const start = this.take(size);
    return Uint8Array.prototype.slice.call(this.buffer, start, start + size);
  }

  #short(start, size) {
    const units = new Array(size);
    for (let n = 0; n < size; ++n) {
      const byte = this.buffer[start + n];
      if (byte > 0x7f) return this.#long(start, start + size);
      units[n] = byte;
    }
    return String.fromCharCode.apply(null, units);
  }

  #long(start, end) {
    if (!isUtf8(this.buffer.subarray(start, end))) throw new Error("a text is not UTF-8");
    return this.buffer.utf8Slice(start, end);
  }
}
