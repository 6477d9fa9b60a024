// The commands by which serbench verifies a cell; what one process encodes, another one decodes.
import process from "node:process";
import { Writer } from "./canonical.js";
import { nowNs, sinceNs } from "./clock.js";
import { givenBodies } from "./edits.js";
import { say } from "./events.js";
import { MessageWriter, readDataset, readMessages } from "./files.js";
import { Operations } from "./operations.js";
import { originOf } from "./origin.js";
import { Decoding, Encoding, ownBytes } from "./sides.js";
import { Unseen } from "./unseen.js";
import { Watching } from "./watching.js";

const WATCHED_NS = 20_000_000; // for an operation under a policy
const PASSES = 5; // between two changes, or fewer where they take as long
const MOST_BYTES = 1 << 30; // a hostile message may ask for no more
const REASON = 200; // characters
const FROM_BYTES = new Set(["encoded", "views"]);

/** Leaves it to codecs to refuse numbers that an enum has not. */
class AnyMember extends Writer {
  member(number) {
    return number;
  }
}

export class Verification {
  #loaded = null; // the path of the dataset

  constructor(cell) {
    this.cell = cell;
  }

  check(options) {
    this.#load(options);
    if (this.operations.given === null) this.#checkNotCached();
    this.#checkReading();
    if (options.has("edits")) this.#checkWatched(options);
    say("checked", { messages: this.canonical.length });
  }

  encode(options) {
    this.#load(options);
    const encoding = new Encoding(this.cell.adapter, memoryOf(options));
    const out = new MessageWriter(options.get("out"));
    for (const root of this.operations.inputs("roots")) out.write(encoding.serialize(root));
    out.close();
    say("encoded", { messages: this.canonical.length, bytes: out.bytes });
  }

  decode(options) {
    const operation = options.get("operation", "decode");
    if (operation !== "decode" && operation !== "decode_fast") {
      throw new Error(`found operation '${operation}', expected decode or decode_fast`);
    }
    const messages = readMessages(options.get("encoded"));
    const decoding = new Decoding(this.cell, memoryOf(options));
    const out = new MessageWriter(options.get("out"));
    const canonical = new Writer();
    for (const message of messages) {
      canonical.clear();
      this.cell.domain.write(canonical, decoding.deserialize(ownBytes(message), operation === "decode_fast"));
      out.write(canonical.written());
    }
    out.close();
    say("decoded", { messages: messages.length });
  }

  /** Decodes each message, and encodes the library's own object. */
  relay(options) {
    if (!relays(this.cell)) throw new Error("its view cannot be encoded again");
    const messages = readMessages(options.get("encoded"));
    const decoding = new Decoding(this.cell, memoryOf(options));
    const encoding = new Encoding(this.cell.adapter, memoryOf(options));
    const out = new MessageWriter(options.get("out"));
    for (const message of messages) {
      const view = decoding.decode(ownBytes(message), false);
      out.write(encoding.relay(view, !decoding.extracts));
    }
    out.close();
    say("relayed", { messages: messages.length, bytes: out.bytes });
  }

  /** Says of each message whether it is accepted; where it may be hostile, also what harm it did. */
  probe(options) {
    const limitMs = options.number("limit-ms", 0);
    const messages = readMessages(options.get("encoded"));
    for (let n = 0; n < messages.length; ++n) {
      const before = { cpu: process.cpuUsage(), bytes: heldBytes() };
      const refused = this.#refusal(ownBytes(messages[n]));
      const harm = limitMs > 0 ? harmSince(before, limitMs) : undefined;
      const isAccepted = refused === null && harm === undefined;
      say("probed", {
        message: n,
        accepted: isAccepted,
        ...(refused === null ? {} : refused),
        ...(harm === undefined ? {} : { harm }),
      });
    }
  }

