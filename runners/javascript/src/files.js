// Dataset files and files of messages, as docs/protocol.md lays them out.
import fs from "node:fs";

const FIXED_BYTES = 96; // the header before the JSON
const SCHEMA_AT = 64;
const VERSION = 1;

/**
 * The messages of a dataset, in canonical bytes.
 *
 * @throws it is none, of another version or schema, or not whole
 */
export function readDataset(path, schema) {
  const data = fs.readFileSync(path);
  if (data.length < FIXED_BYTES) throw new Error(`${path} is too short for a dataset`);
  if (data.toString("latin1", 0, 8) !== "SERBENCH") throw new Error(`${path} is no dataset`);
  const version = data.readUInt32LE(8);
  if (version !== VERSION) {
    throw new Error(`${path} has version ${version}; this runner reads version ${VERSION}`);
  }
  const body = FIXED_BYTES + data.readUInt32LE(12);
  const found = data.toString("hex", SCHEMA_AT, FIXED_BYTES);
  if (found !== schema) {
    throw new Error(`${path} has the schema ${found}; this runner was built for ${schema}`);
  }
  const promised = body + Number(data.readBigUInt64LE(24));
  if (data.length !== promised) {
    throw new Error(`${path} has ${data.length} bytes; its header promises ${promised}`);
  }
  const messages = split(data.subarray(body));
  if (messages.length !== Number(data.readBigUInt64LE(16))) {
    throw new Error(`${path} does not hold as many messages as it promises`);
  }
  return messages;
}

/** The messages of a file that `encode` or `decode` wrote: a body alone. */
export function readMessages(path) {
  return split(fs.readFileSync(path));
}

function split(data) {
  const messages = [];
  let at = 0;
  while (at < data.length) {
    if (data.length - at < 4) throw new Error("a message's length is cut off");
    const size = data.readUInt32LE(at);
    at += 4;
    if (data.length - at < size) throw new Error("a message is cut off");
    messages.push(data.subarray(at, at + size));
    at += size;
  }
  return messages;
}

/** Writes messages as they come, each behind its length. */
export class MessageWriter {
  constructor(path) {
    this.file = fs.openSync(path, "w");
    this.bytes = 0;
  }

  write(message) {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(message.length);
    this.#write(size);
    this.#write(message);
    this.bytes += message.length;
  }

  close() {
    fs.closeSync(this.file);
  }

  #write(bytes) {
    for (let left = bytes; left.length > 0;) left = left.subarray(fs.writeSync(this.file, left));
  }
}
