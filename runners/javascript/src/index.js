// The functions and classes that generated code and adapters use.
export { made, Reader, reads, Writer, writes } from "./canonical.js";
export {
  sumOfBigInt,
  sumOfBytes,
  sumOfFloat,
  sumOfItems,
  sumOfMap,
  sumOfOptional,
  sumOfText,
} from "./checksum.js";
export { run } from "./main.js";
export { bufferOf, octetsOf } from "./octets.js";
export { depthFirst } from "./walk.js";
export { writerSchema } from "./writer_schema.js";
