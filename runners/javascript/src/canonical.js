// The canonical encoding (docs/canonical-encoding.md), with every check that it asks for. What is generated
// for a workload calls these for each field.

/** Steps back to a type that the value is part of, inside each other. */
const MAX_DEPTH = 1000;

/** Items of a list that take no bytes. */
const MAX_EMPTY_ITEMS = 1 << 16;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads from front to back; throws an Error where the bytes are not canonical. */
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.depth = 0;
  }

  /** Throws unless every byte was read. */
  finish() {
    const left = this.bytes.length - this.at;
    if (left !== 0) throw new Error(`${left} bytes are left over`);
  }

  take(size) {
    const left = this.bytes.length - this.at;
    if (size > left) throw new Error(`truncated: ${size} bytes are needed, ${left} are left`);
    const from = this.at;
    this.at += size;
    return from;
  }

  bool() {
    const flag = this.u8();
    if (flag > 1) throw new Error(`a bool or presence byte is ${flag}`);
    return flag === 1;
  }

  i8() {
    return this.view.getInt8(this.take(1));
  }

  i16() {
    return this.view.getInt16(this.take(2), true);
  }

  i32() {
    return this.view.getInt32(this.take(4), true);
  }

  i64() {
    return this.view.getBigInt64(this.take(8), true);
  }

  u8() {
    return this.view.getUint8(this.take(1));
  }

  u16() {
    return this.view.getUint16(this.take(2), true);
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  u64() {
    return this.view.getBigUint64(this.take(8), true);
  }

  f32() {
    return this.view.getFloat32(this.take(4), true);
  }

  f64() {
    return this.view.getFloat64(this.take(8), true);
  }

  string() {
    const size = this.count();
    const from = this.take(size);
    return utf8.decode(this.bytes.subarray(from, from + size));
  }

  /** A copy. */
  data() {
    return this.fixed(this.count());
  }

  /** Bytes whose number is not written. */
  fixed(size) {
    const from = this.take(size);
    return Uint8Array.from(this.bytes.subarray(from, from + size));
  }

  /** A count of items that take at least a byte each, so that a wrong one cannot ask for all memory. */
  count() {
    const count = this.u32();
    if (count > this.bytes.length - this.at) throw new Error(`a count of ${count} exceeds the bytes left`);
    return count;
  }

  list(read) {
    return this.array(read, this.count());
  }

  /** A list of items that take no bytes: its count is all that tells of them. */
  listOfEmpty(read) {
    const count = this.u32();
    if (count > MAX_EMPTY_ITEMS) {
      throw new Error(`a count of ${count} items without content, expected at most ${MAX_EMPTY_ITEMS}`);
    }
    return this.array(read, count);
  }

  array(read, count) {
    const items = [];
    for (let n = 0; n < count; ++n) items.push(read(this));
    return items;
  }

  map(readKey, readValue) {
    const map = new Map();
    for (let left = this.count(); left > 0; --left) map.set(readKey(this), readValue(this));
    return map;
  }

  optional(read) {
    return this.bool() ? read(this) : null;
  }

  /** Reads what a type leads back to. */
  step(read) {
    if (this.depth === MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} steps of recursion`);
    ++this.depth;
    const value = read(this);
    --this.depth;
    return value;
  }

  /** A number of an enum, of which `numbers` are all that there are. */
  member(number, numbers) {
    if (!numbers.has(number)) throw new Error(`an enum has the value ${number}`);
    return number;
  }
}

/**
 * Writes into a buffer that grows. It takes nothing but values of the domain types: another type, or a number
 * out of range, is a TypeError or RangeError, so that no codec is helped by a conversion.
 */
export class Writer {
  constructor() {
    this.buffer = Buffer.allocUnsafeSlow(1 << 10);
    this.at = 0;
    this.depth = 0;
  }

  /** The bytes that were written, in the buffer that the next message overwrites. */
  written() {
    return this.buffer.subarray(0, this.at);
  }

  clear() {
    this.at = 0;
    this.depth = 0;
  }

  /** The place to write so many bytes; to be asked before the buffer, which may become another. */
  room(size) {
    const from = this.at;
    this.at += size;
    if (this.at > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, this.at));
      larger.set(this.buffer.subarray(0, from));
      this.buffer = larger;
    }
    return from;
  }

  bool(value) {
    const at = this.room(1);
    this.buffer[at] = Number(of("boolean", value));
  }

  i8(value) {
    const at = this.room(1);
    this.buffer.writeInt8(whole(value), at);
  }

  i16(value) {
    const at = this.room(2);
    this.buffer.writeInt16LE(whole(value), at);
  }

  i32(value) {
    const at = this.room(4);
    this.buffer.writeInt32LE(whole(value), at);
  }

  i64(value) {
    const at = this.room(8);
    this.buffer.writeBigInt64LE(of("bigint", value), at);
  }

  u8(value) {
    const at = this.room(1);
    this.buffer.writeUInt8(whole(value), at);
  }

  u16(value) {
    const at = this.room(2);
    this.buffer.writeUInt16LE(whole(value), at);
  }

  u32(value) {
    const at = this.room(4);
    this.buffer.writeUInt32LE(whole(value), at);
  }

  u64(value) {
    const at = this.room(8);
    this.buffer.writeBigUInt64LE(of("bigint", value), at);
  }

  /** Rounds: JavaScript has no f32, and text such as JSON may have the fewest digits that tell one. */
  f32(value) {
    const at = this.room(4);
    this.buffer.writeFloatLE(of("number", value), at);
  }

  f64(value) {
    const at = this.room(8);
    this.buffer.writeDoubleLE(of("number", value), at);
  }

  string(value) {
    const size = Buffer.byteLength(of("string", value));
    this.u32(size);
    const from = this.room(size);
    this.buffer.write(value, from, size, "utf8");
  }

  data(value) {
    this.u32(made(Uint8Array, value).length);
    const at = this.room(value.length);
    this.buffer.set(value, at);
  }

  fixed(value, size) {
    requireLength(made(Uint8Array, value), size);
    const at = this.room(size);
    this.buffer.set(value, at);
  }

  list(items, write) {
    this.u32(made(Array, items).length);
    for (const item of items) write(this, item);
  }

  array(items, write, count) {
    requireLength(made(Array, items), count);
    for (const item of items) write(this, item);
  }

  map(map, writeKey, writeValue) {
    const keys = [...made(Map, map).keys()].sort(compare);
    this.u32(keys.length);
    for (const key of keys) {
      writeKey(this, key);
      writeValue(this, map.get(key));
    }
  }

  optional(value, write) {
    this.bool(value !== null);
    if (value !== null) write(this, value);
  }

  step(value, write) {
    if (this.depth === MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} steps of recursion`);
    ++this.depth;
    write(this, value);
    --this.depth;
  }

  /** Throws unless a number is one of an enum, or the enum is open. */
  member(number, numbers) {
    if (!numbers.has(number)) throw new Error(`an enum has the value ${number}`);
    return number;
  }
}

const SCALARS = "bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 string data".split(" ");

/** Functions that read an item of a list or map, by its type. */
export const reads = Object.fromEntries(SCALARS.map((name) => [name, (from) => from[name]()]));

/** Functions that write one. */
export const writes = Object.fromEntries(SCALARS.map((name) => [name, (to, item) => to[name](item)]));

/** Throws unless a value is of a class. */
export function made(type, value) {
  if (value instanceof type) return value;
  throw new TypeError(`found ${typeOf(value)}, expected ${type.name}`);
}

function of(type, value) {
  if (typeof value === type) return value;
  throw new TypeError(`found ${typeOf(value)}, expected ${type}`);
}

function whole(value) {
  if (Number.isInteger(of("number", value))) return value;
  throw new RangeError(`found ${value}, expected a whole number`);
}

function requireLength(values, expected) {
  if (values.length === expected) return;
  throw new RangeError(`found ${values.length} items, expected ${expected}`);
}

function typeOf(value) {
  if (value === null) return "null";
  return typeof value === "object" ? (value.constructor?.name ?? "an object") : typeof value;
}

/** The order of keys: text by its UTF-8 bytes, all others by value. */
function compare(one, other) {
  if (typeof one === "string") return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : one > other ? 1 : 0;
}
