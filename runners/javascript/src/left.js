// The file of what passes left, which serbench judges (docs/protocol.md, "What passes leave").
import fs from "node:fs";

/** The kinds of records: canonical bytes of a domain object, bytes that were encoded, or a sum. */
export const CANONICAL = 0;
export const ENCODED = 1;
export const SUM = 2;

const BEFORE_EDITS = 10; // bytes behind the cell

export class Left {
  /** Records are appended to the file at this path. */
  constructor(path) {
    this.file = fs.openSync(path, "a");
  }

  /**
   * Appends what an operation left of a message while edits of these numbers were in force; at once, so that
   * it is there when the process dies.
   */
  add({ cell, kind, walks, message, edits, rest }) {
    const name = Buffer.from(cell);
    const head = Buffer.alloc(5 + name.length + BEFORE_EDITS + 4 * edits.length);
    head.writeUInt32LE(head.length - 4 + rest.length, 0);
    head.writeUInt8(name.length, 4);
    name.copy(head, 5);
    let at = 5 + name.length;
    head.writeUInt8(kind, at);
    head.writeUInt8(walks ? 1 : 0, at + 1);
    head.writeUInt32LE(message, at + 2);
    head.writeUInt32LE(edits.length, at + 6);
    at += BEFORE_EDITS;
    for (const number of edits) at = head.writeUInt32LE(number, at);
    for (let bytes = Buffer.concat([head, rest]); bytes.length > 0;) {
      bytes = bytes.subarray(fs.writeSync(this.file, bytes));
    }
  }
}
