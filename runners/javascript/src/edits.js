// Edits: bytes that values of a dataset may become while a process measures, as docs/protocol.md has them.
import fs from "node:fs";
import { readMessages } from "./files.js";

const MOST_IN_FORCE = 3; // edits of one message

export class Edits {
  #alone;
  #odd;

  /**
   * Reads a file of edits. If they are to be in force `alone`, one edit of a message is drawn. Every second
   * one is never drawn then, but left in `spared` (numbers in the file) for messages that no pass has met:
   * the even or the odd ones, as `place` is, so that a process draws those that another one spares.
   *
   * @throws it is none, or has an edit that is not within its message
   */
  constructor(path, messages, alone = false, place = "1") {
    const data = fs.readFileSync(path);
    if (data.length < 16 || data.toString("latin1", 0, 8) !== "SERBEDIT" || data.readUInt32LE(8) !== 1) {
      throw new Error(`${path} is no file of edits of version 1`);
    }
    this.byMessage = new Map();
    let at = 16;
    const count = data.readUInt32LE(12);
    for (let number = 0; number < count; ++number) {
      const [message, offset, size] = [0, 4, 8].map((n) => data.readUInt32LE(at + n));
      const bytes = data.subarray(at + 12, at + 12 + size);
      at += 12 + size;
      if (message >= messages.length || offset + size > messages[message].length || bytes.length < size) {
        throw new Error(`${path} has an edit of message ${message} that is not within it`);
      }
      if (!this.byMessage.has(message)) this.byMessage.set(message, []);
      this.byMessage.get(message).push({ number, offset, bytes });
    }
    this.#alone = alone;
    this.count = count;
    this.messages = [...this.byMessage.keys()];
    this.#odd = Number(BigInt(place) % 2n);
    const own = alone ? [...this.byMessage.values()].filter((edits) => edits.length > 1) : [];
    this.spared = numbersOf(own.flatMap((edits) => edits.filter((_, n) => n % 2 === this.#odd)));
  }

  /** A message that has edits. */
  drawMessage(draws) {
    return this.messages[draws.below(this.messages.length)];
  }

  /** Some edits of a message. */
  draw(message, draws) {
    const all = [...this.byMessage.get(message)];
    if (this.#alone) {
      const drawn = all.length > 1 ? all.filter((_, n) => n % 2 !== this.#odd) : all;
      return [drawn[draws.below(drawn.length)]];
    }
    const count = Math.min(all.length, 1 + draws.below(MOST_IN_FORCE));
    return Array.from({ length: count }, () => all.splice(draws.below(all.length), 1)[0]);
  }
}

/** Canonical bytes with some edits in the place of those that they have. */
export function applied(bytes, edits) {
  const whole = Buffer.from(bytes);
  for (const { offset, bytes: other } of edits) whole.set(other, offset);
  return whole;
}

/**
 * The bodies of `--encoded`, which another program has encoded: one for each message, and then one for each
 * edit; null without this option.
 *
 * @throws there is another number of them
 */
export function givenBodies(options, messages) {
  if (!options.has("encoded")) return null;
  const path = options.get("encoded");
  const bodies = readMessages(path);
  const edits = options.has("edits") ? new Edits(options.get("edits"), messages).count : 0;
  if (bodies.length !== messages.length + edits) {
    throw new Error(
      `${path} has ${bodies.length} bodies; expected one for each of ${messages.length} messages and ` +
        `${edits} edits`,
    );
  }
  return bodies;
}

/** The numbers that edits have in their file, in order. */
export function numbersOf(edits) {
  return edits.map(({ number }) => number).sort((one, other) => one - other);
}

/** Numbers drawn from a seed, a text of digits (SplitMix64). */
export class Draws {
  constructor(seed) {
    this.state = BigInt.asUintN(64, BigInt(seed));
  }

  /** A whole number from 0 to below `limit`. */
  below(limit) {
    this.state = BigInt.asUintN(64, this.state + 0x9e3779b97f4a7c15n);
    let z = this.state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return Number((z ^ (z >> 31n)) % BigInt(limit));
  }
}
