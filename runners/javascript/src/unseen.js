// Whether an operation takes as long for messages that it has not seen before as for those that it has. Who
// remembers what it gave for an object, or for a content, is quick from the second time on.
//
// Times of a process are no proof: serbench accuses nobody before several processes suspect the same cell
// (src/serbench/measure/agreement.py).
import process from "node:process";
import { applied, Draws, Edits } from "./edits.js";
import { Operations } from "./operations.js";

/**
 * How long a pass lasts, where the messages that there may be are enough, and the most canonical bytes of
 * these. Of few bytes, honest codecs find the messages in the caches in the first pass as later. But V8 may
 * run a short pass in its interpreter, since what it compiled was for objects that are gone: a pass of 7
 * bytes each seemed to take 28.8 times as long. So who seems slow is timed over more and more messages, and
 * without collections, which throw away what compiled code relied on: then only a first trial compiles
 * anew.
 */
const ATTEMPTS = [
  { passNs: 100_000, mostBytes: 1 << 17, collects: true },
  { passNs: 1_000_000, mostBytes: 1 << 19, collects: false },
  { passNs: 10_000_000, mostBytes: 1 << 21, collects: false },
];

/** The most messages that are drawn: of more, few differ from all others where a message has few values. */
const MOST_MESSAGES = 5000;

/** How long a pass takes is the shortest of so many. */
const WARM_PASSES = 5;

/** The shortest passes count: of so many trials, or of those within so long. */
const TRIALS = 5;
const TRIALS_NS = 100_000_000;

/** Passes over known messages, before a first pass and after it: so many, or for so long. */
const KNOWN_PASSES = 20;
const KNOWN_NS = 20_000_000;

/**
 * The first pass may take so many times as long: text keeps its hash and is flattened when it is read, and
 * V8's compilers work meanwhile. Of honest codecs, up to 7.6 times were seen on a busy machine.
 */
const MOST = 20;

/** It must also take so much longer, more than compiling a function anew takes. */
const EXCESS_NS = 500_000;

/** If it takes no more than so many times as long, further trials would tell nothing else. */
const CLEAR = 3;

/**
 * Operations that start from the library's views do not count, since views may keep what was computed of
 * them; nor does build by itself, which takes so little that it may be nearly all for such hashes.
 */
const NOT_ASKED = new Set(["build", "extract", "traverse", "walk"]);

/** The resolution of the processor time that the system tells. */
const RESOLUTION_NS = 1000;

/**
 * Later passes that take less count as this long: right after a collection, reading the clock itself takes up
 * to 90 µs, many times as long as a pass over bytes that are already there.
 */
const SHORTEST_NS = 5000;

// Taken before a codec is loaded, as the clock is.
const cpuUsage = process.cpuUsage.bind(process);

const FROM_NATIVES = new Set(["encode", "native_roundtrip"]);

/** The suspicion that a cell returns remembered results, as far as times tell. */
export class Suspicion extends Error {
  constructor(cell, message) {
    super(message);
    this.name = "Error"; // which says nothing that the message does not
    this.suspected = cell;
  }
}

export class Unseen {
  /**
   * The options `edits` and `place`, as the protocol tells. Where bodies of another program are given to
   * `operations`, bytes are those, and new ones are the bodies of edits that are never drawn, each once.
   */
  constructor({ cell, given }, canonical, options) {
    this.cell = cell;
    this.given = given;
    this.edits = new Edits(options.get("edits"), canonical, given !== null, options.get("place", "0"));
    this.draws = new Draws(options.get("place", "0"));
    this.spared = this.edits.spared.map((number) => given[canonical.length + number]);
    this.canonical = [];
    this.bytes = 0;
    for (const [message, each] of canonical.entries()) {
      const bytes = this.bytes + Math.max(each.length, given?.[message].length ?? 0);
      if (bytes > ATTEMPTS[0].mostBytes) break;
      this.bytes = bytes;
      this.canonical.push(each);
    }
  }

