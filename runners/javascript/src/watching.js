// Checks the very passes that are timed: outside the clock, values of the messages change where they lie, and
// the outcome of the timed passes is written down for serbench, which knows what it must be
// (docs/protocol.md, "What passes leave"). Bytes that were encoded are not decoded here, and nothing but sums
// is compared: an adapter that cheats with both hands would agree with itself.
import { Writer } from "./canonical.js";
import { applied, Draws, Edits, numbersOf } from "./edits.js";
import { CANONICAL, ENCODED, Left, SUM } from "./left.js";
import { Encoding, ownBytes } from "./sides.js";

const OTHERS = 4; // messages that change besides the last

/** Messages with edits of so many bytes together are made anew and compared in a small part of a sample. */
const QUICK_BYTES = 1 << 20;

/** One of so many samples is watched if messages have more bytes. */
const ONE_OF = 12;

/** Sums are alike but for multiples of 2^31: floats count by their bits, and to some formats -0.0 is 0.0. */
const UNLIKE = 0x7fffffff;

const VERDICT = "after its values changed: the timed code returns remembered results, or skips work";

export class Watching {
  #forced = new Map(); // the edits that are in force, by message
  #later = new Map(); // those that are in force after the next shift
  #laterBytes = new Map(); // the encoded bytes of these messages
  #writer = new Writer();

  /** The options `edits`, `left` and `place`, which are as the protocol tells. */
  constructor(operations, canonical, options) {
    this.operations = operations;
    this.cell = operations.cell;
    this.canonical = canonical;
    const place = options.get("place", "0");
    this.edits = new Edits(options.get("edits"), canonical, operations.given !== null, place);
    this.draws = new Draws(place);
    this.left = new Left(options.get("left"));
    this.last = canonical.length - 1;
  }

  /** Whether the next sample is to be watched. */
  drawWatched() {
    if (this.edits.messages.length === 0) return false;
    let bytes = 0;
    for (const message of this.edits.messages) bytes += this.canonical[message].length;
    return bytes <= QUICK_BYTES || this.draws.below(ONE_OF) === 0;
  }

  /**
   * Changes values, and what was prepared from them for this kind of input; passes end with one of them.
   * `shifts` says whether they change once more before somebody looks: what is looked at is never what it was
   * the last time.
   */
  renew(kind, shifts) {
    this.last = this.edits.drawMessage(this.draws);
    const before = [...this.#forced.keys(), ...this.#later.keys()];
    this.#later = this.#drawn(this.#forced);
    const now = shifts && kind !== "natives" && kind !== "views" ? this.#drawn(this.#later) : this.#later;
    const stale = new Set([...before, ...this.#later.keys(), ...now.keys()]);
    this.#laterBytes.clear();
    if (kind === "encoded") {
      this.#set(this.#later);
      const encoding = new Encoding(this.cell.adapter, "fresh");
      for (const message of stale)
        this.#laterBytes.set(message, ownBytes(this.operations.bytesOf(message, encoding)));
    }
    this.#set(now);
    for (const message of stale) this.operations.renew(message, kind);
    this.operations.endWith(this.last, kind);
  }

  /** Changes values once more without a call into the adapter, where that can be. */
  shift(kind) {
    if (kind === "roots") {
      this.#set(this.#later);
    } else if (kind === "encoded") {
      const encoded = this.operations.inputs("encoded");
      const fits = [...this.#laterBytes].every(
        ([message, bytes]) => encoded[message].length === bytes.length,
      );
      if (!fits) return;
      this.#set(this.#later);
      for (const [message, bytes] of this.#laterBytes) encoded[message].set(bytes);
    }
  }

  /** Appends what an operation left of its last message to the file; throws where it is no sum of it. */
  writeDown(operation, memory, prepared) {
    const forced = this.#forced.get(this.last) ?? [];
    const of = { cell: `${operation}:${memory}`, message: this.last, edits: numbersOf(forced) };
    this.left.add({ ...of, ...this.#found(prepared) });
    if (!prepared.sum) return;
    const { domain } = this.cell;
    const expected = (prepared.walks ? domain.walk : domain.sum)(this.operations.read(this.#now(this.last)));
    if (((prepared.sum() - expected) & UNLIKE) !== 0) {
      throw new Error(`the sum of ${operation} does not match message ${this.last} ${VERDICT}`);
    }
  }

  #found({ sum, encoded, left, walks }) {
    if (sum) {
      const rest = Buffer.alloc(8);
      rest.writeBigInt64LE(BigInt(sum()));
      return { kind: SUM, walks, rest };
    }
    if (encoded) return { kind: ENCODED, rest: ownBytes(encoded()) };
    this.#writer.clear();
    this.cell.domain.write(this.#writer, left());
    return { kind: CANONICAL, rest: this.#writer.written() };
  }

  /** Edits of the last message and of a few others; of the last one other ones than in `unlike`. */
  #drawn(unlike) {
    const drawn = new Map([[this.last, this.edits.draw(this.last, this.draws)]]);
    for (let n = 0; n < OTHERS; ++n) {
      const other = this.edits.drawMessage(this.draws);
      if (other !== this.last) drawn.set(other, this.edits.draw(other, this.draws));
    }
    const before = unlike.get(this.last) ?? [];
    if (numbersOf(before).join() === numbersOf(drawn.get(this.last)).join()) drawn.delete(this.last);
    return drawn;
  }

  /** From now on these edits are in force, in the domain objects. */
  #set(forced) {
    const changed = new Set([...this.#forced.keys(), ...forced.keys()]);
    this.#forced = forced;
    const roots = this.operations.inputs("roots");
    for (const message of changed) {
      assign(roots[message], this.operations.read(this.#now(message)));
      this.operations.giveEdited(message, forced.get(message) ?? []);
    }
  }

  #now(message) {
    return applied(this.canonical[message], this.#forced.get(message) ?? []);
  }
}

/** Gives every value in `target` that of `source`, which has the same shape; no object becomes another. */
function assign(target, source) {
  if (target instanceof Uint8Array) {
    target.set(source);
  } else if (target instanceof Map) {
    for (const [key, value] of source) {
      if (isLeaf(value)) target.set(key, value);
      else assign(target.get(key), value);
    }
  } else {
    for (const key of Object.keys(source)) {
      if (isLeaf(source[key])) target[key] = source[key];
      else assign(target[key], source[key]);
    }
  }
}

function isLeaf(value) {
  return typeof value !== "object" || value === null;
}
