// Writes into a buffer that grows and is kept.

/** Texts of fewer UTF-16 units are written here: a call into Node takes longer. */
const SHORT = 24;

const INITIAL_SIZE = 1024;

export class Writer {
  constructor() {
    this.at = 0;
    this.#take(Buffer.allocUnsafeSlow(INITIAL_SIZE));
  }

  /** What was written, in the buffer that the next message overwrites. */
  written() {
    return this.buffer.subarray(0, this.at);
  }

  /** Where to write so many bytes; to be asked before the buffer, which may become another. */
  room(size) {
    const at = this.at;
    this.at = at + size;
    if (this.at > this.buffer.length) this.#grow(at);
    return at;
  }

  count(count) {
    const at = this.room(8);
    this.view.setUint32(at, count, true);
    this.view.setUint32(at + 4, 0, true);
  }

  /** Whether a value is there. */
  presence(value) {
    const at = this.room(1);
    this.buffer[at] = value === null ? 0 : 1;
  }

  text(text) {
    const units = text.length;
    const start = this.room(8 + 3 * units) + 8; // a unit takes three bytes at most
    const { buffer } = this;
    let size = 0;
    if (units < SHORT) {
      for (; size < units; ++size) {
        const unit = text.charCodeAt(size);
        if (unit > 0x7f) break;
        buffer[start + size] = unit;
      }
    }
    if (size < units) size = buffer.write(text, start, "utf8");
    this.at = start - 8;
    this.count(size);
    this.at = start + size;
  }

  data(bytes) {
    this.count(bytes.length);
    const at = this.room(bytes.length);
    this.buffer.set(bytes, at);
  }

  fixed(bytes, size) {
    this.requireLength(bytes, size);
    const at = this.room(size);
    this.buffer.set(bytes, at);
  }

  requireLength(items, expected) {
    if (items.length !== expected) throw new Error(`found ${items.length} items, expected ${expected}`);
  }

  #take(buffer) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  #grow(used) {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, this.at));
    this.buffer.copy(larger, 0, 0, used);
    this.#take(larger);
  }
}