  /** Throws a Suspicion where the first pass over new messages takes longer by far. */
  check(operation, memory) {
    const mayRemember = this.cell.remembers && FROM_NATIVES.has(operation);
    if (NOT_ASKED.has(operation) || mayRemember || this.cell.adapter.isFloor) return;
    if (this.canonical.length === 0) return; // the first message alone is too large
    const { pass: known, input } = this.#prepared(operation, memory, [...this.canonical.keys()]).prepared;
    const mostMessages = this.#isGiven(input) ? () => this.spared.length / TRIALS : () => Infinity;
    let took = { times: 0, excessNs: 0 };
    for (const attempt of ATTEMPTS) {
      const messages = this.#messages(known, attempt, mostMessages());
      if (messages.length === 0) break; // all bodies have been seen
      const { operations, prepared } = this.#prepared(operation, memory, messages);
      prepared.pass(); // buffers grow
      took = this.#compared(operations, prepared, messages, attempt.collects ? known : null);
      if (took.times <= MOST) return;
    }
    if (took.excessNs < EXCESS_NS) return;
    throw new Suspicion(
      `${operation}:${memory}`,
      `${operation} takes ${took.times.toFixed(1)} times as long for new messages as for known ones: ` +
        "the timed code returns remembered results",
    );
  }

  /** Numbers of messages, each so often that a pass lasts long enough. */
  #messages(known, { passNs, mostBytes }, mostMessages) {
    let warm = Infinity;
    for (let n = 0; n < WARM_PASSES; ++n) warm = Math.min(warm, timed(known));
    const most = Math.min(mostBytes / Math.max(this.bytes, 1), MOST_MESSAGES / this.canonical.length);
    const copies = Math.max(1, Math.min(passNs / warm, most));
    const numbers = [...this.canonical.keys()];
    const all = Array.from({ length: Math.floor(copies) }, () => numbers).flat();
    return all.slice(0, mostMessages);
  }

  /** An operation over these messages as they are, and the operations that it is one of. */
  #prepared(operation, memory, messages) {
    const operations = new Operations(this.cell);
    const given = this.given && messages.map((message) => this.given[message]);
    operations.load(
      messages.map((message) => this.canonical[message]),
      given,
    );
    return { operations, prepared: operations.prepare(operation, memory) };
  }

  /**
   * How many times as long the first pass over new messages takes as later ones, and how much longer. With a
   * pass over `known` messages, garbage is collected before: then a collection may throw away compiled code,
   * which the next pass would make anew.
   */
  #compared(operations, { pass, input }, messages, known) {
    let first = Infinity;
    let later = Infinity;
    const start = ownNs();
    for (let trial = 0; trial < 2 || (trial < TRIALS && ownNs() - start < TRIALS_NS); ++trial) {
      messages.forEach((message, n) => {
        if (this.#isGiven(input)) operations.replaceEncoded(n, this.#spared());
        else operations.exchange(n, this.#drawn(message), input);
      });
      operations.endWith(messages.length - 1, input);
      if (known !== null) {
        globalThis.gc?.();
        shortest(known);
      }
      first = Math.min(first, timed(pass));
      later = Math.min(later, shortest(pass));
      if (first <= CLEAR * later) break;
    }
    return { times: first / Math.max(later, SHORTEST_NS), excessNs: first - later };
  }

  /** Whether operations that start from this kind of input start from given bodies. */
  #isGiven(input) {
    return this.given !== null && input === "encoded";
  }

  /** A body that no pass has met. */
  #spared() {
    return this.spared.splice(this.draws.below(this.spared.length), 1)[0];
  }

  /** The canonical bytes of a message with some of the values that it may have in place of its own. */
  #drawn(message) {
    const drawn = this.edits.byMessage.has(message) ? this.edits.draw(message, this.draws) : [];
    return applied(this.canonical[message], drawn);
  }
}

/** The least time of some passes. */
function shortest(pass) {
  let least = Infinity;
  const begun = ownNs();
  for (let n = 0; n < KNOWN_PASSES && (n < 2 || ownNs() - begun < KNOWN_NS); ++n) {
    least = Math.min(least, timed(pass));
  }
  return least;
}

/** The processor time of a pass: on a busy machine it may lose its core for a thousand times as long. */
function timed(pass) {
  const start = ownNs();
  pass();
  return Math.max(RESOLUTION_NS, ownNs() - start);
}

function ownNs() {
  const { user, system } = cpuUsage();
  return RESOLUTION_NS * (user + system);
}
