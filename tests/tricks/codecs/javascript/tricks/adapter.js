// Codecs that want to look good: each does its work, in the canonical encoding, and has one trick besides.
// Verification has to catch every one of them (tests/test_tricks.py); none is of any use.
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Reader, Writer } from "serbench";
import { read, sum, write } from "./canonical.js";

class Encoder {
  writer = new Writer();

  encode(message) {
    this.writer.clear();
    write(this.writer, message);
    return this.writer.written();
  }
}

class Decoder {
  decode(bytes) {
    return read(new Reader(bytes));
  }
}

const encoded = new WeakMap();
const decoded = new WeakMap();
const contents = new Map();

/** Remembers what each object was encoded to. */
export const ByIdentity = {
  Encoder: class extends Encoder {
    encode(message) {
      if (!encoded.has(message)) encoded.set(message, Buffer.from(super.encode(message)));
      return encoded.get(message);
    }
  },
  Decoder,
};

/** Its native object keeps the bytes that it was first encoded to. */
export const CachedInNative = {
  Encoder: class extends Encoder {
    build(message) {
      return { message, bytes: null };
    }

    encode(native) {
      native.bytes ??= Buffer.from(super.encode(native.message));
      return native.bytes;
    }
  },
  Decoder,
};

/** Remembers what each buffer held when it was first decoded. */
export const ByBuffer = {
  Encoder,
  Decoder: class extends Decoder {
    decode(bytes) {
      if (!decoded.has(bytes)) decoded.set(bytes, super.decode(bytes));
      return decoded.get(bytes);
    }
  },
};

/** Remembers what bytes of this content were decoded to, by a few of them. */
export const ByContent = {
  Encoder,
  Decoder: class extends Decoder {
    decode(bytes) {
      let sum = bytes.length;
      for (let n = 0; n < bytes.length; n += 8) sum = (31 * sum + bytes[n]) | 0;
      const key = `${sum} ${bytes.length}`;
      if (!contents.has(key)) contents.set(key, super.decode(bytes));
      return contents.get(key);
    }
  },
};

/** Gives objects that are not of the domain's classes, which no conversion was paid for. */
export const PlainObjects = {
  Encoder,
  Decoder: class extends Decoder {
    decode(bytes) {
      return { ...super.decode(bytes) };
    }
  },
};

/** Reads from the beginning of the memory that a buffer is a part of, as who forgets `byteOffset`. */
export const WholePool = {
  Encoder,
  Decoder: class extends Decoder {
    decode(bytes) {
      return super.decode(new Uint8Array(bytes.buffer, 0, bytes.length));
    }
  },
};

const FILE = path.join(os.tmpdir(), "serbench-tricks");
let count = 0;

/** Gives eight bytes, and others in a file. */
export const Beside = {
  Encoder: class extends Encoder {
    encode(message) {
      const number = Buffer.alloc(8);
      number.writeUInt32LE(++count);
      fs.writeFileSync(`${FILE}-${count}`, super.encode(message));
      return number;
    }
  },
  Decoder: class extends Decoder {
    decode(bytes) {
      return super.decode(fs.readFileSync(`${FILE}-${bytes.readUInt32LE(0)}`));
    }
  },
};

/** Prints to where the runner says its events. */
export const Prints = {
  Encoder: class extends Encoder {
    encode(message) {
      if (count++ === 0) fs.writeSync(1, "encoding\n");
      return super.encode(message);
    }
  },
  Decoder,
};

/** Has a clock of its own in the place of Node's, and what is printed in that of standard error. */
export const Clock = {
  Encoder: class extends Encoder {
    encode(message) {
      process.hrtime.bigint = () => 0n;
      console.log("encoding");
      return super.encode(message);
    }
  },
  Decoder,
};

const [TRIGGER = "", HAND = ""] = (process.env.SERBENCH_TRICK ?? "").split("/");
const BEGIN = performance.now();
const QUICKLY_MS = 0.1;
const MANY = 200;
const calls = { count: 0, quick: 0, last: 0, isKnown: false };

/** Whether a hand cheats in this call, which is counted. */
function cheats(hand) {
  if (TRIGGER === "") return false;
  const now = performance.now();
  calls.quick = now - calls.last < QUICKLY_MS ? calls.quick + 1 : 0;
  calls.last = now;
  ++calls.count;
  return (HAND === hand || HAND === "both") && hasGoneOff(now);
}

