// Longs as bigints, by the library's own way for that.
import avro from "avsc";

/** A long that Node's buffers read and write by methods of this name; `wrap` gives a number its bits. */
export function wide(name, wrap) {
  const read = Buffer.prototype[`read${name}`];
  const write = Buffer.prototype[`write${name}`];
  const bytes = Buffer.alloc(8);
  return avro.types.LongType.__with({
    fromBuffer: (buffer) => read.call(buffer, 0),
    toBuffer(number) {
      write.call(bytes, number, 0);
      return bytes;
    },
    fromJSON: (number) => wrap(64, BigInt(number)),
    toJSON: Number,
    isValid: (number) => typeof number === "bigint",
    compare: (one, other) => (one === other ? 0 : one < other ? -1 : 1),
  });
}
