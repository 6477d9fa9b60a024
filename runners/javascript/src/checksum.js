// The sum that `traverse` computes from every field, so that each has to be read.
//
// It is kept in 32 bits, which JavaScript adds without allocating. Numbers count as their value (floats and
// bigints: the two halves of their bits), strings as their length and their UTF-16 units, bytes as their
// number and their values, lists and maps as their count and their items, arrays as their items, optionals as
// their presence and their value, unions as the index of the alternative and its value. No order matters.

const double = new Float64Array(1);
const bigint = new BigInt64Array(double.buffer);
const halves = new Int32Array(double.buffer);

export function sumOfFloat(value) {
  double[0] = value;
  return (halves[0] + halves[1]) | 0;
}

export function sumOfBigInt(value) {
  bigint[0] = value;
  return (halves[0] + halves[1]) | 0;
}

export function sumOfText(text) {
  let sum = text.length;
  for (let n = 0; n < text.length; ++n) sum = (sum + text.charCodeAt(n)) | 0;
  return sum;
}

export function sumOfBytes(bytes) {
  let sum = bytes.length;
  for (let n = 0; n < bytes.length; ++n) sum = (sum + bytes[n]) | 0;
  return sum;
}

/** The sum of items, without their count. */
export function sumOfItems(items, sumOf) {
  let sum = 0;
  for (let n = 0; n < items.length; ++n) sum = (sum + sumOf(items[n])) | 0;
  return sum;
}

export function sumOfMap(map, sumOfKey, sumOfValue) {
  let sum = map.size;
  for (const [key, value] of map) sum = (sum + sumOfKey(key) + sumOfValue(value)) | 0;
  return sum;
}

export function sumOfOptional(value, sumOf) {
  return value === null ? 0 : (1 + sumOf(value)) | 0;
}