  /** Why a message is refused, and by whose code; null where it is not. */
  #refusal(message) {
    try {
      const root = new Decoding(this.cell, "fresh").deserialize(message, false);
      this.cell.domain.write(new AnyMember(), root); // some fields are looked at only here
      return null;
    } catch (error) {
      return { reason: String(error).slice(0, REASON), by: originOf(error) };
    }
  }

  /** The same dataset is not read again, unless its values were changed or its bytes were given. */
  #load(options) {
    const path = options.get("dataset");
    if (path === this.#loaded && !options.has("encoded")) return;
    this.canonical = readDataset(path, this.cell.schema);
    this.operations = new Operations(this.cell);
    const given = givenBodies(options, this.canonical);
    this.operations.load(this.canonical, given);
    this.#loaded = given === null ? path : null;
  }

  /** Neighbouring messages that differ have outputs that differ, and the same ones each time. */
  #checkNotCached() {
    const encoding = new Encoding(this.cell.adapter, "reuse");
    const roots = this.operations.inputs("roots");
    for (let n = 1; n < roots.length; ++n) {
      if (this.canonical[n - 1].equals(this.canonical[n])) continue;
      const before = Buffer.from(encoding.serialize(roots[n - 1]));
      const after = Buffer.from(encoding.serialize(roots[n]));
      const again = encoding.serialize(roots[n - 1]);
      if (before.equals(after)) {
        throw new Error(`messages ${n - 1} and ${n} differ, but were encoded to the same bytes`);
      }
      if (again.length !== before.length) {
        throw new Error(`message ${n - 1} was encoded to ${before.length} bytes and then to ${again.length}`);
      }
    }
  }

  /** Sums over the library's own objects are those of the domain objects that are extracted from them. */
  #checkReading() {
    const decoding = new Decoding(this.cell, "reuse");
    const { domain } = this.cell;
    this.operations.inputs("encoded").forEach((bytes, message) => {
      const view = decoding.decode(bytes, false);
      const root = decoding.extract(view); // not the root before: a lossy codec may have rounded it
      if (decoding.traverses) requireEqual("traverse", message, decoding.traverse(view), domain.sum(root));
      if (decoding.walks && domain.walk) {
        requireEqual("walk", message, decoding.walk(view), domain.walk(root));
      }
    });
  }

  /**
   * Does each operation for a moment, under each policy, while values change; where bytes are given, those
   * operations that start from them.
   */
  #checkWatched(options) {
    this.#loaded = null; // its values are others from here on
    const watching = new Watching(this.operations, this.canonical, options);
    if (watching.edits.messages.length === 0) return;
    const unseen = new Unseen(this.operations, this.canonical, options);
    for (const operation of this.operations.offered()) {
      if (this.operations.given !== null && !FROM_BYTES.has(this.operations.startsFrom(operation))) continue;
      for (const memory of ["reuse", "fresh"]) {
        const prepared = this.operations.prepare(operation, memory);
        const start = nowNs();
        let rounds = 0;
        do {
          watching.renew(prepared.input, true);
          passes(prepared, start);
          watching.shift(prepared.input);
          passes(prepared, start);
          if (isPowerOfTwo(++rounds)) watching.writeDown(operation, memory, prepared);
        } while (sinceNs(start) < WATCHED_NS);
        if (!isPowerOfTwo(rounds)) watching.writeDown(operation, memory, prepared);
        // Each given body is new only once, so the new ones are kept for `read`.
        if (this.operations.given === null || operation === "read") unseen.check(operation, memory);
      }
    }
  }
}

/** Whether the library can encode what it has decoded. */
export function relays(cell) {
  return cell.adapter.relays !== false;
}

/** A pass at least, so that what is kept of it would be given back in place of what has changed since. */
function passes({ pass }, start) {
  let n = 0;
  do pass();
  while (++n < PASSES && sinceNs(start) < WATCHED_NS);
}

/** Writes down what some rounds leave, more seldom as they go on: there may be thousands. */
function isPowerOfTwo(number) {
  return (number & (number - 1)) === 0;
}

function memoryOf(options) {
  const memory = options.get("memory", "reuse");
  if (memory === "reuse" || memory === "fresh") return memory;
  throw new Error(`found memory policy '${memory}', expected reuse or fresh`);
}

function harmSince(before, limitMs) {
  const { user, system } = process.cpuUsage(before.cpu);
  if ((user + system) / 1000 > limitMs) return "hang";
  return heldBytes() - before.bytes >= MOST_BYTES ? "memory" : undefined;
}

function heldBytes() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function requireEqual(operation, message, found, expected) {
  if (found === expected) return;
  throw new Error(
    `${operation} of message ${message} gives ${found}, expected ${expected}: ` +
      "it does not read what the message holds",
  );
}
