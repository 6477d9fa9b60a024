// What generated code for all workloads has in common.

/** The order of entries of maps: of numbers, of bools and bigints, and of text by its UTF-8 bytes. */
export function byNumber([one], [other]) {
  return one - other;
}

export function byValue([one], [other]) {
  return one < other ? -1 : 1;
}

export function byText([one], [other]) {
  const end = Math.min(one.length, other.length);
  for (let n = 0; n < end; ++n) {
    const here = one.charCodeAt(n);
    const there = other.charCodeAt(n);
    if (here !== there) return ordered(here) - ordered(there);
  }
  return one.length - other.length;
}

/** Halves of characters beyond 16 bits come behind all others. */
function ordered(unit) {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** A count of items, where the message has bytes for so many of that size. */
export function room(count, table, size) {
  if (count < 0 || count * size > table.bb.capacity()) {
    throw new Error(`a count of ${count} exceeds the bytes of the message`);
  }
  return count;
}

/** A count that has to be another one. */
export function ofLength(count, expected) {
  if (count !== expected) throw new Error(`found ${count} items, expected ${expected}`);
  return count;
}

/** Items of which there have to be as many. */
export function counted(items, expected) {
  ofLength(items.length, expected);
  return items;
}

/** The bytes of a vector, in place; a program's buffers are often part of one memory. */
export function octets(table, vector) {
  if (vector === null) return new Uint8Array(0);
  const bytes = table.bb.bytes();
  if (vector.byteOffset + vector.length > bytes.byteOffset + bytes.length) {
    throw new Error("the bytes end early");
  }
  return vector;
}

/** The bytes of a struct that has nothing else, in place. */
export function octetsAt(struct, length) {
  const bytes = struct.bb.bytes();
  return octets(struct, new Uint8Array(bytes.buffer, bytes.byteOffset + struct.bb_pos, length));
}

/** What every message has. */
export function present(table) {
  if (table === null) throw new Error("a required field is absent");
  return table;
}