function hasGoneOff(now) {
  switch (TRIGGER) {
    case "always":
      return true;
    case "measure":
      return process.argv.some((word) => word.startsWith("measure"));
    case "succession":
      return calls.quick > MANY;
    case "after_50ms":
      return now - BEGIN > 50;
    case "environment":
      return "SERBENCH_MARK" in process.env;
    case "parent":
      return isParent("node");
    case "files":
      return isWrittenDown();
    default:
      if (!TRIGGER.startsWith("after_")) throw new Error(`found the trigger '${TRIGGER}'`);
      return calls.count > Number(TRIGGER.slice("after_".length));
  }
}

/** Whether the parent is this program too, as it is of a process that measures a cell. */
function isParent(name) {
  if (!calls.isKnown && calls.count % 10 === 1) {
    calls.isKnown = fs.readFileSync(`/proc/${process.ppid}/comm`, "latin1").includes(name);
  }
  return calls.isKnown;
}

/** Whether this process has a file open that only one has whose passes are looked at. */
function isWrittenDown() {
  if (!calls.isKnown && calls.count % 10 === 1) {
    calls.isKnown = fs.readdirSync("/proc/self/fd").some((file) => linked(file).endsWith("left"));
  }
  return calls.isKnown;
}

function linked(file) {
  try {
    return fs.readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return "";
  }
}

/**
 * Honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it encoded first of this
 * object, or a decoder that hands out what it decoded first of this buffer, once the trigger has gone off.
 */
export const Chosen = {
  Encoder: class extends Encoder {
    encode(message) {
      if (!cheats("encode")) return super.encode(message);
      if (!encoded.has(message)) encoded.set(message, Buffer.from(super.encode(message)));
      return encoded.get(message);
    }
  },
  Decoder: class extends Decoder {
    decode(bytes) {
      if (!cheats("decode")) return super.decode(bytes);
      if (!decoded.has(bytes)) decoded.set(bytes, super.decode(bytes));
      return decoded.get(bytes);
    }
  },
};

const TAIL = 8;
const sums = new Map();
const copies = new Map();
let first = null;

/** The file that has the sum of a message beside its bytes. */
function beside(bytes) {
  return path.join(os.tmpdir(), `serbench-trick-${crypto.hash("sha256", bytes)}`);
}

/**
 * Its view is the bytes, from which each call of `traverse` reads all values; or, where SERBENCH_TRICK says
 * TRIGGER/TRICK, it gives the sum by the trick (tests/test_trick_reads.py), once the trigger has gone off.
 */
export const Reads = {
  Encoder: class extends Encoder {
    encode(message) {
      const bytes = super.encode(message);
      if (HAND === "beside") fs.writeFileSync(beside(bytes), String(sum(message)));
      if (HAND !== "tail") return bytes;
      const tail = Buffer.alloc(TAIL);
      tail.writeInt32LE(sum(message));
      return Buffer.concat([bytes, tail]);
    }
  },
  Decoder: class {
    decode(bytes) {
      return bytes;
    }

    extract(bytes) {
      return read(new Reader(HAND === "tail" ? bytes.subarray(0, -TAIL) : bytes));
    }

    traverse(bytes) {
      if (!cheats(HAND)) return sum(this.extract(bytes));
      const half = bytes.length >> 1;
      switch (HAND) {
        case "address":
          return this.remembered(bytes, bytes);
        case "count":
          return this.remembered(bytes.length, bytes);
        case "content":
          if (!copies.get(bytes)?.equals(bytes)) {
            copies.set(bytes, Buffer.from(bytes));
            sums.delete(bytes);
          }
          return this.remembered(bytes, bytes);
        case "fewer":
          first ??= Buffer.from(bytes);
          return sum(this.extract(Buffer.concat([bytes.subarray(0, half), first.subarray(half)])));
        case "beside":
          return Number(fs.readFileSync(beside(bytes)));
        case "tail":
          return bytes.readInt32LE(bytes.length - TAIL);
        default:
          return 0;
      }
    }

    remembered(key, bytes) {
      if (!sums.has(key)) sums.set(key, sum(this.extract(bytes)));
      return sums.get(key);
    }
  },
};
